/** `heddle completions`: scripts that shells can load, without what heddle refuses. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { inEffect } from "../../src/layers/modes/cli/arguments/OptionTable.ts"
import { makeHome } from "./command.ts"

const home = makeHome()
afterAll(home.remove)

const scriptFor = async (shell: string) => {
  const { code, err, out } = await home.run(["completions", shell])
  assert.deepStrictEqual([code, err], [0, ""])
  return out
}

describe("completions", () => {
  it.each(["bash", "zsh", "fish"])(
    "the script for %s has every option and nothing that heddle refuses",
    async (shell) => {
      const script = await scriptFor(shell)
      for (const { name } of inEffect) assert.match(script, new RegExp(`(--|-l )${name}\\b`))
      for (const name of ["auth", "config", "sessions", "doctor", "help"]) assert.include(script, name)
      assert.notMatch(script, /(--|-l )(wizard|log-level|completions)\b/)
    }
  )

  it("zsh is told which options have a value", async () => {
    const script = await scriptFor("zsh")
    for (const { kind, name } of inEffect) {
      const [option = ""] = script.match(new RegExp(`'--${name}\\[.*' `)) ?? []
      assert.strictEqual(/\]:\w+:/.test(option), kind !== "flag", option)
    }
  })

  it("bash loads its script and completes options, values, commands and files", async () => {
    home.put("complete.sh", await scriptFor("bash"))
    home.put("some-file.txt", "")
    const complete = async (...words: ReadonlyArray<string>) => {
      const line = [
        "set -eu; source complete.sh",
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
        "\"$(complete -p heddle | sed -E 's/.*-F (\\S+).*/\\1/')\" heddle",
        'printf "%s\\n" "${COMPREPLY[@]}"'
      ].join("\n")
      const child = Bun.spawn(["bash", "-c", line, "bash", ...words], {
        ...home.place(),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe"
      })
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
      assert.strictEqual(err, "")
      return out.trim().split("\n")
    }
    assert.deepStrictEqual(await complete("heddle", "--output"), ["--output-schema"])
    assert.includeMembers(await complete("heddle", "--no-s"), ["--no-session", "--no-skills"])
    assert.deepStrictEqual(await complete("heddle", "se"), ["sessions"])
    assert.deepStrictEqual(await complete("heddle", "sessions", "re"), ["resume"])
    assert.deepStrictEqual(await complete("heddle", "completions", ""), [
      "-h",
      "--help",
      "--verbose",
      "bash",
      "zsh",
      "fish"
    ])
    assert.deepStrictEqual(await complete("heddle", "--model", "x", "auth", "se"), ["set"])
    assert.deepStrictEqual(await complete("heddle", "x", "--mode", "j"), ["json"])
    assert.deepStrictEqual(await complete("heddle", "x", "--export", "some"), ["some-file.txt"])
  })
})

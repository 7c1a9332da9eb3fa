import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Option } from "effect"
import * as FullParse from "../../../../src/layers/modes/cli/arguments/FullParse.ts"
import * as ExitCode from "../../../../src/layers/modes/cli/ExitCode.ts"
import * as Help from "../../../../src/layers/modes/cli/help/Help.ts"
import { topics } from "../../../../src/layers/modes/cli/help/Topics.ts"
import * as Subcommands from "../../../../src/layers/modes/cli/Subcommands.ts"
import { type Given, optionTable } from "../../../../src/layers/modes/cli/arguments/OptionTable.ts"
import * as QuickParse from "../../../../src/layers/modes/cli/arguments/QuickParse.ts"

const entries = (given: Given) => [...given.values].toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Command lines that are right: every option at most once, `set` up to three times, in either spelling. */
const commandLines = fc
  .shuffledSubarray(optionTable.flatMap((entry) => (entry.kind === "repeated" ? [entry, entry, entry] : [entry])))
  .chain((chosen) =>
    fc
      .tuple(
        ...chosen.map((entry) =>
          fc.tuple(fc.constant(entry), fc.stringMatching(/^[a-z][a-z0-9./=]{0,8}$/), fc.boolean())
        )
      )
      .map((options) =>
        options.flatMap(([{ kind, name }, value, tied]) => {
          if (kind === "flag") return [`--${name}`]
          // The full parser misreads a repeated option that is tied to its value.
          return tied && kind === "text" ? [`--${name}=${value}`] : [`--${name}`, value]
        })
      )
  )

describe("the quick parser", () => {
  it("reads what the full parser reads", async () => {
    await fc.assert(
      fc.asyncProperty(commandLines, async (args) => {
        const quick = QuickParse.parse(args)
        assert.isTrue(Option.isSome(quick))
        // The full parser splits a tied value at its first `=` only where the value has none, so those are left out.
        if (args.some((arg) => /^--[^=]*=.*=/.test(arg))) return
        const whole = await Effect.runPromise(FullParse.parse(args))
        assert.deepStrictEqual(Option.map(quick, entries), Option.some(entries(whole)))
      }),
      { numRuns: 40 }
    )
  })

  for (const args of [
    ["--nope", "--nope"],
    ["--model"],
    ["--model", "--drain"],
    ["--drain=yes"],
    ["--cwd", "a", "--cwd", "b"],
    ["-"],
    ["hello", "-x"]
  ]) {
    it(`leaves ${args.join(" ")} to the full one`, () => assert.isTrue(Option.isNone(QuickParse.parse(args))))
  }
})

describe("words", () => {
  const messages = (...args: ReadonlyArray<string>) => Option.getOrThrow(QuickParse.parse(args)).messages

  it("are taken from everywhere, in order", () => {
    assert.deepStrictEqual(messages("a", "--model", "m", "@b", "--no-tools", "c"), ["a", "@b", "c"])
  })

  it("behind -- may be anything", () => {
    assert.deepStrictEqual(messages("a", "--", "--model", "-x", "--", "@b"), ["a", "--", "--model", "-x", "--", "@b"])
    assert.deepStrictEqual(messages("a", "--"), ["a"])
  })
})

describe("docs/cli.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/cli.md"), "utf8")

  it("has every exit code of the code, and no other", () => {
    const [, section = ""] = page.split("## Exit codes")
    const listed = [...section.matchAll(/^\| +(\d+) \|/gm)].map(([, code]) => Number(code))
    const known = [
      ExitCode.done,
      ExitCode.failed,
      ExitCode.unfit,
      ExitCode.unasked,
      ...Object.values(ExitCode.bySignal)
    ]
    assert.deepStrictEqual(
      listed.toSorted((a, b) => a - b),
      known.toSorted((a, b) => a - b)
    )
  })

  it("has every subcommand", () => {
    for (const name of topics.keys()) assert.include(page, `| \`heddle ${name}`)
  })
})

describe("the help", () => {
  const about = (topic?: string) => Effect.runSync(Help.about(topic, "1.2.3"))

  it("names every option and every command, in 80 columns", () => {
    const text = about()
    for (const { name } of optionTable) assert.include(text, `--${name}`)
    for (const { name } of Subcommands.all) assert.include(text, `\n  ${name}`)
    for (const row of ["auth set|list|remove ", "doctor ", "help [command] "]) assert.include(text, `\n  ${row}`)
    assert.deepStrictEqual(
      text.split("\n").filter((line) => line.length > 80),
      []
    )
  })

  it("has a page for each command, in 80 columns, too", () => {
    for (const { name } of Subcommands.all) assert.strictEqual(about(name), topics.get(name))
    const long = [...topics.values()].flatMap((text) => text.split("\n").filter((line) => line.length > 80))
    assert.deepStrictEqual(long, [])
  })
})

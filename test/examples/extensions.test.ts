/** The examples of extensions over real pipes: the command with the offline model, a host that answers, real programs. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withFiles } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, entry, root, type } = HostProcess
type Frame = HostProcess.Frame

const example = (name: string) => join(root, "examples/extensions", name)

/** A model that asks for these tool calls, a turn each, and then says that it is done. */
const calling = (...calls: ReadonlyArray<readonly [name: string, args: object]>) =>
  JSON.stringify({
    turns: [
      ...calls.map(([name, args]) => ({ steps: [{ toolCall: { name, arguments: args } }] })),
      { steps: [{ text: "done" }] }
    ]
  })

/** A host in a folder with these files and `scenario.json`. */
const open = Effect.fnUntraced(function* (
  extension: string,
  files: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) {
  const folder = yield* withFiles(files)
  const offline = ["--model", "offline/script", "--set", "offline.scenario=scenario.json", "--no-session"]
  const host = yield* HostProcess.open({ args: ["--cwd", folder, "-e", example(extension), ...offline, ...args] })
  return { folder, host }
})

const prompt = (host: HostProcess.HostProcess, message: string) => {
  host.send({ id: "p", type: "prompt", message })
  return host.until(answer("p"))
}

const asked = (method: string) => (frame: Frame) =>
  frame["type"] === "extension_ui_request" && frame["method"] === method

/** The text of each tool result, and whether it is an error. */
const results = (host: HostProcess.HostProcess) =>
  host
    .frames()
    .filter(type("tool_execution_end"))
    .map(({ isError, result }) => [Object(result)["content"][0].text, isError])

const errors = (host: HostProcess.HostProcess) => host.frames().filter(type("extension_error"))

describe("permission-gate", () => {
  const files = { "build/out.txt": "x", "scenario.json": calling(["bash", { command: "rm -r build" }]) }

  const answered = (confirmed: boolean) =>
    Effect.gen(function* () {
      const { folder, host } = yield* open("permission-gate.ts", files)
      const dialog = yield* Effect.promise(async () => {
        await prompt(host, "clean up")
        const dialog = await host.until(asked("confirm"))
        host.send({ type: "extension_ui_response", id: dialog["id"], confirmed })
        await host.until(type("prompt_result"))
        return dialog
      })
      assert.deepStrictEqual([dialog["title"], dialog["message"]], ["Run rm?", "rm -r build"])
      assert.deepStrictEqual(errors(host), [])
      return { isThere: existsSync(join(folder, "build")), results: results(host) }
    })

  it.scopedLive("a no blocks the command, and the model reads why", () =>
    Effect.gen(function* () {
      const expected = { isThere: true, results: [["The user did not allow rm.", true]] }
      assert.deepStrictEqual(yield* answered(false), expected)
    })
  )

  it.scopedLive("a yes lets it run", () =>
    Effect.gen(function* () {
      const { isThere, results } = yield* answered(true)
      assert.isFalse(isThere)
      assert.deepStrictEqual(
        results.map(([, isError]) => isError),
        [false]
      )
    })
  )

  it.scopedLive("without a user it blocks; its option adds programs; other commands and tools run unasked", () =>
    Effect.gen(function* () {
      const scenario = calling(
        ["bash", { command: "x=$(/usr/bin/wc -c a.txt); echo $x" }],
        ["bash", { command: "echo ok" }],
        ["read", { path: "a.txt" }]
      )
      const { host } = yield* open(
        "permission-gate.ts",
        { "a.txt": "rm", "scenario.json": scenario },
        "--no-ui",
        "--ask-before",
        "sed,wc"
      )
      yield* Effect.promise(async () => {
        await prompt(host, "go")
        await host.until(type("prompt_result"))
      })
      assert.deepStrictEqual(results(host), [
        ["Nobody can be asked, so wc is not run.", true],
        ["ok\n", false],
        ["rm", false]
      ])
      assert.deepStrictEqual(host.frames().filter(type("extension_ui_request")), [])
    })
  )
})

describe("word-count", () => {
  const files = {
    "poem.txt": "warp and weft\nand warp\n",
    "scenario.json": calling(
      ["word_count", { path: "poem.txt" }],
      ["word_count", { path: "gone.txt" }],
      ["word_count", {}]
    )
  }

  it.scopedLive("the tool counts, and says why it cannot", () =>
    Effect.gen(function* () {
      const { folder, host } = yield* open("word-count.ts", files)
      yield* Effect.promise(async () => {
        await prompt(host, "count")
        await host.until(type("prompt_result"))
      })
      const [counted, gone, empty] = results(host)
      assert.deepStrictEqual(counted, ["poem.txt has 5 words and 23 characters.", false])
      assert.deepStrictEqual(gone, [`ENOENT: no such file or directory, open '${join(folder, "gone.txt")}'`, true])
      assert.deepStrictEqual([String(empty?.[0]).split(":")[0], empty?.[1]], ["Invalid arguments for word_count", true])
      assert.deepStrictEqual(errors(host), [])
    })
  )

  it.scopedLive("the command is listed, and answers with a notice and without a model", () =>
    Effect.gen(function* () {
      const { host } = yield* open("word-count.ts", files)
      const said = (text: string) => (frame: Frame) => asked("notify")(frame) && frame["message"] === text
      const { handled, listed } = yield* Effect.promise(async () => {
        host.send({ id: "c", type: "get_commands" })
        const listed = await host.until(answer("c"))
        const handled = await prompt(host, "/words poem.txt")
        await host.until(said("poem.txt has 5 words and 23 characters."))
        host.send({ id: "q", type: "prompt", message: "/words" })
        await host.until(said("Which file? /words <path>"))
        return { listed, handled }
      })
      const names = Object(listed["data"])["commands"].map(({ name }: { readonly name: string }) => name)
      assert.deepStrictEqual(names, ["words"])
      assert.strictEqual(Object(handled["data"])["disposition"], "handled")
      assert.notInclude(HostProcess.types(host), "agent_start")
    })
  )
})

/** A program to its end. */
const run = (command: ReadonlyArray<string>, cwd: string, env: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const PATH = `${cwd}:${process.env["PATH"] ?? ""}`
    const child = Bun.spawn([...command], { cwd, env: { PATH, HOME: cwd, ...env }, stdout: "pipe", stderr: "pipe" })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { out, err, code }
  })

it.scopedLive("audit-log: a program prints every tool call that its hooks see, as a Layer", () =>
  Effect.gen(function* () {
    const scenario = calling(["read", { path: "a.txt" }], ["bash", { command: "exit 3" }])
    const folder = yield* withFiles({ "a.txt": "x", "scenario.json": scenario })
    const { code, err, out } = yield* run([process.execPath, example("audit-log/program.ts"), "scenario.json"], folder)
    assert.deepStrictEqual([code, err], [0, ""])
    const entries: unknown = JSON.parse(`[${out.trim().replaceAll("\n", ",")}]`)
    assert.deepStrictEqual(entries, [
      { asked: "read", input: { path: "a.txt" } },
      { ended: "read", isError: false },
      { asked: "bash", input: { command: "exit 3" } },
      { ended: "bash", isError: true }
    ])
  })
)

/** The first block of a language on the page. */
const block = (page: string, language: string) =>
  new RegExp("^```" + language + "\\n([\\s\\S]*?)^```$", "m").exec(page)?.[1] ?? ""

it.scopedLive("docs/extending.md: the extension, its scenario and the command to test it do what the page says", () =>
  Effect.gen(function* () {
    const page = readFileSync(join(root, "docs/extending.md"), "utf8")
    const folder = yield* withFiles({ "shout.ts": block(page, "ts"), "shout.json": block(page, "json") })
    const heddle = join(folder, "heddle")
    writeFileSync(heddle, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(entry)} "$@"\n`)
    chmodSync(heddle, 0o755)
    const { code, out } = yield* run(["sh", "-c", block(page, "sh")], folder)
    const shown = /^\{"type":"tool_execution_end".*…$/m.exec(page)?.[0].slice(0, -1) ?? "nothing"
    const [ended = ""] = out.split("\n").filter((line) => line.startsWith('{"type":"tool_execution_end"'))
    assert.deepStrictEqual([code, ended.slice(0, shown.length)], [0, shown])
  })
)

/** Tools whose machine is an extension's: files in a map, commands that are only written down. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ExecOptions } from "../../../../../src/layers/pi/modules/HostBindings.ts"
import * as ToolFactories from "../../../../../src/layers/pi/modules/agent/ToolFactories.ts"
import { call, get } from "../../../../support/extensions/Calling.ts"
import * as RealBindings from "../../../../support/extensions/RealBindings.ts"

const textOf = (result: unknown): unknown => get(get(get(result, "content"), "0"), "text")

const execute = (tool: unknown, params: object, onUpdate?: (partial: unknown) => void) =>
  Effect.promise(async () => {
    try {
      return await call(tool, "execute", "c1", params, undefined, onUpdate)
    } catch (error) {
      return error instanceof Error ? `threw ${error.message}` : error
    }
  })

const setUp = Effect.map(RealBindings.make(), ({ holder }) => ToolFactories.make(holder))

const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" })

/** Another machine: absolute paths and their text. */
const remote = (files: Map<string, string>) => {
  const done: Array<string> = []
  return {
    done,
    operations: {
      readFile: async (path: string) => {
        const content = files.get(path)
        if (content === undefined) throw missing(path)
        return Buffer.from(content)
      },
      writeFile: async (path: string, content: string) => void files.set(path, content),
      access: async (path: string) => {
        if (!files.has(path)) throw missing(path)
      },
      mkdir: async (path: string) => void done.push(`mkdir ${path}`)
    }
  }
}

describe("files of an extension", () => {
  it.scoped("are read, edited and written, and nothing else is touched", () =>
    Effect.gen(function* () {
      const tools = yield* setUp
      const files = new Map([["/far/a.txt", "one\r\ntwo\r\n"]])
      const { done, operations } = remote(files)
      const tool = (name: string) => call(tools, `create${name}Tool`, "/far", { operations })
      assert.strictEqual(
        textOf(yield* execute(tool("Read"), { path: "a.txt", limit: 1 })),
        "one\r\n\n[Showing lines 1-1 of 2. Use offset=2 to continue.]"
      )
      assert.strictEqual(
        yield* execute(tool("Read"), { path: "b.txt" }),
        "threw File not found: /far/b.txt (there is no folder /far to look into)"
      )
      yield* execute(tool("Edit"), { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] })
      assert.strictEqual(files.get("/far/a.txt"), "one\r\n2\r\n")
      yield* execute(tool("Write"), { path: "deep/c.txt", content: "c" })
      assert.deepStrictEqual([files.get("/far/deep/c.txt"), done], ["c", ["mkdir /far/deep"]])
      // No version of the far file is remembered: another program may have changed it.
      files.set("/far/a.txt", "changed")
      yield* execute(tool("Write"), { path: "a.txt", content: "mine" })
      assert.strictEqual(files.get("/far/a.txt"), "mine")
    })
  )

  it.scoped("large ones come in pieces", () =>
    Effect.gen(function* () {
      const tools = yield* setUp
      const line = `${"x".repeat(99)}\n`
      const { operations } = remote(new Map([["/far/big", line.repeat(5000)]]))
      const read = call(tools, "createReadTool", "/far", { operations })
      assert.match(String(textOf(yield* execute(read, { path: "big", offset: 4999 }))), /^(x{99}\n){2}$/)
    })
  )

  it.scoped("a listing asks for each name whether it is a folder", () =>
    Effect.gen(function* () {
      const tools = yield* setUp
      const operations = {
        exists: (path: string) => path !== "/far/none",
        stat: (path: string) => ({ isDirectory: () => !path.endsWith(".txt") }),
        readdir: () => ["b.txt", "A"]
      }
      const ls = call(tools, "createLsTool", "/far", { operations })
      assert.strictEqual(textOf(yield* execute(ls, {})), "A/\nb.txt")
      assert.match(String(yield* execute(ls, { path: "none" })), /^threw File not found: \/far\/none/)
      assert.match(String(yield* execute(ls, { path: "b.txt" })), /^threw Not a directory: \/far\/b\.txt/)
    })
  )

  it.scoped("grep looks through the local tree and reads with the extension", () =>
    Effect.gen(function* () {
      const { cwd, holder } = yield* RealBindings.make({ "src/a.txt": "local\n" })
      const operations = {
        isDirectory: (path: string) => !path.endsWith(".txt"),
        readFile: (path: string) => (path.endsWith("a.txt") ? "far away\n" : "")
      }
      const grep = call(ToolFactories.make(holder), "createGrepTool", cwd, { operations })
      assert.strictEqual(textOf(yield* execute(grep, { pattern: "far" })), "src/a.txt:1: far away")
      assert.strictEqual(textOf(yield* execute(grep, { pattern: "local" })), "No matches found")
    })
  )

  it.scoped("find asks the extension's glob", () =>
    Effect.gen(function* () {
      const tools = yield* setUp
      const asked: Array<ReadonlyArray<unknown>> = []
      const operations = {
        exists: (path: string) => path !== "/far/none",
        glob: (...call: ReadonlyArray<unknown>) => {
          asked.push(call)
          return ["/far/sub/a.ts", "b.ts"]
        }
      }
      const find = call(tools, "createFindTool", "/far", { operations })
      assert.strictEqual(textOf(yield* execute(find, { pattern: "*.ts", path: "sub" })), "a.ts\nb.ts")
      assert.deepStrictEqual(asked, [
        ["*.ts", "/far/sub", { ignore: ["**/node_modules/**", "**/.git/**"], limit: 1000 }]
      ])
      assert.match(
        String(textOf(yield* execute(find, { pattern: "*.ts", limit: 1 }))),
        /^sub\/a\.ts\n\n\[1 results limit reached/
      )
      assert.strictEqual(yield* execute(find, { pattern: "*", path: "none" }), "threw Path not found: /far/none")
      assert.match(String(yield* execute(find, {})), /^threw Invalid arguments for find/)
      const empty = call(tools, "createFindTool", "/far", { operations: { glob: () => [] } })
      assert.strictEqual(textOf(yield* execute(empty, { pattern: "*" })), "No files found matching pattern")
    })
  )
})

describe("commands of an extension", () => {
  const withExec = (
    exec: (command: string, cwd: string, options: ExecOptions) => Promise<{ readonly exitCode: number | null }>,
    more = {}
  ) => Effect.map(setUp, (tools) => call(tools, "createBashTool", "/far", { operations: { exec }, ...more }))

  it.scoped("get command, folder, timeout and environment; their output and code are the result", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const bash = yield* withExec(async (command, cwd, { env, onData, timeout }) => {
        asked.push([command, cwd, timeout, env?.["LOOM"]])
        onData(Buffer.from("out\n"))
        return { exitCode: 2 }
      })
      const outcome = yield* execute(bash, { command: "make", timeout: 9, env: { LOOM: "warp" } })
      assert.strictEqual(outcome, "threw out\n\nCommand exited with code 2")
      assert.deepStrictEqual(asked, [["make", "/far", 9, "warp"]])
    })
  )

  it.scoped("end as pi's operations say: aborted, timed out, without a code, or broken", () =>
    Effect.gen(function* () {
      const ended = (message: string) =>
        Effect.flatMap(
          withExec(() => Promise.reject(new Error(message))),
          (bash) => execute(bash, { command: "x", timeout: 5 })
        )
      assert.strictEqual(yield* ended("aborted"), "threw Command aborted")
      assert.strictEqual(yield* ended("timeout:5"), "threw Command timed out after 5 seconds")
      assert.strictEqual(yield* ended("connection lost"), "threw connection lost")
      const killed = yield* withExec(() => Promise.resolve({ exitCode: null }))
      assert.strictEqual(yield* execute(killed, { command: "x" }), "threw Command exited with code -1")
    })
  )

  it.scopedLive("that do not end are ended by our own clock, and see the signal", () =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const bash = yield* withExec((_, __, options) => {
        signal = options.signal
        return new Promise(() => {})
      })
      assert.strictEqual(yield* execute(bash, { command: "x", timeout: 1 }), "threw Command timed out after 1 seconds")
      assert.isTrue(signal?.aborted)
    })
  )

  it.scoped("long output is cut, and all of it is in a file", () =>
    Effect.gen(function* () {
      const bash = yield* withExec(async (_, __, { onData }) => {
        for (let n = 1; n <= 3000; n++) onData(Buffer.from(`${n}\n`))
        return { exitCode: 0 }
      })
      const result = yield* execute(bash, { command: "seq" })
      assert.match(
        String(textOf(result)),
        /^1001\n[\s\S]*3000\n+\[Showing lines 1001-3000 of 3000\. Full output: \S+\]$/
      )
      const path = String(get(get(result, "details"), "fullOutputPath"))
      const lines = yield* Effect.promise(() => Bun.file(path).text())
      assert.strictEqual(lines.split("\n").length, 3001)
    })
  )
})

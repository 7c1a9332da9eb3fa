/** The factories of pi over the built-in tools of a real machine. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as ToolFactories from "../../../../../src/layers/pi/modules/agent/ToolFactories.ts"
import { call, get } from "../../../../support/extensions/Calling.ts"
import * as RealBindings from "../../../../support/extensions/RealBindings.ts"
import * as Pictures from "../../../tools/Pictures.ts"

const textOf = (result: unknown): unknown => get(get(get(result, "content"), "0"), "text")

/** What a call of a tool ends with: its result, or the text of its error. */
const execute = (tool: unknown, params: object, signal?: AbortSignal, onUpdate?: (partial: unknown) => void) =>
  Effect.promise(async () => {
    try {
      return await call(tool, "execute", "c1", params, signal, onUpdate)
    } catch (error) {
      return error instanceof Error ? `threw ${error.message}` : error
    }
  })

const setUp = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const real = yield* RealBindings.make(files)
  return { ...real, tools: ToolFactories.make(real.holder) }
})

describe("the factories", () => {
  it.scoped("give pi's shape, with the words of the built-in tools", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp()
      const names = ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls"]
      for (const name of names) {
        for (const factory of [`create${name}Tool`, `create${name}ToolDefinition`]) {
          const tool = call(tools, factory, cwd)
          assert.deepStrictEqual([get(tool, "name"), get(tool, "label")], [name.toLowerCase(), name.toLowerCase()])
          assert.strictEqual(get(get(tool, "parameters"), "type"), "object")
          assert.isAbove(String(get(tool, "description")).length, 50)
        }
      }
      const sets = ["createCodingTools", "createReadOnlyTools"].map((set) =>
        Array.from(Object(call(tools, set, cwd)), (tool) => get(tool, "name"))
      )
      assert.deepStrictEqual(sets, [
        ["read", "bash", "edit", "write"],
        ["read", "grep", "find", "ls"]
      ])
    })
  )

  it.scoped("the tools run in their folder, throw when they fail, and can be spread", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp({ "a.txt": "one\ntwo\n", "sub/b.txt": "two\n" })
      const read = { ...Object(call(tools, "createReadTool", cwd)) }
      assert.deepStrictEqual(yield* execute(read, { path: "a.txt" }), {
        content: [{ type: "text", text: "one\ntwo\n" }],
        details: undefined
      })
      assert.match(String(yield* execute(read, { path: "no.txt" })), /^threw File not found: /)
      assert.match(String(yield* execute(read, {})), /^threw Invalid arguments for read: path/)
      assert.match(
        String(textOf(yield* execute(call(tools, "createGrepTool", cwd), { pattern: "two" }))),
        /a\.txt:2: two\nsub\/b\.txt:1: two/
      )
      assert.strictEqual(
        textOf(yield* execute(call(tools, "createFindTool", cwd), { pattern: "*.txt" })),
        "a.txt\nsub/b.txt"
      )
      assert.strictEqual(textOf(yield* execute(call(tools, "createLsTool", `${cwd}/sub`), {})), "b.txt")
      const edit = call(tools, "createEditTool", cwd)
      const edited = yield* execute(edit, { path: "a.txt", edits: [{ oldText: "one", newText: "ONE" }] })
      assert.strictEqual(get(get(edited, "details"), "firstChangedLine"), 1)
      yield* execute(call(tools, "createWriteTool", cwd), { path: "new/c.txt", content: "c" })
      assert.deepStrictEqual(
        [readFileSync(`${cwd}/a.txt`, "utf8"), readFileSync(`${cwd}/new/c.txt`, "utf8")],
        ["ONE\ntwo\n", "c"]
      )
    })
  )
})

describe("bash", () => {
  it.scopedLive("reports progress, and an abort ends it with all its processes", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp()
      const bash = call(tools, "createBashTool", cwd)
      const seen = yield* Deferred.make<unknown>()
      const controller = new AbortController()
      const onUpdate = (partial: unknown) => Deferred.unsafeDone(seen, Effect.succeed(textOf(partial)))
      const running = yield* Effect.fork(
        execute(bash, { command: "echo begun; sleep 60; touch late" }, controller.signal, onUpdate)
      )
      assert.strictEqual(yield* Deferred.await(seen), "begun\n")
      controller.abort()
      assert.strictEqual(yield* Fiber.join(running), "threw Operation aborted")
      assert.isFalse(existsSync(`${cwd}/late`))
    })
  )

  it.scopedLive("honours a prefix and a hook", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp({ "sub/x": "" })
      const spawnHook = (context: { readonly command: string; readonly env: Record<string, string> }) => ({
        command: `${context.command}; echo "$LOOM $PRE"`,
        cwd: `${cwd}/sub`,
        env: { ...context.env, LOOM: "warp" }
      })
      const bash = call(tools, "createBashTool", cwd, { commandPrefix: "PRE=weft", spawnHook })
      assert.strictEqual(textOf(yield* execute(bash, { command: "ls" })), "x\nwarp weft\n")
      const broken = call(tools, "createBashTool", cwd, {
        spawnHook: () => {
          throw new Error("not today")
        }
      })
      assert.strictEqual(yield* execute(broken, { command: "ls" }), "threw not today")
    })
  )

  it.scopedLive("local operations run commands, with their output, code, timeout and abort", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp()
      const operations = call(tools, "createLocalBashOperations")
      const exec = (command: string, options: object = {}) =>
        Effect.promise(async () => {
          let output = ""
          const onData = (data: Buffer) => (output += data.toString())
          const ended = await Promise.resolve(call(operations, "exec", command, cwd, { onData, ...options })).catch(
            String
          )
          return [output, ended]
        })
      assert.deepStrictEqual(yield* exec('echo "$LOOM"; exit 3', { env: { LOOM: "warp" } }), [
        "warp\n",
        { exitCode: 3 }
      ])
      assert.deepStrictEqual(yield* exec("sleep 60", { timeout: 0.05 }), ["", "Error: timeout:0.05"])
      assert.deepStrictEqual(yield* exec("sleep 60", { signal: AbortSignal.abort() }), ["", "Error: aborted"])
    })
  )
})

describe("withFileMutationQueue", () => {
  it.scoped("waits for the lock that edit and write use, on the real path", () =>
    Effect.gen(function* () {
      const { cwd, ledger, tools } = yield* setUp({ "a.txt": "one" })
      const order: Array<string> = []
      const letGo = yield* Deferred.make<void>()
      const holding = yield* Effect.fork(
        Deferred.await(letGo).pipe(
          Effect.zipRight(Effect.sync(() => order.push("holder"))),
          ledger.exclusively(`${cwd}/a.txt`)
        )
      )
      yield* Effect.yieldNow()
      const queued = call(tools, "withFileMutationQueue", `${cwd}/./a.txt`, async () => {
        order.push("extension")
        return 7
      })
      const other = call(tools, "withFileMutationQueue", `${cwd}/b.txt`, async () => order.push("other file"))
      yield* Effect.promise(async () => other)
      yield* Deferred.succeed(letGo, undefined)
      assert.strictEqual(yield* Effect.promise(async () => queued), 7)
      yield* Fiber.join(holding)
      assert.deepStrictEqual(order, ["other file", "holder", "extension"])
    })
  )

  it.scoped("gives the lock back when the work fails", () =>
    Effect.gen(function* () {
      const { cwd, tools } = yield* setUp()
      const failing = () => Promise.reject(new Error("no"))
      const run = (work: () => Promise<unknown>) =>
        Effect.promise(() => Promise.resolve(call(tools, "withFileMutationQueue", `${cwd}/a`, work)).catch(String))
      assert.strictEqual(yield* run(failing), "Error: no")
      assert.strictEqual(yield* run(() => Promise.resolve("yes")), "yes")
    })
  )
})

it.scoped("read hands large images out as they are if asked", () =>
  Effect.gen(function* () {
    const large = yield* Effect.promise(() => Pictures.png(2100, 4))
    const { cwd, tools } = yield* setUp({ "large.png": large, "a.txt": "text" })
    const imageOf = (result: unknown) => get(get(get(result, "content"), "1"), "data")
    const asIs = call(tools, "createReadTool", cwd, { autoResizeImages: false })
    assert.strictEqual(imageOf(yield* execute(asIs, { path: "large.png" })), large.toBase64())
    assert.strictEqual(textOf(yield* execute(asIs, { path: "a.txt" })), "text")
    assert.match(String(yield* execute(asIs, { path: "no.png" })), /^threw File not found/)
    assert.match(String(yield* execute(asIs, {})), /^threw Invalid arguments/)
    const scaled = yield* execute(call(tools, "createReadTool", cwd), { path: "large.png" })
    assert.notStrictEqual(imageOf(scaled), large.toBase64())
  })
)

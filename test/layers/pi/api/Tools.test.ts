import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { ToolOutput } from "../../../../src/domain/conversation/Message.ts"
import { ToolFailure } from "../../../../src/services/Tools.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const parameters = { type: "object", properties: { path: { type: "string" } } }
const context = { toolCallId: "c1", progress: () => Effect.void }
const source = Loaded.extension("/x/one.ts").sourceInfo

it.scoped("a tool keeps what its definition says", () =>
  Effect.gen(function* () {
    const { pi, tools } = yield* Loaded.make()
    pi.registerTool({
      name: "look",
      label: "Look",
      description: "Looks.",
      parameters,
      promptSnippet: "look: looks",
      promptGuidelines: ["Look twice", 5],
      executionMode: "sequential",
      prepareArguments: (args: unknown) => ({ prepared: args }),
      renderCall: () => assert.fail("rendered"),
      execute: () => undefined
    })
    pi.registerTool({ name: "bare", hidden: true, execute: () => undefined })
    const [look, bare] = tools.map(({ prepareArguments, ...rest }) => [
      { ...rest, execute: typeof rest.execute },
      prepareArguments?.(1)
    ])
    assert.deepStrictEqual(look, [
      {
        name: "look",
        label: "Look",
        description: "Looks.",
        parameters,
        promptSnippet: "look: looks",
        promptGuidelines: ["Look twice"],
        hidden: false,
        concurrency: "exclusive",
        source,
        execute: "function"
      },
      { prepared: 1 }
    ])
    assert.deepStrictEqual(bare, [
      {
        name: "bare",
        label: "bare",
        description: "",
        parameters: undefined,
        hidden: true,
        concurrency: "shared",
        source,
        execute: "function"
      },
      undefined
    ])
  })
)

it.scoped("a call gets id, arguments, signal, progress and a context; the result passes as it is", () =>
  Effect.gen(function* () {
    const { pi, tools } = yield* Loaded.make()
    const seen: Array<unknown> = []
    const result = { content: [{ type: "text", text: "done" }], details: { n: 1 }, terminate: true }
    class Looker {
      readonly name = "look"
      readonly found = result
      execute(id: string, args: unknown, signal: AbortSignal, onUpdate: unknown, ctx: { readonly cwd: string }) {
        seen.push([id, args, signal.aborted, typeof onUpdate, ctx.cwd])
        return this.found
      }
    }
    pi.registerTool(Object.assign({}, new Looker(), { execute: Looker.prototype.execute }))
    const [tool] = tools
    assert.deepStrictEqual(yield* tool?.execute({ path: "a" }, context) ?? Effect.void, result)
    assert.deepStrictEqual(seen, [["c1", { path: "a" }, false, "function", "/project"]])
  })
)

it.scoped("what a tool throws is a failure that the model reads", () =>
  Effect.gen(function* () {
    const { pi, tools } = yield* Loaded.make()
    pi.registerTool({
      name: "bad",
      execute: async () => {
        throw new Error("no such file")
      }
    })
    const failure = yield* Effect.flip(tools[0]?.execute({}, context) ?? Effect.void)
    assert.deepStrictEqual(failure, new ToolFailure({ message: "no such file" }))
  })
)

it.scoped("an interrupt aborts the signal of the call and withdraws its dialogs", () =>
  Effect.gen(function* () {
    const opened = yield* Deferred.make<void>()
    const withdrawn = yield* Deferred.make<void>()
    const { pi, tools } = yield* Loaded.make({
      ui: {
        confirm: () =>
          Effect.zipRight(Deferred.succeed(opened, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(withdrawn, undefined))
          )
      }
    })
    let signal: AbortSignal | undefined
    pi.registerTool({
      name: "ask",
      execute: async (
        _id: string,
        _args: unknown,
        given: AbortSignal,
        _onUpdate: unknown,
        ctx: { readonly ui: { readonly confirm: (title: string, message: string) => Promise<boolean> } }
      ) => {
        signal = given
        await ctx.ui.confirm("Sure?", "")
      }
    })
    const fiber = yield* Effect.fork(tools[0]?.execute({}, context) ?? Effect.void)
    yield* Deferred.await(opened)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(withdrawn)
    assert.strictEqual(signal?.aborted, true)
  })
)

it.scoped("progress goes out one at a time, the newest last; garbage and what comes after the end are dropped", () =>
  Effect.gen(function* () {
    const { pi, tools } = yield* Loaded.make()
    const gate = yield* Deferred.make<void>()
    const shown: Array<ToolOutput> = []
    let late: ((partial: unknown) => void) | undefined
    pi.registerTool({
      name: "slow",
      execute: (_id: string, _args: unknown, _signal: AbortSignal, onUpdate: (partial: unknown) => void) => {
        for (const text of ["one", "two", "three"]) onUpdate({ content: [{ type: "text", text }], details: { text } })
        onUpdate("garbage")
        onUpdate({ content: [{ type: "movie" }] })
        late = onUpdate
        return { content: "done" }
      }
    })
    const progress = (output: ToolOutput) =>
      Effect.zipRight(
        Effect.sync(() => shown.push(output)),
        Deferred.await(gate)
      )
    yield* tools[0]?.execute({}, { toolCallId: "c1", progress }) ?? Effect.void
    late?.({ content: "late" })
    yield* Deferred.succeed(gate, undefined)
    yield* Effect.yieldNow()
    assert.deepStrictEqual(
      shown.map(({ details }) => details),
      [{ text: "one" }, { text: "three" }]
    )
  })
)

it.scoped("a second tool of the same name replaces the extension's own; one of another extension is reported", () =>
  Effect.gen(function* () {
    const one = yield* Loaded.make()
    const other = yield* Loaded.add(one, { shared: one.shared, path: "/x/two.ts" })
    one.pi.registerTool({ name: "t", description: "old", execute: () => undefined })
    one.pi.registerTool({ name: "t", description: "newer", execute: () => undefined })
    other.pi.registerTool({ name: "t", description: "other", execute: () => undefined })
    assert.deepStrictEqual(
      one.tools.map(({ description }) => description),
      ["newer"]
    )
    assert.deepStrictEqual(one.hooks.reports, [
      { name: "/x/two.ts", event: "registerTool", message: "There is a tool t." }
    ])
    yield* other.close
    assert.strictEqual(one.tools.length, 1)
  })
)

it.scoped("tools are listed with where they come from, and activated by name", () =>
  Effect.gen(function* () {
    const { notes, pi } = yield* Loaded.make()
    pi.registerTool({ name: "t", description: "T.", execute: () => undefined })
    assert.deepStrictEqual(pi.getActiveTools(), ["read", "t"])
    assert.deepStrictEqual(pi.getAllTools(), [
      {
        name: "read",
        description: "Reads.",
        parameters: { type: "object" },
        exposure: "direct",
        sourceInfo: { path: "<builtin:read>", source: "builtin", scope: "temporary", origin: "top-level" }
      },
      { name: "t", description: "T.", parameters: {}, exposure: "direct", sourceInfo: source }
    ])
    pi.setActiveTools(["read"])
    assert.deepStrictEqual(notes, [["setActive", ["read"]]])
  })
)

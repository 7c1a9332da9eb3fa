import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { CompactionFailed } from "../../../../src/services/session/modules/Compaction.ts"
import * as ScriptedModel from "../../../support/agent/ScriptedModel.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const { model } = ScriptedModel

describe("state", () => {
  it.scoped("is read from the session at the moment of the question", () =>
    Effect.gen(function* () {
      const { agent, ctx, ports } = yield* Loaded.make()
      const { cwd, hasUI, isIdle, isProjectTrusted, mode } = ctx
      assert.deepStrictEqual([mode, cwd, hasUI, isIdle(), isProjectTrusted()], ["rpc", "/project", true, true, false])
      assert.deepStrictEqual(
        [ctx.model, ctx.thinkingLevel, ctx.scopedModels, ctx.signal],
        [model, "off", [], undefined]
      )
      assert.strictEqual(ctx.getSystemPrompt(), yield* ports.instructions.current)
      assert.deepStrictEqual(ctx.getSystemPromptOptions(), { cwd: "/project" })
      assert.strictEqual(ctx.hasPendingMessages(), false)
      yield* agent.enqueue("followUp", { text: "later" })
      assert.strictEqual(ctx.hasPendingMessages(), true)
    })
  )

  it.scoped("the size of the context is counted as the agent counts it, and unknown after a compaction", () =>
    Effect.gen(function* () {
      const { ctx, session } = yield* Loaded.make()
      const { id } = yield* session.append({
        type: "message",
        message: { role: "user", content: [{ type: "text", text: "x".repeat(400) }], timestamp: 1 }
      })
      assert.deepStrictEqual(ctx.getContextUsage(), { tokens: 100, contextWindow: 1000, percent: 10 })
      yield* session.append({ type: "compaction", summary: "s", firstKeptEntryId: id, tokensBefore: 100 })
      assert.deepStrictEqual(ctx.getContextUsage(), { tokens: null, contextWindow: 1000, percent: null })
    })
  )
})

describe("runs", () => {
  it.scoped("abort ends the run, and the signal of the run is aborted when that is told", () =>
    Effect.gen(function* () {
      const { agent, ctx, hooks } = yield* Loaded.make({ turns: [{ events: [], after: "hang" }] })
      yield* agent.prompt({ text: "go" })
      assert.strictEqual(ctx.isIdle(), false)
      const { signal } = ctx
      assert.strictEqual(signal?.aborted, false)
      ctx.abort()
      yield* agent.awaitIdle
      yield* hooks.ask("RunSettled", { _tag: "RunSettled", runId: "r", aborted: true })
      assert.deepStrictEqual([signal?.aborted, ctx.isIdle(), ctx.signal], [true, true, undefined])
    })
  )

  it.scoped("the signal is also aborted with the call that asked for it, and not by a run that ends well", () =>
    Effect.gen(function* () {
      const { agent, call, ctx, hooks } = yield* Loaded.make({ turns: [{ events: [], after: "hang" }] })
      yield* agent.prompt({ text: "go" })
      const { signal } = ctx
      assert.strictEqual(hooks.count("RunSettled"), 1)
      yield* hooks.ask("RunSettled", { _tag: "RunSettled", runId: "r", aborted: false })
      assert.strictEqual(signal?.aborted, false)
      call.abort()
      assert.strictEqual(signal?.aborted, true)
    })
  )

  it.scoped("shutdown asks the process to end, from outside the session", () =>
    Effect.gen(function* () {
      const { ctx, notes } = yield* Loaded.make()
      ctx.shutdown()
      assert.deepStrictEqual(notes, [["shutdown"]])
    })
  )
})

describe("compact", () => {
  const result = { summary: "s", firstKeptEntryId: "e", tokensBefore: 1 }
  const compacting = (compact: Effect.Effect<typeof result, CompactionFailed>) =>
    Loaded.make({ ports: ({ agent }) => ({ agent: { ...agent, compact: () => compact } }) })

  it.scoped("tells its callbacks how it went", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const done = yield* Deferred.make<void>()
      const good = yield* compacting(Effect.succeed(result))
      good.ctx.compact({ onComplete: (given: unknown) => seen.push(given) })
      const failed = new CompactionFailed({ reason: "nothing_to_compact", message: "too small" })
      const bad = yield* compacting(Effect.fail(failed))
      bad.ctx.compact({
        onError: ({ message }: Error) => {
          seen.push(message)
          Deferred.unsafeDone(done, Effect.void)
        }
      })
      yield* Deferred.await(done)
      assert.deepStrictEqual(seen, [result, "too small"])
      assert.deepStrictEqual(bad.hooks.reports, [])
    })
  )

  it.scoped("without callbacks a failure is reported, and so is a callback that throws", () =>
    Effect.gen(function* () {
      const failed = new CompactionFailed({ reason: "nothing_to_compact", message: "too small" })
      const bad = yield* compacting(Effect.fail(failed))
      bad.ctx.compact()
      const good = yield* compacting(Effect.succeed(result))
      good.ctx.compact({
        onComplete: () => {
          throw new Error("callback")
        }
      })
      yield* Effect.yieldNow()
      assert.deepStrictEqual(
        [...bad.hooks.reports, ...good.hooks.reports].map(({ event, message }) => [event, message]),
        [
          ["compact", "too small"],
          ["compact", "callback"]
        ]
      )
    })
  )
})

describe("modelRegistry", () => {
  it.scoped("finds models, and hands out keys", () =>
    Effect.gen(function* () {
      const { ctx } = yield* Loaded.make()
      const registry = ctx.modelRegistry
      assert.deepStrictEqual(
        [
          registry.find("scripted", "test-model"),
          registry.find("scripted", "other"),
          registry.getAll(),
          registry.getAvailable(),
          registry.isUsingOAuth(model),
          registry.hasConfiguredAuth(model),
          registry.hasConfiguredAuth({ provider: "other" }),
          registry.getError(),
          registry.getProviderDisplayName("p")
        ],
        [model, undefined, [model], [model], false, true, false, undefined, "p"]
      )
      const asked = [
        registry.getApiKeyAndHeaders(model),
        registry.getApiKeyForProvider("scripted"),
        registry.getApiKeyForProvider("other"),
        registry.getApiKey(model),
        registry.refresh()
      ]
      assert.deepStrictEqual(yield* Effect.promise(() => Promise.all(asked)), [
        { ok: true, apiKey: "key" },
        "key",
        undefined,
        "key",
        undefined
      ])
      const unknown = yield* Loaded.rejected(registry.getApiKeyAndHeaders({ provider: "p", id: "m" }))
      assert.strictEqual(unknown, "Model not found: p/m")
    })
  )

  it.scoped("has the old store of credentials, for reading only", () =>
    Effect.gen(function* () {
      const { authStorage } = (yield* Loaded.make()).ctx.modelRegistry
      assert.deepStrictEqual(
        [authStorage.get("scripted"), authStorage.get("other"), authStorage.has("scripted"), authStorage.list()],
        [{ type: "api_key", key: "key" }, undefined, true, []]
      )
      assert.match(Loaded.thrown(authStorage.set), /heddle auth/)
    })
  )

  it.scoped("calls models with pi's context", () =>
    Effect.gen(function* () {
      const { ctx, notes } = yield* Loaded.make()
      const context = { systemPrompt: "Be brief.", messages: [] }
      const events: Array<unknown> = []
      yield* Effect.promise(async () => {
        for await (const event of ctx.modelRegistry.streamSimple(model, context, { maxTokens: 5 })) events.push(event)
      })
      const answer = yield* Effect.promise(() => ctx.modelRegistry.complete(model, context))
      assert.deepStrictEqual(answer.content, [{ type: "text", text: "scripted" }])
      assert.deepInclude(events[0], { type: "done" })
      assert.deepStrictEqual(notes, [
        ["call", "test-model", context, { maxTokens: 5 }],
        ["ran"],
        ["call", "test-model", context, {}],
        ["ran"]
      ])
      assert.strictEqual(
        yield* Loaded.rejected(ctx.modelRegistry.completeSimple({}, context)),
        "Model not found: undefined/undefined"
      )
    })
  )
})

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { Session } from "../../src/services/session/Session.ts"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import {
  Agent,
  Content,
  Heddle,
  JsonlSessionStore,
  ModelClient,
  ModelEvent,
  Sessions,
  SessionStore,
  Tool
} from "../../src/index.ts"
import * as EventLoop from "../../src/layers/machine/engine/EventLoop.ts"
import { Environment } from "../../src/layers/machine/processes/Environment.ts"
import { FixedIds, ScriptedModel } from "../../src/testing.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { call, say } = ScriptedModel

const scripted = (turns: ReadonlyArray<ScriptedModel.ScriptedTurn>, options: Heddle.HeddleOptions = {}) =>
  Effect.map(ScriptedModel.make(turns), (script) => ({
    ...script,
    agent: Heddle.layer({ provider: script.provider, ...options })
  }))

const recorded = readFileSync(resolve(import.meta.dirname, "../support/streams/anthropic.sse"), "utf8")
const answer = LoopbackModel.sse(recorded)

const noVariables = Layer.succeed(Environment, { get: () => undefined })

it.scopedLive("asks a model of Anthropic through its SDK, with key, system prompt, tools and thinking level", () =>
  Effect.gen(function* () {
    const { baseUrl, requests } = yield* LoopbackModel.make(answer)
    const agent = Heddle.layer({
      model: "anthropic/claude-haiku-4-5",
      apiKey: Redacted.make("sk-test"),
      baseUrl,
      systemPrompt: "You weave.",
      thinkingLevel: "low",
      tools: ["read"],
      settings: { maxTurns: 1, "retry.enabled": false }
    })
    const asked = yield* Effect.either(Effect.provide(Heddle.ask("Which files?"), agent))
    assert.isDefined(asked)
    const { body, headers, path } = yield* requests.take
    assert.deepInclude({ path, key: headers["x-api-key"] }, { path: "/v1/messages", key: "sk-test" })
    const sent = JSON.stringify(body)
    assert.include(sent, "You weave.")
    assert.include(sent, '"name":"read"')
    assert.notInclude(sent, '"name":"bash"')
    assert.include(sent, '"thinking"')
    assert.include(sent, "Which files?")
  })
)

const textOnly = LoopbackModel.sse(
  ...[
    { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 3 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Warp and " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "weft." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" }
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
)

it.scopedLive("returns the answer, takes the key from the environment, and keeps the conversation", () =>
  Effect.gen(function* () {
    const { baseUrl, requests } = yield* LoopbackModel.make(textOnly)
    const variables = new Map([["ANTHROPIC_API_KEY", "sk-environment"]])
    const environment = Layer.succeed(Environment, { get: (name) => variables.get(name) })
    const agent = Heddle.layer({ model: "anthropic/claude-haiku-4-5", baseUrl }).pipe(Layer.provide(environment))
    const both = yield* Effect.provide(
      Effect.all([Heddle.ask("What is cloth?"), Heddle.ask("Once more")]),
      Layer.merge(agent, environment)
    )
    assert.deepStrictEqual(both, ["Warp and weft.", "Warp and weft."])
    const first = yield* requests.take
    assert.strictEqual(first.headers["x-api-key"], "sk-environment")
    assert.include(JSON.stringify((yield* requests.take).body), "What is cloth?")
  })
)

it.effect("says what is wrong with a model, a key or a tool", () =>
  Effect.gen(function* () {
    const fail = (options: Heddle.HeddleOptions) =>
      Effect.flip(Effect.provide(Heddle.ask("Hi"), Layer.merge(Heddle.layer(options), noVariables)))
    const unknown = yield* fail({ model: "nobody/claude-none" })
    assert.strictEqual(unknown._tag, "UnknownModel")
    assert.include(unknown.message, "claude-none")
    const keyless = yield* fail({ model: "anthropic/claude-haiku-4-5" })
    assert.strictEqual(keyless._tag, "MissingCredentials")
    assert.include(keyless.message, "ANTHROPIC_API_KEY")
    const tool = yield* fail({ model: "offline/guide", tools: ["hammer"] })
    assert.strictEqual(tool._tag, "UnknownTool")
    assert.include(tool.message, "unknown tool: hammer (there are read, bash")
  })
)

it.effect("a provider of the program gives a Stream, also of texts", () =>
  Effect.gen(function* () {
    const provider = Heddle.provider({
      id: "parrot",
      stream: ({ messages }) => Heddle.answerOf(Stream.make("I was sent ", `${messages.length} message(s).`))
    })
    const agent = Heddle.layer({ provider })
    assert.strictEqual(yield* Effect.provide(Heddle.ask("Hello"), agent), "I was sent 1 message(s).")
  })
)

it.effect("a tool from a Schema gets what the Schema decodes, and the ids of calls differ", () =>
  Effect.gen(function* () {
    const got: Array<unknown> = []
    const add = Heddle.tool({
      name: "add",
      description: "Adds a day.",
      parameters: Schema.Struct({ day: Schema.NumberFromString }),
      label: "Add",
      run: ({ day }) => {
        got.push(day)
        return Effect.succeed(Tool.textOutput(`day ${day + 1}`))
      }
    })
    assert.deepInclude(add, { name: "add", label: "Add" })
    const provider = Heddle.provider({
      id: "calls",
      stream: ({ messages }) =>
        messages.length > 1
          ? Heddle.answerOf(Stream.make("done"))
          : Heddle.callOf({ name: "add", arguments: { day: "6" } }, { name: "add", arguments: { day: "six" } })
    })
    const agent = Heddle.layer({ provider, hostTools: [add] })
    const { messages } = yield* Effect.provide(Effect.zipRight(Heddle.ask("Add"), Session), agent)
    const results = (yield* messages).flatMap((message) => (message.role === "toolResult" ? [message] : []))
    assert.deepStrictEqual(got, [6])
    assert.strictEqual(new Set(results.map(({ toolCallId }) => toolCallId)).size, 2)
    const texts = results.map(({ content }) => Content.plainText(content))
    assert.include(texts, "day 7")
    assert.isTrue(texts.some((text) => text.startsWith("Invalid arguments for add: day: ")))
  })
)

it.effect("events come from constructors, and need no types", () =>
  Effect.gen(function* () {
    const { BlockEnded, Delta, Finished, TextStarted, ThinkingStarted, UsageReported } = ModelEvent
    const events = Stream.make(
      ThinkingStarted(),
      Delta({ delta: "Hm." }),
      BlockEnded({ signature: "s" }),
      TextStarted(),
      Delta({ delta: "Loom" }),
      BlockEnded({}),
      UsageReported({ tokens: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 } }),
      Finished({ stopReason: "stop" })
    )
    const provider = Heddle.provider({ id: "own", stream: () => events })
    assert.strictEqual(yield* Effect.provide(Heddle.ask("Hi"), Heddle.layer({ provider })), "Loom")
  })
)

it.effect("sessions of the front have conversations, runs and tools of their own", () =>
  Effect.gen(function* () {
    const provider = Heddle.provider({
      id: "parrot",
      stream: ({ messages, tools }) => Heddle.answerOf(Stream.make(`${messages.length} of ${tools.length}`))
    })
    const answers = yield* Effect.gen(function* () {
      const { current, open } = yield* Sessions.Sessions
      const store = yield* SessionStore.SessionStore
      const all = [yield* current, yield* open(store.create({})), yield* open(store.create({}))]
      const ask = (session: (typeof all)[number]) => Effect.provide(Heddle.ask("Hi"), session)
      const first = yield* Effect.forEach(all, ask, { concurrency: "unbounded" })
      return [...first, yield* ask(yield* current)]
    }).pipe(Effect.scoped, Effect.provide(Heddle.sessions({ provider, tools: ["ls"] })))
    assert.deepStrictEqual(answers, ["1 of 1", "1 of 1", "1 of 1", "3 of 1"])
    const unknown = Effect.provide(Sessions.Sessions, Heddle.sessions({ provider, tools: ["hammer"] }))
    assert.strictEqual((yield* Effect.flip(unknown))._tag, "UnknownTool")
  })
)

it.effect("a Stream that fails for good fails the question; one without its end, too", () =>
  Effect.gen(function* () {
    const failure = new ModelClient.ModelFailure({
      reason: "invalid_request",
      message: "No such weave",
      provider: "own",
      model: "default"
    })
    const settings = { "retry.enabled": false }
    const broken = Heddle.provider({ id: "own", stream: () => Stream.fail(failure) })
    const failed = yield* Effect.flip(Effect.provide(Heddle.ask("Hi"), Heddle.layer({ provider: broken, settings })))
    assert.deepInclude(failed, { _tag: "AskFailed", status: "error", message: "No such weave", retryable: false })
    const endless = Heddle.provider({ id: "own", stream: () => Stream.make({ _tag: "TextStarted" } as const) })
    const cut = yield* Effect.flip(Effect.provide(Heddle.ask("Hi"), Heddle.layer({ provider: endless, settings })))
    assert.deepInclude(cut, { _tag: "AskFailed", status: "error" })
  })
)

it.effect("an interrupt of the question aborts the run and interrupts the Stream", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const provider = Heddle.provider({
      id: "slow",
      stream: () =>
        Stream.fromEffect(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)).pipe(
          Stream.ensuring(Deferred.succeed(closed, undefined))
        )
    })
    yield* Effect.gen(function* () {
      const asking = yield* Effect.fork(Heddle.ask("Hi"))
      yield* Deferred.await(begun)
      const busy = yield* Effect.flip(Heddle.ask("Me, too"))
      assert.strictEqual(busy._tag, "AgentBusy")
      yield* Fiber.interrupt(asking)
      yield* Deferred.await(closed)
      const { state } = yield* Agent.Agent
      assert.isFalse((yield* state).isStreaming)
    }).pipe(Effect.provide(Heddle.layer({ provider })))
  })
)

it.effect("a spent budget fails with its code", () =>
  Effect.gen(function* () {
    const { agent } = yield* scripted([call(["a", "ls", { path: "." }]), say("never said")], {
      budget: { maxToolCalls: 0 }
    })
    const failed = yield* Effect.flip(Effect.provide(Heddle.ask("Hi"), agent))
    assert.strictEqual(failed._tag === "AskFailed" ? failed.code : failed._tag, "budget_exceeded")
  })
)

it.effect("events end with the end of the prompt; closing them early aborts the run", () =>
  Effect.gen(function* () {
    const { agent, open } = yield* scripted([say("Hello"), { events: [{ _tag: "TextStarted" }], after: "hang" }])
    yield* Effect.gen(function* () {
      const tags = Array.from(yield* Stream.runCollect(Heddle.events("Hi")), ({ _tag }) => _tag)
      assert.deepStrictEqual([tags[0], tags.at(-1)], ["RunStarted", "PromptFinished"])
      yield* Stream.runDrain(Stream.takeUntil(Heddle.events("Again"), ({ _tag }) => _tag === "TurnStarted"))
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(open, (count) => count === 0) })
      const { state } = yield* Agent.Agent
      assert.isFalse((yield* state).isStreaming)
    }).pipe(Effect.provide(agent))
  })
)

it.scopedLive("a store of files keeps the session, and ids may be counted", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-front-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const { agent } = yield* scripted([say("Stored")], {
      store: JsonlSessionStore.layerIn({ folder: join(folder, "kept"), cwd: folder }),
      ids: FixedIds.layer,
      cwd: folder
    })
    const listed = yield* Effect.gen(function* () {
      yield* Heddle.ask("Keep this")
      return yield* Effect.flatMap(SessionStore.SessionStore, ({ list }) => list)
    }).pipe(Effect.provide(agent))
    assert.deepStrictEqual(
      listed.map(({ sessionId }) => sessionId),
      ["session-1"]
    )
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
    assert.strictEqual(files.length, 1)
    assert.include(readFileSync(join(folder, files[0] ?? ""), "utf8"), "Keep this")
  })
)

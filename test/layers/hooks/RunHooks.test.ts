/** Hooks of a run: what they change is in the request, in the conversation, or in both. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Predicate, Schema } from "effect"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import { type AgentMessage, type AssistantMessage, userMessage } from "../../../src/domain/conversation/Message.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import type { HookPoint } from "../../../src/services/hooks/HookPoints.ts"
import { SessionHooks } from "../../../src/services/hooks/Hooks.ts"
import { ModelClient } from "../../../src/services/model/ModelClient.ts"
import { output, summary, tool } from "../../support/agent/AgentHarness.ts"
import { violations } from "../../support/agent/EventGrammar.ts"
import { call, say } from "../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../support/agent/TestAgent.ts"
import { settle } from "../../support/hooks/RelayHarness.ts"
import * as Loopback from "../../support/LoopbackModel.ts"
import { chat, connection, model as modelOf } from "../providers/protocols/support.ts"

const works = tool("works", () => Effect.succeed(output("done")))
const ask = ({ agent }: TestAgent.TestAgent, text: string) => Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)
const textOf = ({ role, ...message }: AgentMessage) =>
  `${role} ${"content" in message && typeof message.content !== "string" ? plainText(message.content) : ""}`

describe("runStarting", () => {
  it.scoped("replaces the system prompt for one run, in all its calls", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const made = yield* TestAgent.make(
        { turns: [call(["c", "works", {}]), say("1"), say("2")], tools: [works] },
        {
          hooks: {
            runStarting: ({ systemPrompt, text }) => {
              seen.push(systemPrompt)
              return text === "first" ? { systemPrompt: "Only this." } : undefined
            }
          }
        }
      )
      const own = yield* made.instructions.current
      yield* ask(made, "first")
      assert.strictEqual(yield* made.instructions.current, own)
      yield* ask(made, "second")
      const sent = (yield* made.script.requests).map(({ systemPrompt }) => systemPrompt)
      assert.deepStrictEqual(
        [sent, seen],
        [
          ["Only this.", "Only this.", own],
          [own, own]
        ]
      )
    })
  )

  it.scoped("an abort meanwhile ends the hook: the run has its prompt and is aborted", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const hang = Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
      const made = yield* TestAgent.make({}, { hooks: { runStarting: () => hang } })
      yield* made.agent.prompt({ text: "go" })
      yield* Deferred.await(began)
      yield* made.agent.abort()
      assert.deepStrictEqual((yield* made.session.messages).map(textOf), ["user go", "assistant "])
      assert.deepStrictEqual(violations(made.events), [])
    })
  )
})

it.scoped("context changes what one call is sent, and nothing else", () =>
  Effect.gen(function* () {
    const given: Array<ReadonlyArray<string>> = []
    const made = yield* TestAgent.make(
      { turns: [call(["c", "works", {}]), say("1")], tools: [works] },
      {
        hooks: {
          context: ({ messages }) => {
            given.push(messages.map(textOf))
            return given.length === 1 ? { messages: [...messages, userMessage("and this", [], 0)] } : undefined
          }
        }
      }
    )
    yield* ask(made, "go")
    const sent = (yield* made.script.requests).map(({ messages }) => messages.map(textOf))
    const later = ["user go", "assistant ", "toolResult done"]
    assert.deepStrictEqual(sent, [["user go", "user and this"], later])
    assert.deepStrictEqual(given, [["user go"], later])
    assert.deepStrictEqual((yield* made.session.messages).map(textOf), [...later, "assistant 1"])
  })
)

it.scoped("requests to a provider and its answers pass the hooks of the session", () =>
  Effect.gen(function* () {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const server = yield* Loopback.make(
      Loopback.sse(chunk({ content: "hi" }, null), chunk({}, "stop"), "data: [DONE]\n\n")
    )
    const seen: Array<unknown> = []
    const model = modelOf({ baseUrl: server.baseUrl, api: chat.api })
    const made = yield* TestAgent.make(
      {},
      {
        client: () => ModelClient.of({ stream: (request) => chat.stream({ ...request, model }, connection()) }),
        hooks: {
          providerRequest: ({ model, payload }) => {
            seen.push(model.id)
            return { payload: { ...(Predicate.isReadonlyRecord(payload) ? payload : {}), seed: 7 } }
          },
          providerResponse: ({ headers, status }) => void seen.push(status, headers["content-type"])
        }
      }
    )
    yield* ask(made, "go")
    const { body } = yield* server.requests.take
    assert.deepInclude(Schema.decodeUnknownSync(Schema.Struct({ seed: Schema.Int }))(body), { seed: 7 })
    assert.deepStrictEqual(seen, ["m1", 200, "text/event-stream"])
    assert.include(summary(made.events), "PromptFinished:completed")
  })
)

describe("messageEnding", () => {
  it.scoped("replaces the answer before it is stored, told or sent again; its calls stay", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const made = yield* TestAgent.make(
        { turns: [call(["c", "works", {}]), say("secret"), say("3")], tools: [works] },
        {
          hooks: {
            messageEnding: ({ message }) => {
              said.push(textOf(message))
              if (message.role !== "assistant") return { message: { ...message, timestamp: 99 } }
              const changed: AssistantMessage = { ...message, content: [{ type: "text", text: "***" }] }
              return { message: changed }
            }
          }
        }
      )
      yield* ask(made, "go")
      const expected = ["user go", "assistant ***", "toolResult done", "assistant ***"]
      assert.deepStrictEqual((yield* made.session.messages).map(textOf), expected)
      const told = made.events.flatMap((event) => (event._tag === "MessageEnded" ? [textOf(event.message)] : []))
      assert.deepStrictEqual(told, expected)
      const run = made.events.find(({ _tag }) => _tag === "RunEnded")
      assert.deepStrictEqual(run?._tag === "RunEnded" ? run.messages : [], yield* made.session.messages)
      // Of messages that were stored before hooks are told, these see what there is.
      assert.deepStrictEqual(said, ["user go", "assistant ", "toolResult done", "assistant secret"])
      assert.isTrue((yield* made.session.messages).every(({ timestamp }) => timestamp === 0))
    })
  )

  it.scoped("an answer of another role is refused, and says whose it was", () =>
    Effect.gen(function* () {
      const made = yield* TestAgent.make(
        { turns: [say("1")] },
        { hooks: { messageEnding: () => ({ message: userMessage("other", [], 0) }) } }
      )
      yield* ask(made, "go")
      assert.deepStrictEqual((yield* made.session.messages).map(textOf), ["user go", "assistant 1"])
      assert.deepStrictEqual(
        made.events.filter(({ _tag }) => _tag === "ExtensionFailed"),
        [
          {
            _tag: "ExtensionFailed",
            extensionPath: "test",
            event: "messageEnding",
            error: "a message of the role assistant was answered with one of the role user"
          }
        ]
      )
      assert.deepStrictEqual(violations(made.events), [])
    })
  )

  it.scoped("an abort meanwhile stores the answer as it was, once", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const made = yield* TestAgent.make(
        { turns: [say("whole")] },
        {
          hooks: {
            messageEnding: ({ message }) =>
              message.role === "assistant" && message.stopReason === "stop"
                ? Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
                : undefined
          }
        }
      )
      yield* made.agent.prompt({ text: "go" })
      yield* Deferred.await(began)
      yield* made.agent.abort()
      assert.deepStrictEqual((yield* made.session.messages).map(textOf), ["user go", "assistant whole"])
      assert.deepStrictEqual(violations(made.events), [])
    })
  )
})

const everyPoint: ReadonlyArray<HookPoint> = [
  "input",
  "runStarting",
  "context",
  "messageEnding",
  "toolResult",
  "RunStarted",
  "MessageUpdated",
  "ToolEnded",
  "RunEnded"
]

it.scoped("at every point hooks run in load order, each failure is reported, and the run ends as without them", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const noting = (name: string) =>
      HookLayer.contributor({
        name,
        join: () => Effect.flatMap(joinAll(name), () => Effect.void)
      })
    const joinAll = (name: string) =>
      Effect.flatMap(SessionHooks, ({ join }) =>
        Effect.map(join(name), (registration) => {
          for (const point of everyPoint) {
            registration.on(point, () => {
              log.push(`${point} ${name}`)
              return Effect.fail({ message: `${name} broke` })
            })
          }
        })
      )
    const contributors = noting("second").pipe(Layer.provide(noting("first")))
    const made = yield* TestAgent.make(
      { turns: [call(["c", "works", {}]), say("1")], tools: [works] },
      { contributors }
    )
    yield* ask(made, "go")
    yield* settle
    for (const point of everyPoint) {
      const called = log.filter((line) => line.startsWith(`${point} `))
      assert.isAbove(called.length, 1, point)
      assert.deepStrictEqual(
        called,
        Array.from({ length: called.length }, (_, index) => `${point} ${index % 2 === 0 ? "first" : "second"}`)
      )
    }
    const reported = made.events.flatMap((event) =>
      event._tag === "ExtensionFailed" ? [`${event.event} ${event.extensionPath}: ${event.error}`] : []
    )
    assert.sameMembers(
      reported,
      log.map((line) => `${line}: ${line.split(" ")[1]} broke`)
    )
    assert.deepStrictEqual((yield* made.session.messages).map(textOf), [
      "user go",
      "assistant ",
      "toolResult done",
      "assistant 1"
    ])
    assert.deepStrictEqual(violations(made.events), [])
  })
)

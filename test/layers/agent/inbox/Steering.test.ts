import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { type InputContent, text } from "../../../../src/domain/conversation/Content.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import * as Messages from "../../../../src/layers/agent/inbox/Messages.ts"
import type { Agent, QueueFull, QueueRefused } from "../../../../src/services/Agent.ts"
import type { NewEntry } from "../../../../src/domain/session/SessionEntry.ts"
import { keepingProgress } from "../../../../src/services/Tools.ts"
import { defaults, type InterruptMode } from "../../../../src/services/Settings.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call, failure, model, say } from "../../../support/agent/ScriptedModel.ts"
import { zero } from "../../../../src/domain/model/Usage.ts"

const { output, resultTexts, tool } = Harness
type Service = typeof Agent.Service

const skipped = "Skipped due to queued user message."
const half = `half\n\n${skipped}`
const steer = (agent: Service) => agent.enqueue("steering", { text: "S" })
const immediate = { interruptMode: "immediate" } as const

/** `gate` ends when it is told to, `stuck` only when it is interrupted, `quick` at once. */
const withTools = <A, E>(
  body: (
    tools: ReadonlyArray<ReturnType<typeof tool>>,
    gate: Deferred.Deferred<void>,
    begun: Deferred.Deferred<void>
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const tools = [
      tool("gate", () => Effect.as(Deferred.await(gate), output("gate done"))),
      tool("stuck", (_, context) =>
        keepingProgress(context, ({ progress }) =>
          Effect.zipRight(progress(output("half")), Deferred.succeed(begun, undefined)).pipe(
            Effect.zipRight(Effect.never)
          )
        )
      ),
      tool("quick", () => Effect.succeed(output("quick done"))),
      tool("alone", () => Effect.succeed(output("alone done")), { concurrency: "exclusive" })
    ]
    return yield* body(tools, gate, begun)
  })

const results: ReadonlyArray<{
  readonly name: string
  /** The tools that are called, the first of them `gate`. */
  readonly calls: string
  readonly mode: InterruptMode
  /** Changed while the first call runs. */
  readonly later?: InterruptMode
  readonly rest: ReadonlyArray<string>
}> = [
  { name: "what has not begun is skipped", calls: "gate alone quick", mode: "immediate", rest: [skipped, skipped] },
  { name: "what runs is cut and keeps its output", calls: "gate stuck", mode: "immediate", rest: [half] },
  { name: "an unknown call is skipped, too", calls: "gate alone nope", mode: "immediate", rest: [skipped, skipped] },
  { name: "with wait all run", calls: "gate alone quick", mode: "wait", rest: ["alone done", "quick done"] },
  { name: "a mode of this turn counts in it", calls: "gate alone", mode: "wait", later: "immediate", rest: [skipped] },
  { name: "and back", calls: "gate alone", mode: "immediate", later: "wait", rest: ["alone done"] }
]
const called = (names: string) => call(...names.split(" ").map((name, at) => [`c${at}`, name, {}] as const))

describe("steering and tools", () => {
  it.effect.each([...results])("$name", ({ calls, mode, rest, later }) =>
    withTools((tools, gate) =>
      Harness.run(
        { turns: [called(calls), say("ok")], tools, settings: { interruptMode: mode } },
        ({ agent, controls, events, script }) =>
          Effect.gen(function* () {
            const running = yield* Deferred.make<void>()
            yield* agent.events.attach({
              offer: ({ _tag }) => void (_tag === "ToolStarted" && Deferred.unsafeDone(running, Effect.void)),
              ready: Effect.void
            })
            yield* agent.prompt({ text: "go" })
            yield* Deferred.await(running)
            yield* steer(agent)
            if (later !== undefined) yield* controls.setInterruptMode(later)
            yield* Deferred.succeed(gate, undefined)
            yield* agent.awaitIdle
            assert.deepStrictEqual(resultTexts(events), ["gate done", ...rest])
            assert.deepStrictEqual(violations(events), [])
            const asked = (yield* script.requests)[1]?.messages.at(-1)
            assert.deepInclude(asked, { role: "user", content: [text("S")] })
          })
      )
    )
  )

  it.effect("the first group begins whatever is queued, and no call of it is cut before one of it has ended", () =>
    withTools((tools, gate, begun) =>
      Harness.run(
        {
          turns: [called("stuck gate alone"), say("ok")],
          tools,
          settings: immediate
        },
        ({ agent, events }) =>
          Effect.gen(function* () {
            yield* agent.prompt({ text: "go" })
            yield* steer(agent)
            yield* Deferred.await(begun)
            assert.deepStrictEqual(resultTexts(events), [])
            yield* Deferred.succeed(gate, undefined)
            yield* agent.awaitIdle
            assert.deepStrictEqual(resultTexts(events), ["gate done", half, skipped])
          })
      )
    )
  )

  const late: Readonly<Record<string, (agent: Service) => Effect.Effect<unknown, unknown>>> = {
    "one that comes": steer,
    "a follow-up that becomes one": (agent) =>
      Effect.flatMap(agent.enqueue("followUp", { text: "S" }), ({ messageId = "" }) =>
        agent.queue.promote(messageId, "steering")
      )
  }
  it.effect.each(Object.entries(late))("behind the end of a call, %s cuts off at once what runs", ([, act]) =>
    withTools((tools, _, begun) =>
      Harness.run(
        { turns: [called("quick stuck alone"), say("ok")], tools, settings: immediate },
        ({ agent, events }) =>
          Effect.gen(function* () {
            const ended = yield* Deferred.make<void>()
            yield* agent.events.attach({
              offer: ({ _tag }) => void (_tag === "ToolEnded" && Deferred.unsafeDone(ended, Effect.void)),
              ready: Effect.void
            })
            yield* agent.prompt({ text: "go" })
            yield* Effect.all([Deferred.await(begun), Deferred.await(ended)])
            yield* agent.enqueue("followUp", { text: "F" })
            assert.deepStrictEqual(resultTexts(events), ["quick done"])
            yield* act(agent)
            yield* agent.awaitIdle
            assert.deepStrictEqual(resultTexts(events), ["quick done", half, skipped])
            assert.deepStrictEqual(violations(events), [])
          })
      )
    )
  )
})

const statuses = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [`${event.requestId}:${event.status}`] : []))

it.effect(
  "an error keeps the queue, and the next run reports on every prompt it took, in the order of acceptance",
  () =>
    Harness.run(
      { turns: [{ events: [], after: failure("invalid_request", "400") }, say("a"), say("b")] },
      ({ agent, events, script }) =>
        Effect.gen(function* () {
          yield* agent.prompt({ text: "one", requestId: "1" })
          yield* agent.prompt({
            text: "F",
            requestId: "f",
            whenBusy: "followUp",
            images: [{ type: "image", data: "aGk=", mimeType: "image/png" }]
          })
          yield* agent.prompt({ text: "S", requestId: "s", whenBusy: "steering" })
          yield* agent.awaitIdle
          assert.deepStrictEqual(statuses(events), ["1:error"])
          assert.strictEqual(MessageQueue.size((yield* agent.state).queue), 2)
          yield* agent.prompt({ text: "two", requestId: "2" })
          yield* agent.awaitIdle
          assert.deepStrictEqual(statuses(events), ["1:error", "f:completed", "s:completed", "2:completed"])
          const sent = (yield* script.requests)[1]?.messages.map(({ content }) => JSON.stringify(content))
          assert.deepStrictEqual(sent?.slice(-3), [
            '[{"type":"text","text":"two"}]',
            '[{"type":"text","text":"S"}]',
            '[{"type":"text","text":"F"},{"type":"image","data":"aGk=","mimeType":"image/png"}]'
          ])
        })
    )
)

it.effect("a run that is out of budget leaves the queue alone and ends", () =>
  Harness.run(
    {
      turns: [call(["A", "t", {}])],
      tools: [tool("t", () => Effect.succeed(output("ok")))],
      budget: { maxTurns: 1 }
    },
    ({ agent, events, script }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go", requestId: "1" })
        yield* agent.enqueue("followUp", { text: "F" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(statuses(events), ["1:error"])
        assert.strictEqual((yield* script.requests).length, 1)
        assert.deepStrictEqual(
          (yield* agent.abort()).map((item) => item.text),
          ["F"]
        )
      })
  )
)

it.effect("a delivered message can be neither removed nor edited nor moved, and a closing session queues nothing", () =>
  Harness.run({ turns: [say("a")] }, ({ agent }) =>
    Effect.gen(function* () {
      const { idle, messageId = "" } = yield* steer(agent)
      assert.isTrue(idle)
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      const refused = yield* Effect.all(
        [
          agent.queue.remove(messageId),
          agent.queue.edit(messageId, {}),
          agent.queue.promote(messageId, "front"),
          agent.queue.remove("x")
        ].map((effect) => Effect.flip<unknown, QueueFull | QueueRefused, never>(effect))
      )
      assert.deepStrictEqual(
        refused.map((error) => (error._tag === "QueueRefused" ? error.reason : error.message)),
        ["already_delivered", "already_delivered", "already_delivered", "queue_item_not_found"]
      )
      yield* agent.close
      assert.strictEqual((yield* Effect.flip(steer(agent)))._tag, "AgentClosing")
    })
  )
)

const assistant = (stopReason: "stop" | "aborted" | "error" | "toolUse"): NewEntry => ({
  type: "message",
  message: {
    role: "assistant",
    content: [],
    api: "x",
    provider: model.provider,
    model: model.id,
    usage: zero,
    stopReason,
    errorMessage: "E",
    timestamp: 0
  }
})
const user = (clientMessageId?: string): NewEntry => ({
  type: "message",
  message: { role: "user", content: [text("go")], timestamp: 0 },
  messageId: "m",
  ...(clientMessageId === undefined ? {} : { clientMessageId })
})

describe("after a restart", () => {
  it.effect.each([
    {
      name: "the last answer says how it ended",
      after: [assistant("error"), assistant("stop"), user(), assistant("aborted")],
      status: "completed"
    },
    { name: "no answer: it was cut off", after: [user(), assistant("stop")], status: "aborted" },
    { name: "a call without an answer after it: cut off", after: [assistant("toolUse")], status: "aborted" },
    { name: "an error", after: [assistant("error")], status: "error" }
  ])("$name", ({ after, status }) =>
    Harness.run({ turns: [] }, ({ session }) =>
      Effect.gen(function* () {
        for (const entry of [user("c"), ...after]) yield* session.append(entry)
        const { decide, isKnown, readReceipts } = Messages.make({ publish: () => {}, session, settings: defaults })
        yield* readReceipts
        const find = (clientMessageId: string, content: ReadonlyArray<InputContent>) =>
          decide({ _tag: "Heard", name: { clientMessageId, content } })
        const found = find("c", [text("go")])
        assert.strictEqual(found._tag, "Repeat")
        const known = found._tag === "Repeat" ? found.known : undefined
        assert.deepStrictEqual(known?.receipt, { disposition: "started", messageId: "m", clientMessageId: "c" })
        assert.strictEqual(known?.end?.status, status)
        assert.deepStrictEqual([yield* isKnown("c"), yield* isKnown("d")], [true, false])
        assert.deepStrictEqual(find("c", [text("go"), { type: "image", data: "", mimeType: "" }]), {
          _tag: "Refuse",
          code: "client_message_conflict"
        })
        assert.strictEqual(find("d", [])._tag, "Handle")
      })
    )
  )
})

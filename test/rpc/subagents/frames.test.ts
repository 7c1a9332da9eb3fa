/** Which frames of subagents and budgets a host gets at which level, and that each fits its schema. */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Mailbox, Predicate, Schema } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import type { SubagentInfo } from "../../../src/domain/subagents/Subagent.ts"
import type { Preferences } from "../../../src/rpc/Preferences.ts"
import * as EventFilter from "../../../src/rpc/protocol/EventFilter.ts"
import { events as schemas } from "../../../src/rpc/protocol/EventSchemas.ts"
import { type Level, levels } from "../../../src/rpc/subagents/SubagentFrames.ts"
import * as Outbox from "../../../src/rpc/Outbox.ts"
import { model } from "../../support/agent/ScriptedModel.ts"
import * as Connections from "../../support/Connections.ts"

type Frame = Readonly<Record<string, unknown>>

const record = (value: unknown): Frame => (Predicate.isReadonlyRecord(value) ? value : {})

/** What a host of this connection reads of the events. Each frame must fit its schema, member for member. */
const written = Effect.fnUntraced(function* (events: ReadonlyArray<AgentEvent>, change: Partial<Preferences>) {
  let text = ""
  const input = yield* Mailbox.make<Uint8Array>()
  const write = (more: string) => Effect.sync(() => void (text += more))
  const connection = Connections.make("full", change)
  const { outbox, run } = yield* Outbox.make({ input, write, gather: Effect.void }, connection)
  for (const event of events) outbox.offer(event)
  yield* outbox.end
  yield* run
  const frames = text
    .split("\n")
    .slice(0, -1)
    .map((line) => record(JSON.parse(line)))
  for (const frame of frames) {
    const found = schemas.find(({ type }) => type === frame["type"])
    assert.isDefined(found, String(frame["type"]))
    if (found === undefined) continue
    const decoded = Schema.decodeUnknownEither(found.schema, { onExcessProperty: "error" })(frame)
    assert.isTrue(Either.isRight(decoded), JSON.stringify([frame, decoded]))
  }
  return { frames, text }
})

const info = (more: Partial<SubagentInfo> = {}): SubagentInfo => ({
  id: "0-Fix",
  index: 0,
  agent: "task",
  agentSource: "bundled",
  status: "running",
  lastUpdate: 1,
  ...more
})
const progress = {
  index: 0,
  id: "0-Fix",
  agent: "task",
  status: "running",
  task: "Fix it.",
  recentTools: [],
  recentOutput: [],
  toolCount: 0,
  tokens: 0,
  durationMs: 5
} as const
const said = (id: string, event: AgentEvent): AgentEvent => ({ _tag: "SubagentSaid", id, event })
const started: AgentEvent = { _tag: "RunStarted", runId: "r" }

const life: ReadonlyArray<AgentEvent> = [
  { _tag: "SubagentStarted", isolated: true, subagent: info() },
  { _tag: "SubagentProgressed", subagent: info({ progress }) },
  said("0-Fix", started),
  { _tag: "VerificationStarted", id: "0-Fix", attempt: 1 },
  { _tag: "VerificationCommandStarted", id: "0-Fix", attempt: 1, commandName: "test" },
  { _tag: "VerificationCommandEnded", id: "0-Fix", attempt: 1, commandName: "test", exitCode: 0, durationMs: 1 },
  { _tag: "VerificationEnded", id: "0-Fix", attempt: 1, status: "passed" },
  { _tag: "SubagentEnded", subagent: info({ status: "completed" }), exitCode: 0 }
]
const verification = ["start", "command_start", "command_end", "end"].map((step) => `subagent_verification_${step}`)
const told: { readonly [L in Level]: ReadonlyArray<string> } = {
  off: ["subagent_start", ...verification, "subagent_end"],
  progress: [
    "subagent_start",
    "subagent_lifecycle",
    "subagent_progress",
    ...verification,
    "subagent_end",
    "subagent_lifecycle"
  ],
  events: [
    "subagent_start",
    "subagent_lifecycle",
    "subagent_progress",
    "subagent_event",
    ...verification,
    "subagent_end",
    "subagent_lifecycle"
  ]
}

for (const level of levels) {
  it.effect(`at the level ${level} a filter drops nothing of what is told`, () =>
    Effect.gen(function* () {
      for (const filter of [EventFilter.make(null), EventFilter.make([])]) {
        const { frames } = yield* written(life, { subagents: level, filter })
        assert.deepStrictEqual(
          frames.map(({ type }) => type),
          [...told[level]]
        )
        assert.deepStrictEqual(
          frames.map(({ seq }) => seq),
          frames.map((_, i) => i + 1)
        )
      }
    })
  )
}

it.effect("a host that has asked for nothing is told as at the level off", () =>
  Effect.gen(function* () {
    const { frames } = yield* written(life, {})
    assert.deepStrictEqual(
      frames.map(({ type }) => type),
      [...told.off]
    )
  })
)

it.effect("the end of a subagent says how it came out", () =>
  Effect.gen(function* () {
    const end = (status: SubagentInfo["status"], exitCode: number): AgentEvent => ({
      _tag: "SubagentEnded",
      subagent: info({ status }),
      exitCode
    })
    const ends = [end("completed", 0), end("failed", 1), end("aborted", 1), end("running", 0), end("pending", 3)]
    const { frames } = yield* written(ends, { subagents: "progress" })
    const statuses = frames.filter(({ type }) => type === "subagent_lifecycle").map(({ payload }) => record(payload))
    assert.deepStrictEqual(
      statuses.map(({ status }) => status),
      ["completed", "failed", "aborted", "completed", "failed"]
    )
  })
)

it.effect("what a grandchild says has the grandchild's id only, and what a child says of it is the child's", () =>
  Effect.gen(function* () {
    const grandchild = info({ id: "0-Fix.0-Look" })
    const { frames } = yield* written(
      [
        said("0-Fix", said("0-Fix.0-Look", said("0-Fix.0-Look.0-Deep", started))),
        said("0-Fix", { _tag: "SubagentStarted", isolated: false, subagent: grandchild }),
        said("0-Fix", { _tag: "SessionNamed", name: "x" }),
        said("0-Fix", { _tag: "SessionChanged", sessionId: "s2", epoch: "e2" })
      ],
      { subagents: "events" }
    )
    assert.deepStrictEqual(
      frames.map(({ payload }) => [record(payload)["id"], record(record(payload)["event"])["type"]]),
      [
        ["0-Fix.0-Look.0-Deep", "agent_start"],
        ["0-Fix", "subagent_start"],
        ["0-Fix", "subagent_lifecycle"],
        ["0-Fix", "session_info_changed"],
        ["0-Fix", "session_info_update"]
      ]
    )
    assert.deepStrictEqual(new Set(frames.map(({ sessionId }) => sessionId)), new Set(["s"]))
  })
)

/** The updates of an answer of `count` deltas in one block. */
const answer = (count: number): ReadonlyArray<AgentEvent> => {
  let draft = AssistantDraft.empty(model, 0)
  const deltas = Array.from({ length: count }, (): ModelEvent => ({ _tag: "Delta", delta: "0123456789" }))
  return [{ _tag: "TextStarted" } as const, ...deltas, { _tag: "BlockEnded" } as const].flatMap((event) => {
    const [next, update] = AssistantDraft.apply(draft, event)
    draft = next
    return update === undefined
      ? []
      : [said("0-Fix", { _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })]
  })
}

it.effect("updates of subagents are increments, whatever form the host's own have: the bytes grow with the text", () =>
  Effect.gen(function* () {
    const { frames, text } = yield* written(answer(500), { subagents: "events" })
    const steps = frames.map(({ payload }) => record(record(record(payload)["event"])["assistantMessageEvent"]))
    assert.strictEqual(steps.map(({ delta }) => delta ?? "").join(""), "0123456789".repeat(500))
    assert.deepStrictEqual(steps[0], { type: "text_start", contentIndex: 0 })
    assert.deepStrictEqual(steps.at(-1), { type: "text_end", contentIndex: 0, content: "0123456789".repeat(500) })
    const half = yield* written(answer(250), { subagents: "events" })
    assert.isBelow(text.length, half.text.length * 2.1)
  })
)

const snapshot = {
  status: "exceeded",
  wallTimeMs: 1,
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  costUsd: 0.5,
  toolCalls: 0,
  subagents: 0,
  turns: 1,
  reason: "cost"
} as const

it.effect("budgets are session events, and a run that one has ended says so", () =>
  Effect.gen(function* () {
    const spent: ReadonlyArray<AgentEvent> = [
      { _tag: "BudgetWarning", scope: "session", snapshot: { ...snapshot, status: "warning" } },
      { _tag: "BudgetSpent", scope: "subagent", id: "0-Fix", snapshot },
      {
        _tag: "PromptFinished",
        runId: "r",
        status: "error",
        error: { message: "Budget exceeded (cost)", code: "budget_exceeded", retryable: false },
        sessionSettled: true
      }
    ]
    const { frames } = yield* written(spent, {})
    assert.deepStrictEqual(
      frames.map(({ error, id, scope, type }) => [type, scope, id, record(error)["code"]]),
      [
        ["budget_warning", "session", undefined, undefined],
        ["budget_exceeded", "subagent", "0-Fix", undefined],
        ["prompt_result", undefined, undefined, "budget_exceeded"]
      ]
    )
    const filtered = yield* written(spent, { filter: EventFilter.make(["budget_exceeded"]) })
    assert.deepStrictEqual(
      filtered.frames.map(({ type }) => type),
      ["budget_exceeded", "prompt_result"]
    )
  })
)

it.effect("the end of a subagent has the status that its task has; without one, the exit code says it", () =>
  Effect.gen(function* () {
    const ended = (status: SubagentInfo["status"], exitCode: number): AgentEvent => ({
      _tag: "SubagentEnded",
      subagent: info({ status }),
      exitCode
    })
    const events = [
      ended("completed", 1),
      ended("failed", 0),
      ended("aborted", 1),
      ended("aborted", 0),
      ended("running", 0),
      ended("running", 1)
    ]
    const { frames } = yield* written(events, { subagents: "progress" })
    assert.deepStrictEqual(
      frames.filter(({ type }) => type === "subagent_lifecycle").map(({ payload }) => record(payload)["status"]),
      ["completed", "failed", "aborted", "aborted", "completed", "failed"]
    )
  })
)

/** The commands about subagents, with sessions whose subagents are fakes that note what they are asked. */
import { assert, it } from "@effect/vitest"
import { SessionCore } from "../../../src/services/session/SessionCore.ts"
import { Context, Effect, Fiber, Layer, Predicate } from "effect"
import type { SubagentInfo, TranscriptPart } from "../../../src/domain/subagents/Subagent.ts"
import * as EmbeddedAgent from "../../../src/layers/Embedded.ts"
import * as Server from "../../../src/rpc/Server.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Sessions, type SessionServices } from "../../../src/services/session/Sessions.ts"
import * as Subagents from "../../../src/services/delegation/Subagents.ts"
import * as Supervision from "../../../src/services/supervision/Supervision.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as TestHost from "../../support/host/TestHost.ts"

type Frame = Readonly<Record<string, unknown>>

const record = (value: unknown): Frame => (Predicate.isReadonlyRecord(value) ? value : {})

const info: SubagentInfo = {
  id: "0-Fix",
  index: 0,
  agent: "task",
  agentSource: "project",
  status: "running",
  sessionFile: "/s/0-Fix.jsonl",
  lastUpdate: 7
}
const part: TranscriptPart = {
  sessionFile: "/s/0-Fix.jsonl",
  fromByte: 12,
  nextByte: 40,
  reset: false,
  entries: [{ type: "message" }],
  messages: []
}

const makeFake = () => {
  const asked: Array<ReadonlyArray<unknown>> = []
  const note = (...what: ReadonlyArray<unknown>) => Effect.sync(() => void asked.push(what))
  const fake = (sessionId: string): Subagents.SessionSubagents => ({
    ...Subagents.none,
    live: Effect.succeed([info]),
    steer: (id, message) => (id === info.id ? note("steer", id, message) : Subagents.none.steer(id, message)),
    transcript: (request) =>
      request.subagentId === info.id || request.sessionFile === info.sessionFile
        ? Effect.as(note("transcript", request), part)
        : Subagents.none.transcript(request),
    forward: (wanted) => note("forward", sessionId, wanted)
  })
  const faked = Effect.fnUntraced(function* (session: Context.Context<SessionServices>) {
    const agent = Context.get(session, Agent)
    const { sessionId } = yield* agent.state
    return Context.add(session, Subagents.SubagentSet, fake(sessionId))
  })
  const layer = Layer.effect(
    Sessions,
    Effect.map(Sessions, (sessions) => ({
      ...sessions,
      current: Effect.flatMap(sessions.current, faked),
      follow: (enter) => sessions.follow((session) => Effect.flatMap(faked(session), enter))
    }))
  )
  return { asked, layer }
}

const start = Effect.gen(function* () {
  const { asked, layer } = makeFake()
  const script = yield* ScriptedModel.make([])
  const host = yield* TestHost.make
  const agent = EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model })
  const context = yield* Layer.build(
    Layer.merge(Layer.provideMerge(layer, agent).pipe(Layer.provideMerge(script.layer)), host.layer)
  )
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0)
  }).pipe(Effect.provide(context), Effect.forkScoped)
  let number = 0
  const ask = Effect.fnUntraced(function* (frame: object) {
    const id = ++number
    yield* host.send(JSON.stringify({ id, ...frame }))
    while (true) {
      const [line = ""] = yield* host.receive(1)
      const answer = record(JSON.parse(line))
      if (answer["type"] === "response" && answer["id"] === id) return answer
    }
  })
  /** The data, or the code and the text of the failure. */
  const outcome = (frame: object) =>
    Effect.map(ask(frame), ({ code, data, error, success }) => (success === true ? data : [code, error]))
  const session = Effect.flatMap(Context.get(context, Sessions).current, (current) => Context.get(current, Agent).state)
  const root = Effect.map(Context.get(context, Sessions).current, (at) => Context.get(at, SessionCore).supervision.root)
  return { asked, outcome, close: Effect.zipRight(host.close, Fiber.join(serving)), session, root }
})

it.scoped("the level is checked, told to the session, and told again to each session that follows", () =>
  Effect.gen(function* () {
    const { asked, close, outcome, session } = yield* start
    const subscribe = (level?: unknown) => outcome({ type: "set_subagent_subscription", level })
    const first = (yield* session).sessionId
    for (const level of ["loud", 3, undefined, "Events"]) {
      assert.deepStrictEqual(yield* subscribe(level), [
        "invalid_level",
        `Invalid subagent subscription level: ${level}`
      ])
    }
    assert.deepStrictEqual(asked, [])
    assert.deepStrictEqual(yield* subscribe("progress"), { level: "progress" })
    yield* outcome({ type: "new_session" })
    const second = (yield* session).sessionId
    assert.deepStrictEqual(yield* subscribe("events"), { level: "events" })
    yield* outcome({ type: "new_session" })
    const third = (yield* session).sessionId
    assert.deepStrictEqual(yield* subscribe("off"), { level: "off" })
    yield* outcome({ type: "new_session" })
    const fourth = (yield* session).sessionId
    yield* subscribe("events")
    yield* close
    assert.deepStrictEqual(asked, [
      ["forward", first, false],
      ["forward", second, true],
      ["forward", third, true],
      ["forward", third, false],
      ["forward", fourth, true],
      ["forward", fourth, false]
    ])
  })
)

it.scoped("get_subagents lists what runs", () =>
  Effect.gen(function* () {
    const { outcome } = yield* start
    assert.deepStrictEqual(yield* outcome({ type: "get_subagents" }), { subagents: [info] })
  })
)

it.scoped("a transcript is found by the id or the file, and the failures have the texts that hosts know", () =>
  Effect.gen(function* () {
    const { asked, outcome } = yield* start
    const get = (members: object) => outcome({ type: "get_subagent_messages", ...members })
    assert.deepStrictEqual(yield* get({ subagentId: "0-Fix" }), part)
    assert.deepStrictEqual(yield* get({ sessionFile: "/s/0-Fix.jsonl", fromByte: 12.5 }), part)
    assert.deepStrictEqual(yield* get({ subagentId: "0-Fix", sessionFile: null, fromByte: -1 }), part)
    assert.deepStrictEqual(asked, [
      ["transcript", { subagentId: "0-Fix" }],
      ["transcript", { sessionFile: "/s/0-Fix.jsonl", fromByte: 12 }],
      ["transcript", { subagentId: "0-Fix", fromByte: 0 }]
    ])
    assert.deepStrictEqual(yield* get({ subagentId: "9-No" }), [
      "unknown_subagent",
      "Unknown subagent or session file unavailable: 9-No"
    ])
    assert.deepStrictEqual(yield* get({ sessionFile: "/else" }), ["unknown_subagent", "Unknown subagent session file"])
    assert.deepStrictEqual(yield* get({ fromByte: 1 }), [
      "invalid_params",
      "get_subagent_messages requires subagentId or sessionFile"
    ])
    for (const fromByte of ["1", true, {}]) {
      assert.deepStrictEqual(yield* get({ subagentId: "0-Fix", fromByte }), [
        "invalid_params",
        "fromByte must be a finite number"
      ])
    }
    assert.strictEqual(asked.length, 3)
  })
)

it.scoped("a message is steered to a subagent that runs", () =>
  Effect.gen(function* () {
    const { asked, outcome } = yield* start
    const steer = (subagentId: string) => outcome({ type: "steer_subagent", subagentId, message: "Stop." })
    assert.isUndefined(yield* steer("0-Fix"))
    assert.deepStrictEqual(asked, [["steer", "0-Fix", "Stop."]])
    assert.deepStrictEqual(yield* steer("9-No"), ["unknown_subagent", "Unknown subagent: 9-No"])
    assert.deepStrictEqual(yield* outcome({ type: "steer_subagent", subagentId: "0-Fix" }), [
      "invalid_params",
      'Invalid steer_subagent command: "message" must be a string'
    ])
  })
)

it.scoped("cancel_subagent ends a subagent, once, and nothing else", () =>
  Effect.gen(function* () {
    const { outcome, root } = yield* start
    const under = yield* root
    const cancel = (subagentId: string) => outcome({ type: "cancel_subagent", subagentId })
    const run = (kind: Supervision.NodeKind, name: string) =>
      Effect.forkScoped(Supervision.nodeUnder(under, { kind, label: name, names: [name] }, () => Effect.never))
    const child = yield* run("subagent", "0-Fix")
    const other = yield* run("verification", "t1")
    yield* Effect.yieldNow()
    assert.deepStrictEqual(yield* cancel("9-No"), ["unknown_subagent", "Unknown subagent: 9-No"])
    assert.deepStrictEqual(yield* cancel("t1"), ["unknown_subagent", "Unknown subagent: t1"])
    assert.deepStrictEqual(yield* cancel("0-Fix"), { cancelled: true })
    assert.strictEqual((yield* Fiber.await(child))._tag, "Failure")
    assert.deepStrictEqual(yield* cancel("0-Fix"), { cancelled: false })
    assert.isNull(other.unsafePoll())
  })
)

it.scoped("cancel knows a subagent by its id, and get_fibers shows it", () =>
  Effect.gen(function* () {
    const { outcome, root } = yield* start
    const spec = { kind: "subagent", label: "task", refs: { subagentId: "0-Fix" }, names: ["0-Fix"] } as const
    yield* Effect.forkScoped(Supervision.nodeUnder(yield* root, spec, () => Effect.never))
    yield* Effect.yieldNow()
    const { fibers } = record(yield* outcome({ type: "get_fibers" }))
    assert.include(JSON.stringify(fibers), '"kind":"subagent"')
    const cancelled = record(yield* outcome({ type: "cancel", targetId: "0-Fix" }))
    assert.strictEqual(cancelled["outcome"], "cancelled")
  })
)

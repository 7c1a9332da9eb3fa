/** `get_fibers` and `cancel` over the wire with real processes and waiting commands. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Predicate } from "effect"
import * as EmbeddedAgent from "../../../src/layers/Embedded.ts"
import * as Server from "../../../src/rpc/Server.ts"
import type { HostTool } from "../../../src/services/host/HostTools.ts"
import { tempFolder } from "../../layers/tools/TempFolder.ts"
import * as Processes from "../../support/host/Processes.ts"
import * as JumpingClock from "../../support/JumpingClock.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as TestHost from "../../support/host/TestHost.ts"

type Frame = Readonly<Record<string, unknown>>

const record = (value: unknown): Frame => (Predicate.isReadonlyRecord(value) ? value : {})
const list = (value: unknown): ReadonlyArray<Frame> => (Array.isArray(value) ? value.map(record) : [])
const answer = (id: string | number) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id
const data = (frame: Frame): Frame => record(frame["data"])

/** `command/bash`, with what tells about the node. */
const nodes = (frame: Frame, above = ""): ReadonlyArray<Frame & { readonly path: string }> =>
  list(frame["children"] ?? data(frame)["fibers"]).flatMap((node) => {
    const path = `${above}/${node["kind"]}`
    return [{ ...node, path }, ...nodes(node, path)]
  })
const paths = (frame: Frame) => nodes(frame).map(({ path }) => path)

const start = Effect.fnUntraced(function* (
  turns: ReadonlyArray<ScriptedModel.ScriptedTurn> = [],
  hostTools: ReadonlyArray<HostTool> = []
) {
  const cwd = yield* tempFolder
  const script = yield* ScriptedModel.make(turns)
  const host = yield* TestHost.make
  const agent = EmbeddedAgent.layerSessions({ cwd, model: ScriptedModel.model, hostTools })
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0)
  }).pipe(Effect.provide(Layer.merge(Layer.provideMerge(agent, script.layer), host.layer)), Effect.forkScoped)
  const seen: Array<Frame> = []
  const until = Effect.fnUntraced(function* (fits: (frame: Frame) => boolean) {
    while (true) {
      const [line = ""] = yield* host.receive(1)
      const frame = record(JSON.parse(line))
      seen.push(frame)
      if (fits(frame)) return frame
    }
  })
  let asked = 0
  const send = (...frames: ReadonlyArray<object>) => host.send(...frames.map((frame) => JSON.stringify(frame)))
  const ask = (frame: object) => {
    const id = `ask${++asked}`
    return Effect.zipRight(send({ id, ...frame }), until(answer(id)))
  }
  return { ...host, serving, seen, until, send, ask, tag: `heddle-fibers-${crypto.randomUUID()}` }
})

const bashCall = (command: string) => ScriptedModel.call(["t1", "bash", { command }])

it.scopedLive(
  "a bash call of the model shows its process; cancelled, it is gone with all it started, and the run goes on",
  () =>
    Effect.gen(function* () {
      const tag = `heddle-fibers-${crypto.randomUUID()}`
      const command = `echo begun; (HEDDLE_TEST=${tag} setsid sleep 60 &) ; HEDDLE_TEST=${tag} sleep 60; echo no`
      const host = yield* start([bashCall(command), ScriptedModel.say("so be it")])
      yield* host.send({ id: "p", type: "prompt", message: "go" })
      yield* host.until(({ type }) => type === "tool_execution_update")
      const tree = yield* host.ask({ type: "get_fibers" })
      assert.deepStrictEqual(paths(tree), [
        "/session",
        "/session/run",
        "/session/run/turn",
        "/session/run/turn/tool_call"
      ])
      const call = nodes(tree).at(-1)
      const [pid] = Array.isArray(call?.["pids"]) ? call["pids"] : []
      assert.deepInclude(call, { status: "running", cancellable: true, refs: { toolCallId: "t1" } })
      assert.match(String(call?.["label"]), /^bash: echo begun/)
      const cancelled = yield* host.ask({ type: "cancel", targetId: "t1" })
      assert.deepInclude(data(cancelled), { targetId: "t1", outcome: "cancelled", pidsKilled: [pid] })
      assert.deepStrictEqual(Processes.holding(tag), [])
      const ended = host.seen.find(({ type }) => type === "tool_execution_end")
      assert.match(JSON.stringify(ended), /begun\\n\\nCancelled by host/)
      const result = yield* host.until(({ type }) => type === "prompt_result")
      assert.strictEqual(result["status"], "completed")
      yield* host.until(({ type }) => type === "session_settled")
      assert.deepStrictEqual(paths(yield* host.ask({ type: "get_fibers" })), ["/session"])
    })
)

it.scopedLive("a `bash` command: its node ends it alone with a result, its request id with the code cancelled", () =>
  Effect.gen(function* () {
    const host = yield* start()
    const command = `echo begun; HEDDLE_TEST=${host.tag} sleep 60`
    const isUpdate = ({ type }: Frame) => type === "bash_execution_update"
    yield* host.send(
      { id: "a", type: "bash", command },
      { id: "b", type: "bash", command },
      { id: 3, type: "bash", command }
    )
    for (let i = 0; i < 3; i++) yield* host.until(isUpdate)
    const tree = yield* host.ask({ type: "get_fibers" })
    assert.deepStrictEqual(paths(tree), [
      "/session",
      ...Array(3).fill(["/session/command", "/session/command/bash"]).flat()
    ])
    const [first] = nodes(tree).filter(({ kind }) => kind === "bash")
    assert.deepInclude(first, { label: command, status: "running" })

    yield* host.send({ id: "c1", type: "cancel", targetId: first?.["id"] })
    assert.deepInclude(data(yield* host.until(answer("a"))), { cancelled: true, output: "begun\n" })
    assert.deepInclude(data(yield* host.until(answer("c1"))), { outcome: "cancelled", pidsKilled: first?.["pids"] })

    yield* host.send({ id: "c2", type: "cancel", targetId: "b" })
    assert.deepInclude(yield* host.until(answer("b")), { success: false, code: "cancelled" })
    const second = data(yield* host.until(answer("c2")))
    assert.strictEqual(list(second["pidsKilled"]).length, 1)

    yield* host.send({ id: "c3", type: "cancel", targetId: 3 })
    assert.deepInclude(yield* host.until(answer(3)), { success: false, code: "cancelled" })
    yield* host.until(answer("c3"))
    assert.deepStrictEqual(Processes.holding(host.tag), [])
    assert.deepInclude(data(yield* host.ask({ type: "cancel", targetId: "b" })), { outcome: "already_done" })
    // What was cancelled by its request is no part of the conversation; what ended with a result is.
    const messages = list(data(yield* host.ask({ type: "get_messages" }))["messages"])
    assert.deepStrictEqual(
      messages.map(({ cancelled, role }) => [role, cancelled]),
      [["bashExecution", true]]
    )
  })
)

/** A run whose tool gives in to nothing before `release`. */
const inStubbornTool = Effect.gen(function* () {
  const released = yield* Deferred.make<void>()
  const tool: HostTool = {
    name: "stubborn",
    description: "Ends when it is released, whoever asks.",
    parameters: {},
    call: (_, { progress }) =>
      Effect.zipRight(progress({ content: [] }), Deferred.await(released)).pipe(
        Effect.as({ content: [] }),
        Effect.uninterruptible
      )
  }
  const host = yield* start([ScriptedModel.call(["t1", "stubborn", {}])], [tool])
  yield* host.send({ id: "p", type: "prompt", message: "go" })
  yield* host.until(({ type }) => type === "tool_execution_update")
  return { host, release: Deferred.succeed(released, undefined) }
})

it.scopedLive("a command that waits for its lane is answered at once and never runs; the lane goes on without it", () =>
  Effect.gen(function* () {
    const { host, release } = yield* inStubbornTool
    // Holds the ordered lane until the tool gives in.
    yield* host.send(
      { id: "h", type: "abort_and_prompt", message: "next" },
      { id: "w", type: "set_steering_mode", mode: "all" }
    )
    // By the time one question is answered, the lane has begun.
    yield* host.ask({ type: "ping" })
    const tree = yield* host.ask({ type: "get_fibers" })
    const commands = nodes(tree).filter(({ kind }) => kind === "command")
    assert.deepStrictEqual(
      commands.map(({ label, refs, status, waitingOn }) => [
        label,
        record(refs)["requestId"],
        status,
        record(waitingOn)["kind"]
      ]),
      [
        ["abort_and_prompt", "h", "running", undefined],
        ["set_steering_mode", "w", "waiting", "lane"]
      ]
    )
    assert.deepInclude(yield* host.ask({ type: "cancel", targetId: "t1", graceMs: 20 }), {
      success: false,
      code: "still_running",
      data: { pids: [] }
    })
    yield* host.send({ id: "c", type: "cancel", targetId: "w" })
    assert.deepInclude(yield* host.until(answer("w")), {
      success: false,
      code: "cancelled",
      error: "Cancelled by host"
    })
    assert.deepInclude(data(yield* host.until(answer("c"))), { outcome: "cancelled" })
    yield* host.send({ id: "m", type: "set_follow_up_mode", mode: "all" }, { id: "s", type: "get_state" })
    assert.deepInclude(data(yield* host.until(answer("s"))), {
      steeringMode: "one-at-a-time",
      followUpMode: "one-at-a-time"
    })
    yield* host.send({ id: "d", type: "cancel", targetId: "h" })
    assert.deepInclude(yield* host.until(answer("h")), { success: false, code: "cancelled" })
    yield* host.until(answer("m"))
    yield* release
    yield* host.until(({ type }) => type === "session_settled")
    assert.deepStrictEqual(paths(yield* host.ask({ type: "get_fibers" })), ["/session"])
    assert.strictEqual(host.seen.filter(({ type }) => type === "agent_start").length, 1)
  })
)

/** The same with a message in the queue. */
const stubborn = Effect.gen(function* () {
  const { host, release } = yield* inStubbornTool
  yield* host.ask({ type: "steer", message: "S" })
  const lastOf = Effect.gen(function* () {
    yield* release
    yield* host.until(({ type }) => type === "session_settled")
    const left = list(data(yield* host.ask({ type: "get_queue" }))["items"]).map(({ text }) => text)
    assert.deepStrictEqual(paths(yield* host.ask({ type: "get_fibers" })), ["/session"])
    return left
  })
  return { ...host, lastOf }
})

const handsBack = { success: false, code: "cancelled", data: { cleared: { steering: ["S"], followUp: [] } } }

it.scopedLive.each([[], [{ id: "c", type: "compact" }]])(
  "an abort_and_prompt behind %j that the host cancels hands the queue back, and no message that comes later",
  (before) =>
    Effect.gen(function* () {
      const host = yield* stubborn
      yield* host.send(...before, { id: "h", type: "abort_and_prompt", message: "next" })
      yield* host.ask({ type: "ping" })
      yield* host.send({ id: "d", type: "cancel", targetId: "h" })
      assert.deepInclude(yield* host.until(answer("h")), handsBack)
      assert.deepInclude(data(yield* host.until(answer("d"))), { outcome: "cancelled" })
      if (before.length > 0) yield* host.ask({ type: "cancel", targetId: "c" })
      yield* host.ask({ type: "follow_up", message: "F" })
      assert.deepStrictEqual(yield* host.lastOf, ["F"])
      assert.strictEqual(host.seen.filter(({ type }) => type === "agent_start").length, 1)
    })
)

it.scopedLive("an abort that the host cancels hands the queue back", () =>
  Effect.gen(function* () {
    const host = yield* stubborn
    yield* host.send({ id: "a", type: "abort" })
    yield* host.ask({ type: "ping" })
    yield* host.send({ id: "d", type: "cancel", targetId: "a" })
    assert.deepInclude(yield* host.until(answer("a")), handsBack)
    yield* host.ask({ type: "follow_up", message: "F" })
    assert.deepStrictEqual(yield* host.lastOf, ["F"])
  })
)

it.scopedLive(
  "a cancel can be cancelled, also by itself, and a prompt that was accepted is not a waiting command",
  () =>
    Effect.gen(function* () {
      const host = yield* start([{ events: [], after: "hang" }])
      const own = yield* Effect.zipRight(host.send({ id: "x", type: "cancel", targetId: "x" }), host.until(answer("x")))
      assert.deepInclude(own, { success: false, code: "cancelled" })
      yield* host.send({ id: "p", type: "prompt", message: "go" })
      yield* host.until(({ type }) => type === "agent_start")
      assert.deepInclude(data(yield* host.ask({ type: "cancel", targetId: "p" })), { outcome: "already_done" })
      const tree = yield* host.ask({ type: "get_fibers" })
      assert.deepStrictEqual(record(nodes(tree)[1]?.["refs"])["requestId"], "p")
      yield* host.close
      yield* Fiber.join(host.serving)
    })
)

it.scopedLive("a run that is cancelled ends as by abort, and what was queued comes back", () =>
  Effect.gen(function* () {
    const host = yield* start([{ events: [{ _tag: "TextStarted" }], after: "hang" }])
    const { runId } = data(yield* host.ask({ type: "prompt", message: "go" }))
    yield* host.ask({ type: "steer", message: "S" })
    yield* host.ask({ type: "follow_up", message: "F" })
    const ended = yield* host.ask({ type: "cancel", targetId: runId })
    assert.deepInclude(data(ended), { outcome: "cancelled", cleared: { steering: ["S"], followUp: ["F"] } })
    const result = host.seen.find(({ type }) => type === "prompt_result")
    assert.strictEqual(result?.["status"], "aborted")
    assert.strictEqual(data(yield* host.ask({ type: "get_state" }))["queuedMessageCount"], 0)
    assert.deepStrictEqual(paths(yield* host.ask({ type: "get_fibers" })), ["/session"])
  })
)

it.scopedLive.each([-1, 1] as const)("durations are right while the time of day is set by hours: %d", (direction) =>
  Effect.gen(function* () {
    const tool: HostTool = {
      name: "patient",
      description: "waits",
      parameters: { type: "object" },
      timeoutMs: 10_000,
      call: () => Effect.as(Effect.sleep(20), { content: [{ type: "text", text: "well" }] })
    }
    const turns = [bashCall("sleep 0.05"), ScriptedModel.call(["t2", "patient", {}]), bashCall("echo begun; sleep 30")]
    const host = yield* start(turns, [tool])
    yield* host.send({ id: "p", type: "prompt", message: "go" })
    const isEnd = ({ type }: Frame) => type === "tool_execution_end"
    const ended = [yield* host.until(isEnd), yield* host.until(isEnd)]
    const plausible = (least: number) => (ms: unknown) =>
      assert.isTrue(typeof ms === "number" && Number.isInteger(ms) && ms >= least && ms < 20_000, String(ms))
    for (const frame of ended) {
      assert.strictEqual(frame["isError"], false)
      plausible(10)(frame["durationMs"])
    }
    plausible(40)(record(record(ended[0]?.["result"])["details"])["durationMs"])
    yield* host.until(({ type }) => type === "tool_execution_update")
    const tree = yield* host.ask({ type: "get_fibers" })
    const now = Number(data(tree)["now"])
    for (const { ageMs, startedAt } of nodes(tree)) {
      plausible(0)(ageMs)
      assert.strictEqual(now - Number(startedAt), ageMs)
    }
    const run = nodes(tree).find(({ kind }) => kind === "run")
    plausible(0)(data(yield* host.ask({ type: "cancel", targetId: run?.["id"] }))["ms"])
  }).pipe(Effect.withClock(JumpingClock.make(direction)))
)

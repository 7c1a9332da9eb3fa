/** A host that has stopped reading holds up the run, but neither its end nor what is stored of it. */
import { existsSync, statSync } from "node:fs"
import { SessionCore } from "../../src/services/session/SessionCore.ts"
import { Session } from "../../src/services/session/Session.ts"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Mailbox, Stream } from "effect"
import * as EmbeddedAgent from "../../src/layers/EmbeddedAgent.ts"
import * as EventLoop from "../../src/layers/platform/EventLoop.ts"
import * as Server from "../../src/rpc/Server.ts"
import type { AgentMessage } from "../../src/domain/conversation/Message.ts"
import { Agent } from "../../src/services/Agent.ts"
import type { HostTool } from "../../src/services/host/HostTools.ts"
import { Shell } from "../../src/services/Shell.ts"
import { Transport } from "../../src/services/host/Transport.ts"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as Fibers from "../support/agent/Fibers.ts"
import * as FirstSession from "../support/agent/FirstSession.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"

/** A server whose host never takes a byte, and the agent behind it. */
const start = Effect.fnUntraced(function* (
  turns: ReadonlyArray<ScriptedModel.ScriptedTurn>,
  hostTools: ReadonlyArray<HostTool> = []
) {
  const cwd = yield* tempFolder
  const script = yield* ScriptedModel.make(turns)
  const input = yield* Mailbox.make<Uint8Array>()
  const transport = Layer.succeed(Transport, { input, write: () => Effect.never, gather: EventLoop.nextTurn })
  const graph = FirstSession.layer.pipe(
    Layer.provideMerge(EmbeddedAgent.layerSessions({ cwd, model: ScriptedModel.model, hostTools })),
    Layer.provideMerge(script.layer)
  )
  const context = yield* Layer.build(Layer.merge(graph, transport))
  const agent = Context.get(context, Agent)
  let offered = 0
  yield* agent.events.attach({ offer: () => void offered++, ready: Effect.void })
  yield* Effect.forkScoped(
    Effect.provide(Server.serve({ version: "0", updates: "delta", drain: false, uptime: Effect.succeed(0) }), context)
  )
  const send = (...frames: ReadonlyArray<object>) =>
    input.offer(new TextEncoder().encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")))
  const turnsOfLoop = (count: number) => Effect.repeatN(EventLoop.nextTurn, count)
  const until = (fits: () => boolean) => Effect.repeat(EventLoop.nextTurn, { until: fits })
  const { root } = Context.get(context, SessionCore).supervision
  return {
    agent,
    session: Context.get(context, Session),
    root,
    cwd,
    script,
    shell: Context.get(context, Shell),
    offered: () => offered,
    send,
    turnsOfLoop,
    until
  }
})

const flood: ScriptedModel.ScriptedTurn = {
  events: [
    { _tag: "TextStarted" },
    ...Array.from({ length: 20_000 }, () => ({ _tag: "Delta", delta: "x" }) as const),
    { _tag: "BlockEnded" },
    { _tag: "Finished", stopReason: "stop" }
  ]
}

it.scopedLive("the run pauses, abort ends it all the same, and what was said is kept", () =>
  Effect.gen(function* () {
    const { agent, offered, root, script, send, session, turnsOfLoop, until } = yield* start([flood])
    yield* send({ id: "p", type: "prompt", message: "go" })
    yield* until(() => offered() > 1024)
    yield* turnsOfLoop(50)
    const paused = offered()
    assert.isBelow(paused, 4096)
    yield* turnsOfLoop(50)
    assert.strictEqual(offered(), paused)
    yield* send({ id: "a", type: "abort" })
    yield* Effect.timeout(agent.awaitIdle, "2 seconds")
    const last = (yield* session.messages).at(-1)
    assert.deepInclude(last, { role: "assistant", stopReason: "aborted" })
    assert.isAbove(JSON.stringify(last).length, 1000)
    assert.strictEqual(yield* script.open, 0)
    assert.isBelow(offered(), paused + 20)
    yield* until(() => Fibers.paths(root).length === 1)
  })
)

it.scopedLive("progress of tools waits, too, and an abort does not wait for it", () =>
  Effect.gen(function* () {
    let shown = 0
    const chatty: HostTool = {
      name: "chatty",
      description: "Reports without end.",
      parameters: {},
      call: (_, { progress }) =>
        Effect.forever(
          Effect.zipRight(
            Effect.sync(() => void shown++),
            progress({ content: [] })
          )
        )
    }
    const { agent, offered, send, session, turnsOfLoop, until } = yield* start(
      [ScriptedModel.call(["t", "chatty", {}])],
      [chatty]
    )
    yield* send({ id: "p", type: "prompt", message: "go" })
    yield* until(() => offered() > 1024)
    yield* turnsOfLoop(50)
    const [paused, reports] = [offered(), shown]
    assert.isBelow(paused, 2048)
    yield* turnsOfLoop(50)
    assert.deepStrictEqual([offered(), shown], [paused, reports])
    yield* send({ id: "a", type: "abort" })
    yield* Effect.timeout(agent.awaitIdle, "2 seconds")
    assert.strictEqual((yield* session.messages).filter(({ role }) => role === "toolResult").length, 1)
  })
)

it.scopedLive("a noisy `bash` command stands still, and abort_bash ends it", () =>
  Effect.gen(function* () {
    const { cwd, send, session, shell, turnsOfLoop, until } = yield* start([])
    const lines = join(cwd, "lines")
    yield* send({ id: "b", type: "bash", command: `while echo noise; do echo >> ${lines}; done` })
    yield* until(() => existsSync(lines))
    const written = Effect.map(turnsOfLoop(200), () => statSync(lines).size)
    let before = 0
    // The pipe and every buffer behind it are full.
    yield* Effect.repeat(written, { until: (now) => before === (before = now) })
    yield* send({ id: "a", type: "abort_bash" })
    const last = Effect.zipRight(EventLoop.nextTurn, session.messages)
    const isRecorded = (messages: ReadonlyArray<AgentMessage>) => messages.at(-1)?.role === "bashExecution"
    yield* Effect.timeout(Effect.repeat(last, { until: isRecorded }), "5 seconds")
    assert.isFalse(yield* shell.isUserRunning)
  })
)

it.scopedLive("a reader of a Stream that leaves does not hold up the run for ever", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make([flood])
    const cwd = yield* tempFolder
    const graph = Layer.provide(EmbeddedAgent.layer({ cwd, model: ScriptedModel.model }), script.layer)
    yield* Effect.gen(function* () {
      const agent = yield* Agent
      const reading = yield* Effect.fork(
        Effect.scoped(Effect.flatMap(agent.events.subscribe, (events) => Stream.runForEach(events, () => Effect.never)))
      )
      yield* EventLoop.nextTurn
      yield* agent.prompt({ text: "go" })
      yield* Effect.repeatN(EventLoop.nextTurn, 100)
      assert.isTrue((yield* agent.state).isStreaming)
      yield* Fiber.interrupt(reading)
      yield* Effect.timeout(agent.awaitIdle, "5 seconds")
      assert.deepInclude((yield* (yield* Session).messages).at(-1), { stopReason: "stop" })
    }).pipe(Effect.provide(graph))
  })
)

/** A question in the middle of a command: heddle reads on, and no end of the connection waits for it. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Predicate } from "effect"
import * as EmbeddedAgent from "../../../src/layers/EmbeddedAgent.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import * as SwitchedUi from "../../../src/layers/host/SwitchedUi.ts"
import * as Server from "../../../src/rpc/Server.ts"
import { UiSwitch } from "../../../src/services/host/HostUi.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as TestHost from "../../support/host/TestHost.ts"

type Frame = Readonly<Record<string, unknown>>
const record = (value: unknown): Frame => (Predicate.isReadonlyRecord(value) ? value : {})
const answer = (id: string) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id
const isQuestion = ({ method, type }: Frame) => type === "extension_ui_request" && method === "confirm"

const kinds = (node: unknown): ReadonlyArray<unknown> => {
  const { children, kind } = record(node)
  return [kind, ...(Array.isArray(children) ? children.flatMap(kinds) : [])]
}

/** A server whose compactions ask the user first, with the question of one open. */
const start = Effect.gen(function* () {
  const story = "A long story about a loom, told at length and with many details."
  const script = yield* ScriptedModel.make([ScriptedModel.say(story), ScriptedModel.say("Short.")])
  const host = yield* TestHost.make
  const { connect, ui } = SwitchedUi.make()
  const hooks = HookLayer.layer("asking", {
    compacting: () =>
      Effect.map(ui.confirm({ title: "Compact?", message: "It takes a while." }), (sure) =>
        sure ? ({ _tag: "Supply", compaction: { summary: "yes" } } as const) : ({ _tag: "Cancel" } as const)
      )
  })
  const settings = { "compaction.keepRecentTokens": 5 }
  const agent = EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model, settings }).pipe(
    Layer.provide(hooks),
    Layer.provideMerge(script.layer)
  )
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0)
  }).pipe(
    Effect.provideService(UiSwitch, { connect }),
    Effect.provide(Layer.mergeAll(agent, host.layer)),
    Effect.forkScoped
  )
  const seen: Array<Frame> = []
  const until = Effect.fnUntraced(function* (fits: (frame: Frame) => boolean) {
    while (true) {
      const [line = ""] = yield* host.receive(1)
      seen.push(record(JSON.parse(line)))
      const last = seen.at(-1) ?? {}
      if (fits(last)) return last
    }
  })
  const send = (frame: object) => host.send(JSON.stringify(frame))
  for (const id of ["p1", "p2"]) {
    yield* send({ id, type: "prompt", message: "Tell me a story that is long enough to be worth a summary" })
    yield* until(({ type }) => type === "session_settled")
  }
  yield* send({ id: "c", type: "compact" })
  const { id } = yield* until(isQuestion)
  const rest = Effect.map(host.rest, (lines) => lines.map((line) => record(JSON.parse(line))))
  return { close: host.close, id, rest, send, serving, until }
})

it.scopedLive("the host can ask, send and answer while a command waits for its user", () =>
  Effect.gen(function* () {
    const { id, send, until } = yield* start
    yield* send({ id: "g", type: "ping" })
    assert.deepInclude(yield* until(answer("g")), { success: true })
    yield* send({ id: "f", type: "get_fibers" })
    const [session] = Object.values(record(record(yield* until(answer("f")))["data"])["fibers"] ?? {})
    assert.deepStrictEqual(kinds(session), ["session", "command", "compaction", "hook", "dialog"])
    yield* send({ type: "extension_ui_response", id, confirmed: true })
    assert.deepInclude(record((yield* until(answer("c")))["data"]), { summary: "yes" })
  })
)

it.scopedLive("a host that goes has cancelled: the command is answered, and nothing waits", () =>
  Effect.gen(function* () {
    const { close, rest, serving } = yield* start
    yield* close
    yield* Effect.timeoutFail(Fiber.join(serving), { duration: "2 seconds", onTimeout: () => "it waited" })
    const frames = yield* rest
    assert.deepInclude(frames.find(answer("c")), { success: false, code: "cancelled" })
    assert.deepStrictEqual(
      frames.filter(({ type }) => type === "extension_ui_request"),
      []
    )
  })
)

it.scopedLive("a process that is ended withdraws the question first", () =>
  Effect.gen(function* () {
    const { id, rest, serving } = yield* start
    yield* Effect.timeoutFail(Effect.disconnect(Fiber.interrupt(serving)), {
      duration: "600 millis",
      onTimeout: () => "it waited"
    })
    const frames = yield* rest
    assert.deepInclude(frames[0], { type: "extension_ui_request", method: "cancel", targetId: id })
    assert.deepInclude(frames.find(answer("c")), { success: false, code: "cancelled" })
  })
)

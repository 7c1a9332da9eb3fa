/** Questions that arrive together: one look at the session answers them, unless something stands between them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EmbeddedAgent from "../../src/layers/EmbeddedAgent.ts"
import * as Server from "../../src/rpc/Server.ts"
import * as ScriptedModel from "../support/ScriptedModel.ts"
import * as TestHost from "../support/TestHost.ts"

const serving = Effect.gen(function* () {
  const script = yield* ScriptedModel.make([])
  const host = yield* TestHost.make
  const agent = EmbeddedAgent.layer({ cwd: "/", model: ScriptedModel.model })
  yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0),
    stop: Effect.never
  }).pipe(Effect.provide(Layer.merge(Layer.provideMerge(agent, script.layer), host.layer)), Effect.forkScoped)
  yield* host.receive(2)
  return host
})

const question = (id: string, more: object = {}) => JSON.stringify({ id, type: "get_state", ...more })
const setMode = (mode: string) => JSON.stringify({ type: "set_steering_mode", mode })

const read = (line: string) => {
  const { data, id } = JSON.parse(line)
  return `${id} ${data.steeringMode}${"dumpTools" in data ? " verbose" : ""}`
}

it.scoped("each gets its own id and what was in force at its place", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const ask = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
      yield* host.send(...lines)
      const got = yield* host.receive(lines.length)
      return got.filter((line) => line.includes('"get_state"')).map(read)
    })
    const first = yield* ask(question("1"), question("2"), setMode("all"), question("3"), question("4"))
    const verbose = yield* ask(question("5"), question("6", { verbose: true }))
    const last = yield* ask(setMode("one-at-a-time"), question("7"), question("8"))
    assert.deepStrictEqual(
      [...first, ...verbose, ...last],
      [
        "1 one-at-a-time",
        "2 one-at-a-time",
        "3 all",
        "4 all",
        "5 all",
        "6 all verbose",
        "7 one-at-a-time",
        "8 one-at-a-time"
      ]
    )
  })
)

/** The level of trust is asked for when a frame needs it, because it may rise while the process runs. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as EmbeddedAgent from "../../src/layers/Embedded.ts"
import * as Server from "../../src/rpc/Server.ts"
import { fixed, Trust, type TrustLevel } from "../../src/services/Trust.ts"
import * as FirstSession from "../support/agent/FirstSession.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import * as TestHost from "../support/host/TestHost.ts"

it.scoped("ready has the level at start; get_state and initialize have the one that holds", () =>
  Effect.gen(function* () {
    const level = yield* Ref.make<TrustLevel>("untrusted")
    const script = yield* ScriptedModel.make([])
    const host = yield* TestHost.make
    const sessions = EmbeddedAgent.layerSessions({ cwd: "/", model: ScriptedModel.model })
    const embedded = Layer.provideMerge(Layer.provideMerge(FirstSession.layer, sessions), script.layer)
    const trust = Layer.succeed(Trust, { ...fixed("untrusted"), level: Ref.get(level) })
    yield* Server.serve({
      version: "0.0.0",
      updates: "delta",
      drain: false,
      uptime: Effect.succeed(0)
    }).pipe(Effect.provide(Layer.mergeAll(embedded, host.layer, trust)), Effect.forkScoped)
    const ask = Effect.fnUntraced(function* (type: string) {
      yield* host.send(JSON.stringify({ id: type, type }))
      const [line = ""] = yield* host.receive(1)
      return JSON.parse(line).data
    })
    const [ready = ""] = yield* host.receive(2)
    assert.strictEqual(JSON.parse(ready).enforcement.trust, "untrusted")
    assert.strictEqual((yield* ask("get_state")).trust, "untrusted")
    yield* Ref.set(level, "trusted")
    assert.strictEqual((yield* ask("get_state")).trust, "trusted")
    assert.strictEqual((yield* ask("initialize")).enforcement.trust, "trusted")
  })
)

import { assert, it } from "@effect/vitest"
import { Instructions } from "../../src/services/session/modules/Instructions.ts"
import { Context, Effect, Layer, Predicate } from "effect"
import * as EmbeddedAgent from "../../src/layers/Embedded.ts"
import * as Server from "../../src/rpc/Server.ts"
import { Sessions } from "../../src/services/session/Sessions.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import * as TestHost from "../support/host/TestHost.ts"

/** A session whose prompt is being read by a fiber that ends with the session. */
const left = Layer.effect(
  Sessions,
  Effect.map(Sessions, (sessions) => ({
    ...sessions,
    current: Effect.map(sessions.current, (session) => {
      const instructions = Context.get(session, Instructions)
      return Context.add(session, Instructions, { ...instructions, current: Effect.interrupt })
    })
  }))
)

it.scoped("a query that waited for a session that was left is answered, and the reader goes on", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make([])
    const host = yield* TestHost.make
    const agent = EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model })
    yield* Server.serve({
      version: "0.0.0",
      updates: "delta",
      drain: false,
      uptime: Effect.succeed(0)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(Layer.provideMerge(left, agent).pipe(Layer.provideMerge(script.layer)), host.layer)
      ),
      Effect.forkScoped
    )
    yield* host.send('{"id":"1","type":"get_state","verbose":true}\n{"id":"2","type":"ping"}\n')
    const answers: Array<unknown> = []
    while (answers.length < 2) {
      const [line = ""] = yield* host.receive(1)
      const frame: unknown = JSON.parse(line)
      if (Predicate.hasProperty(frame, "id") && Predicate.hasProperty(frame, "success")) {
        answers.push([frame.id, frame.success, Predicate.hasProperty(frame, "code") ? frame.code : undefined])
      }
    }
    assert.deepStrictEqual(answers, [
      ["1", false, "cancelled"],
      ["2", true, undefined]
    ])
  })
)

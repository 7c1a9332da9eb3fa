import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as EmbeddedAgent from "../../../src/layers/Embedded.ts"
import * as DialectFrames from "../../../src/rpc/dialect/DialectFrames.ts"
import { dialects } from "../../../src/rpc/dialect/Dialect.ts"
import * as Echoes from "../../../src/rpc/dialect/Echoes.ts"
import { toFrames } from "../../../src/rpc/protocol/events/EventFrames.ts"
import * as Server from "../../../src/rpc/Server.ts"
import { fixed, Trust } from "../../../src/services/Trust.ts"
import * as FirstSession from "../../support/agent/FirstSession.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as Connections from "../../support/Connections.ts"
import * as TestHost from "../../support/host/TestHost.ts"

const framesOf = (name: keyof typeof dialects) =>
  DialectFrames.make({ ...Connections.terms, dialect: dialects[name], agentEnd: dialects[name].agentEnd }, () => ({}))

const changed = (level: "high" | "max") => ({ _tag: "ThinkingLevelChanged", level }) as const

const aMessage = (messageId: string) =>
  ({
    _tag: "MessageEnded",
    runId: "r",
    messageId,
    message: { role: "user", content: [], timestamp: 0 }
  }) as const

describe("DialectFrames", () => {
  it("a level that hosts of xcsh do not know has the highest name they know, and the exact one beside it", () => {
    const clamped = {
      type: "thinking_level_changed",
      level: "xhigh",
      thinkingLevel: "xhigh",
      thinkingLevelExact: "max"
    }
    for (const name of ["xcsh", "xcsh-strict"] as const) {
      assert.deepStrictEqual(framesOf(name)(changed("max")), [clamped])
      assert.deepStrictEqual(framesOf(name)(changed("high")), toFrames(changed("high"), {}))
    }
    for (const name of ["superset", "pi", "omp", "pisces", "pi-early"] as const) {
      assert.deepStrictEqual(framesOf(name)(changed("max")), toFrames(changed("max"), {}))
    }
  })

  it("a custom message outside a run belongs to no attempt, and has no run", () => {
    const message = { role: "custom", customType: "log", content: "x", display: true, timestamp: 0 } as const
    const outside = { _tag: "MessageEnded", messageId: "m1", message } as const
    const show = framesOf("xcsh-strict")
    show({ _tag: "RunStarted", runId: "r" })
    assert.deepStrictEqual(show(outside), [{ type: "message_end", message, messageId: "m1" }])
    show({ ...outside, runId: "r", messageId: "m2" })
    assert.deepInclude(show({ _tag: "RunEnded", runId: "r", messages: [] })[0], { messages: [message] })
  })

  it("attachments are shown once, and those that nobody asks for are forgotten", () => {
    const echoes = Echoes.make()
    const file = { type: "document", fileName: "a", mimeType: "text/plain", content: "aGk=" } as const
    const show = DialectFrames.make({ ...Connections.terms, dialect: dialects["pi-early"], echoes }, () => ({}))
    for (let n = 0; n < 100; n++) echoes.keep(`m${n}`, [file])
    assert.isUndefined(echoes.find("m35"))
    const shown = { ...aMessage("m36").message, attachments: [file] }
    assert.deepInclude(show(aMessage("m36"))[0], { message: shown })
    assert.deepStrictEqual(show(aMessage("m36")), toFrames(aMessage("m36"), {}))
  })

  it.scoped.each([
    ["xcsh", ["dumpTools"]],
    ["xcsh-strict", ["systemPrompt", "dumpTools"]]
  ] as const)("%s: get_state has %s without being asked", ([dialect, large]) =>
    Effect.gen(function* () {
      const script = yield* ScriptedModel.make([])
      const host = yield* TestHost.make
      const sessions = EmbeddedAgent.layerSessions({ cwd: "/", model: ScriptedModel.model })
      const embedded = Layer.provideMerge(Layer.provideMerge(FirstSession.layer, sessions), script.layer)
      const serving = yield* Server.serve({
        version: "0.0.0",
        updates: "delta",
        dialect,
        drain: false,
        uptime: Effect.succeed(0)
      }).pipe(Effect.provide(Layer.mergeAll(embedded, host.layer, Layer.succeed(Trust, fixed("trusted")))), Effect.fork)
      yield* host.receive(2)
      yield* host.send('{"id":1,"type":"get_state"}')
      const [{ data }] = (yield* host.receive(1)).map((line) => JSON.parse(line))
      assert.sameMembers(
        ["systemPrompt", "dumpTools"].filter((member) => member in data),
        [...large]
      )
      assert.isNotEmpty(data.dumpTools)
      assert.strictEqual(data.protocol.dialect, dialect)
      yield* host.close
      yield* Fiber.join(serving)
    })
  )
})

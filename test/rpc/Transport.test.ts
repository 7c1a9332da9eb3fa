/** The program of docs/embedding.md that speaks the wire inside one process: a transport made from two Mailboxes. */
import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Layer, Mailbox } from "effect"
import * as Heddle from "../../src/index.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"

const connect = Effect.gen(function* () {
  const input = yield* Mailbox.make<Uint8Array>()
  const output = yield* Mailbox.make<string>()
  const write = (text: string) => Effect.asVoid(output.offer(text))
  const transport = Layer.succeed(Heddle.Transport.Transport, { input, write, gather: Effect.yieldNow() })
  return { input, output, transport }
})

it.scoped("a program speaks the wire over two Mailboxes", () =>
  Effect.gen(function* () {
    const { input, output, transport } = yield* connect
    const script = yield* ScriptedModel.make([ScriptedModel.say("Hello over the wire")])
    const agent = Heddle.EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model }).pipe(
      Layer.provideMerge(script.layer)
    )
    const serving = yield* Heddle.Server.serve({
      version: "1.0.0",
      updates: "delta",
      drain: true,
      uptime: Effect.succeed(0)
    }).pipe(Effect.zipLeft(output.end), Effect.provide(Layer.merge(agent, transport)), Effect.fork)
    yield* input.offer(new TextEncoder().encode('{"id":"p","type":"prompt","message":"Hi"}\n'))
    yield* input.end
    yield* Fiber.join(serving)
    const written = yield* output.takeAll
    const lines = Chunk.join(written[0], "").split("\n").slice(0, -1)
    const types = lines.map((line): string => JSON.parse(line).type)
    assert.deepStrictEqual([types[0], types[1], types.at(-1)], ["ready", "startup", "session_settled"])
    assert.include(lines.join("\n"), "Hello over the wire")
    assert.strictEqual(types.filter((type) => type === "response").length, 1)
  })
)

/** Transports over real sockets, and the wire over one of them. */
import { createServer, type Server as NetServer, type Socket as NetSocket } from "node:net"
import * as BunSocket from "@effect/platform-bun/BunSocket"
import * as NodeSocket from "@effect/platform-node-shared/NodeSocket"
import { Socket } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import * as Heddle from "../../../../src/index.ts"
import { TransportFromSocket } from "../../../../src/platform.ts"
import { ScriptedModel, TransportConformance } from "../../../../src/testing.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const listen = (at: string | undefined) =>
  Effect.acquireRelease(
    Effect.async<{ server: NetServer; accepted: Promise<NetSocket>; port: number }>((resume) => {
      const { promise, resolve } = Promise.withResolvers<NetSocket>()
      const server = createServer(resolve)
      const opened = () => {
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        resume(Effect.succeed({ server, accepted: promise, port }))
      }
      if (at === undefined) server.listen(0, "127.0.0.1", opened)
      else server.listen(at, opened)
    }),
    ({ server }) => Effect.sync(() => void server.close())
  )

const hostOf = (socket: NetSocket): TransportConformance.Host => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  let wake = () => {}
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    wake()
  })
  socket.on("error", () => undefined)
  return {
    send: (bytes) => Effect.async((resume) => void socket.write(bytes, () => resume(Effect.void))),
    receive: (wanted) =>
      Effect.promise(async () => {
        while (length < wanted) {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          await promise
        }
        return Buffer.concat(chunks)
      }),
    close: Effect.async((resume) => {
      socket.once("close", () => resume(Effect.void))
      socket.end(() => socket.destroySoon())
    })
  }
}

/** A pair of connected ends: the Transport is at the side that dialled. */
const connected = Effect.fnUntraced(function* (kind: "TCP" | "a Unix socket" | "TCP on Node") {
  const path = kind === "a Unix socket" ? `${yield* tempFolder}/s` : undefined
  const { accepted, port } = yield* listen(path)
  const make = kind === "TCP on Node" ? NodeSocket.makeNet : BunSocket.makeNet
  const socket = yield* make(path === undefined ? { host: "127.0.0.1", port } : { path })
  const layer = Layer.provide(TransportFromSocket.layer, Layer.succeed(Socket.Socket, socket))
  const transport = Context.get(yield* Layer.build(layer), Heddle.Transport.Transport)
  return { transport, host: hostOf(yield* Effect.promise(() => accepted)) }
})

describe.each(["TCP", "a Unix socket", "TCP on Node"] as const)("over %s", (kind) => {
  for (const check of TransportConformance.checks)
    it.scopedLive(check.name, () => Effect.flatMap(connected(kind), check.run))
})

it.scopedLive("a host speaks the wire over a socket", () =>
  Effect.gen(function* () {
    const { host, transport } = yield* connected("TCP")
    const script = yield* ScriptedModel.make([ScriptedModel.say("Hello over a socket")])
    const agent = Heddle.EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model })
    const serving = yield* Heddle.Server.serve({
      version: "1.0.0",
      updates: "delta",
      drain: false,
      uptime: Effect.succeed(0)
    }).pipe(
      Effect.provide(Layer.provideMerge(agent, script.layer)),
      Effect.provideService(Heddle.Transport.Transport, transport),
      Effect.fork
    )
    yield* host.send(new TextEncoder().encode('{"id":"p","type":"prompt","message":"Hi"}\n'))
    let seen = ""
    while (!seen.includes('"session_settled"')) seen = new TextDecoder().decode(yield* host.receive(seen.length + 1))
    assert.include(seen, "Hello over a socket")
    yield* host.close
    yield* Fiber.join(serving)
  })
)

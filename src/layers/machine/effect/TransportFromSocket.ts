/**
 * Transport over a Socket of @effect/platform: a TCP or Unix socket, or a WebSocket. The host's side cannot be slowed down,
 * because a Socket reads ahead of what is taken from it.
 */
import * as Socket from "@effect/platform/Socket"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import { HostGone, Transport } from "../../../services/host/Transport.ts"
import * as EventLoop from "../engine/EventLoop.ts"

const make = Effect.gen(function* () {
  const socket = yield* Socket.Socket
  const input = yield* Mailbox.make<Uint8Array>()
  const closed = yield* Deferred.make<never, HostGone>()
  const write = yield* socket.writer
  const read = Effect.exit(socket.run((bytes) => void input.unsafeOffer(bytes)))
  const ended = (cause: unknown) => Effect.zipRight(Deferred.fail(closed, new HostGone({ cause })), input.end)
  yield* Effect.forkScoped(Effect.flatMap(read, ended))
  return Transport.of({
    input,
    // A Socket keeps what is written to it when it has closed, until it is opened again.
    write: (text) =>
      Effect.raceFirst(
        Deferred.await(closed),
        Effect.mapError(write(text), (cause) => new HostGone({ cause }))
      ),
    gather: EventLoop.nextTurn
  })
})

/** One host: build it anew for each connection. */
export const layer: Layer.Layer<Transport, never, Socket.Socket> = Layer.scoped(Transport, make)

/** A host on in-memory pipes: a transport for `Server.serve`, with the side of the host to send lines and read frames. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import { Transport } from "../services/host/Transport.ts"
import * as EventLoop from "../layers/machine/engine/EventLoop.ts"

export interface MemoryHostOptions {
  /** Changes the text of frames before the host reads them, for transcripts without what differs from run to run. */
  readonly stable?: (text: string) => string
}

export const make = Effect.fnUntraced(function* ({ stable = (text) => text }: MemoryHostOptions = {}) {
  const input = yield* Mailbox.make<Uint8Array>()
  const frames = yield* Mailbox.make<string>()
  const layer = Layer.succeed(Transport, {
    input,
    write: (text) => Effect.asVoid(frames.offerAll(stable(text).split("\n").slice(0, -1))),
    gather: EventLoop.nextTurn
  })
  const sendBytes = (bytes: Uint8Array) => input.offer(bytes)
  return {
    layer,
    /** In one chunk, so that several lines arrive together. */
    send: (...lines: ReadonlyArray<string>) => sendBytes(new TextEncoder().encode(`${lines.join("\n")}\n`)),
    sendBytes,
    /** Closes the side of the host: EOF for the server. */
    close: input.end,
    /** The next frames, without their line feeds. */
    receive: (count: number) => Effect.map(frames.takeN(count), ([taken]) => Chunk.toReadonlyArray(taken)),
    /** The frames that were written and not received yet. */
    rest: Effect.map(frames.clear, Chunk.toReadonlyArray)
  }
})

export type MemoryHost = Effect.Effect.Success<ReturnType<typeof make>>

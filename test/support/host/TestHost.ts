/** A host on in-memory pipes: sends chunks, reads whole frames. */
import { Chunk, Effect, Layer, Mailbox } from "effect"
import * as EventLoop from "../../../src/layers/platform/EventLoop.ts"
import { schemaHash } from "../../../src/rpc/protocol/schemaHash.ts"
import { Transport } from "../../../src/services/host/Transport.ts"

/** The hash changes with every schema; transcripts must not. */
const stable = (text: string) => text.replaceAll(schemaHash, "sha256:0")

export const make = Effect.gen(function* () {
  const input = yield* Mailbox.make<Uint8Array>()
  const frames = yield* Mailbox.make<string>()
  const layer = Layer.succeed(Transport, {
    input,
    write: (text) => Effect.asVoid(frames.offerAll(stable(text).split("\n").slice(0, -1))),
    gather: EventLoop.nextTurn
  })
  const send = (bytes: Uint8Array) => input.offer(bytes)
  return {
    layer,
    /** In one chunk, so that several lines arrive together. */
    send: (...lines: ReadonlyArray<string>) => send(new TextEncoder().encode(`${lines.join("\n")}\n`)),
    sendBytes: send,
    /** Closes our side: EOF for the server. */
    close: input.end,
    receive: (count: number) => Effect.map(frames.takeN(count), ([taken]) => Chunk.toReadonlyArray(taken)),
    /** What has been written and not received yet. */
    rest: Effect.map(frames.clear, Chunk.toReadonlyArray),
    /** Only for rewriting goldens: what has been written once nothing more came for a while. */
    receiveQuiet: Effect.gen(function* () {
      const all: Array<string> = []
      for (let last = performance.now(); performance.now() - last < 600;) {
        yield* EventLoop.nextTurn
        const taken = yield* frames.clear
        if (Chunk.isEmpty(taken)) continue
        all.push(...taken)
        last = performance.now()
      }
      return all
    })
  }
})

export type TestHost = Effect.Effect.Success<typeof make>

/** A host on in-memory pipes: sends chunks, reads whole frames. */
import { Chunk, Effect, Layer, Mailbox } from "effect"
import * as EventLoop from "../../src/layers/platform/EventLoop.ts"
import { Transport } from "../../src/services/Transport.ts"

export const make = Effect.gen(function* () {
  const input = yield* Mailbox.make<Uint8Array>()
  const frames = yield* Mailbox.make<string>()
  const layer = Layer.succeed(Transport, {
    input,
    write: (text) =>
      Effect.asVoid(
        frames.offerAll(
          text
            .split("\n")
            .slice(0, -1)
            .map((line) => line)
        )
      ),
    gather: EventLoop.nextTurn
  })
  return {
    layer,
    /** In one chunk, so that several lines arrive together. */
    send: (...lines: ReadonlyArray<string>) => input.offer(new TextEncoder().encode(`${lines.join("\n")}\n`)),
    sendBytes: (bytes: Uint8Array) => input.offer(bytes),
    /** Closes our side: EOF for the server. */
    close: input.end,
    receive: (count: number) => Effect.map(frames.takeN(count), ([taken]) => Chunk.toReadonlyArray(taken)),
    /** What has been written by the time nothing more comes for a while. */
    receiveQuiet: Effect.gen(function* () {
      const all: Array<string> = []
      for (let quiet = 0; quiet < 200; quiet++) {
        yield* EventLoop.nextTurn
        const [taken] = yield* frames.clear.pipe(Effect.map((taken) => [taken]))
        if (taken !== undefined && Chunk.size(taken) > 0) {
          all.push(...taken)
          quiet = 0
        }
      }
      return all
    })
  }
})

export type TestHost = Effect.Effect.Success<typeof make>

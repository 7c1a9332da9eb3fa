/** Transport over stdin and stdout of this process. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { HostGone, Transport } from "../../../services/host/Transport.ts"
import * as EventBuffer from "../EventBuffer.ts"
import * as EventLoop from "../EventLoop.ts"
import * as StdoutGuard from "./StdoutGuard.ts"

/** A few chunks of lead; beyond that the pipe itself holds back the host. */
const inputLead = 16

/** Ends with the buffer. A read error is the end of the host as much as EOF is. */
const readStdin = async (into: EventBuffer.EventBuffer<Uint8Array, never>) => {
  for await (const chunk of Bun.stdin.stream()) {
    while (!into.offer(chunk)) {
      if (into.isOver()) return
      await into.room()
    }
  }
}

const gone = (cause: unknown) => new HostGone({ cause })

/** Most writes are taken at once; a promise is the pipe's way of saying that it did not take all. */
const send = (sink: Bun.FileSink, text: string): Effect.Effect<void, HostGone> => {
  try {
    const written = sink.write(text)
    const flushed = sink.flush()
    if (typeof written === "number" && typeof flushed === "number") return Effect.void
    // Unless it is awaited, a host that has gone ends the process.
    return Effect.tryPromise({ try: () => Promise.all([written, flushed]), catch: gone })
  } catch (cause) {
    return Effect.fail(gone(cause))
  }
}

const make = Effect.gen(function* () {
  const frames = yield* StdoutGuard.acquire
  const sink = Bun.file(frames).writer({ highWaterMark: 1024 * 1024 })
  const input = EventBuffer.make<Uint8Array, never>(inputLead)
  const over = () => input.done(Exit.void)
  yield* Effect.addFinalizer(() => Effect.sync(over))
  readStdin(input).then(over, over)
  return Transport.of({
    input,
    write: (text) => Effect.suspend(() => send(sink, text)),
    gather: EventLoop.onNextTurn
  })
})

export const layer = Layer.scoped(Transport, make)

/** Transport over stdin and stdout of this process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
import { HostGone, Transport } from "../../services/Transport.ts"
import * as EventLoop from "./EventLoop.ts"
import * as StdoutGuard from "./StdoutGuard.ts"

/** A few chunks of lead; beyond that the pipe itself holds back the host. */
const inputLead = 16

/** A read error is the end of the host as much as EOF is. */
const readStdin = (into: Mailbox.Mailbox<Uint8Array>) =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) =>
    Effect.tryPromise(async (signal) => {
      for await (const chunk of Bun.stdin.stream()) {
        if (!into.unsafeOffer(chunk)) await Runtime.runPromise(runtime)(into.offer(chunk), { signal })
      }
    })
  ).pipe(Effect.ignore, Effect.ensuring(into.end))

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
  const input = yield* Mailbox.make<Uint8Array>(inputLead)
  yield* Effect.forkScoped(readStdin(input))
  return Transport.of({
    input,
    write: (text) => Effect.suspend(() => send(sink, text)),
    gather: EventLoop.nextTurn
  })
})

export const layer = Layer.scoped(Transport, make)

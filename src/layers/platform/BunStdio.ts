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

const make = Effect.gen(function* () {
  const frames = yield* StdoutGuard.acquire
  const sink = Bun.file(frames).writer({ highWaterMark: 1024 * 1024 })
  const input = yield* Mailbox.make<Uint8Array>(inputLead)
  yield* Effect.forkScoped(readStdin(input))
  return Transport.of({
    input,
    write: (text) =>
      Effect.tryPromise({
        try: async () => {
          // A promise where the pipe did not take it all: unless it is awaited, a host that has gone ends the process.
          await sink.write(text)
          await sink.flush()
        },
        catch: (cause) => new HostGone({ cause })
      }),
    gather: EventLoop.nextTurn
  })
})

export const layer = Layer.scoped(Transport, make)

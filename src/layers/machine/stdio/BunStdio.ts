/** Transport over stdin and stdout of this process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import { Transport } from "../../../services/host/Transport.ts"
import * as Engine from "../engine/Engine.ts"
import * as EventLoop from "../engine/EventLoop.ts"
import * as Primordials from "../engine/Primordials.ts"
import * as Process from "../processes/Process.ts"
import { send } from "./SendText.ts"
import * as StdoutGuard from "./StdoutGuard.ts"

/** Chunks that are read ahead. Beyond that stdin is left alone, and the pipe holds back the host. */
const inputLead = 16

/** At once, and again when what was in use by then is garbage, too. The end of the process does not wait for it. */
const collect = () => {
  Primordials.setImmediate(Engine.collectGarbage)
  Primordials.setTimeout(Engine.collectGarbage, 1000).unref()
}

const openStdin = (from: Bun.BunFile) =>
  Effect.acquireRelease(
    Effect.sync(() => from.stream().getReader()),
    (stdin) => Effect.sync(() => void stdin.cancel().catch(() => undefined))
  )

/** Runs until EOF. A read error ends the input, too: nothing more can come from the host. */
const readStdin = Effect.fnUntraced(function* (from: Bun.BunFile, into: Mailbox.Mailbox<Uint8Array>) {
  const stdin = yield* openStdin(from)
  const next = Effect.match(
    Primordials.awaited(() => stdin.read()),
    { onSuccess: ({ value }) => value, onFailure: () => undefined }
  )
  for (let chunk = yield* next; chunk !== undefined; chunk = yield* next) yield* into.offer(chunk)
}, Effect.scoped)

const make = Effect.fnUntraced(function* ({ reads }: { readonly reads: boolean }) {
  const { input: frames, output } = yield* StdoutGuard.acquire
  const writable = Process.writable(output)
  const sink = Bun.file(output).writer({ highWaterMark: 1024 * 1024 })
  const input = yield* Mailbox.make<Uint8Array>(inputLead)
  if (reads) yield* Effect.forkScoped(Effect.ensuring(readStdin(frames, input), input.end))
  else yield* input.end
  return Transport.of({
    input,
    write: (text) => Effect.suspend(() => send(sink, writable(text))),
    gather: EventLoop.nextTurn,
    collect
  })
})

export const layer = Layer.scoped(Transport, make({ reads: true }))

/** Leaves stdin alone: a process in the background that reads its terminal is stopped. */
export const layerOutput = Layer.scoped(Transport, make({ reads: false }))

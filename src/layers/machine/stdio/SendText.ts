/** Writes text to a descriptor of this process, at the speed of its reader. */
import * as Effect from "effect/Effect"
import * as Primordials from "../engine/Primordials.ts"
import { HostGone } from "../../../services/host/Transport.ts"

const gone = (cause: unknown) => new HostGone({ cause })

/** Most writes are taken at once. The sink returns a promise when it has not taken all of the text. */
export const send = (sink: Bun.FileSink, text: string): Effect.Effect<void, HostGone> => {
  try {
    const written = sink.write(text)
    const flushed = sink.flush()
    if (typeof written === "number" && typeof flushed === "number") return Effect.void
    // An unhandled rejection would end the process.
    const all = async () => {
      await written
      await flushed
    }
    return Effect.mapError(Primordials.awaited(all), gone)
  } catch (cause) {
    return Effect.fail(gone(cause))
  }
}

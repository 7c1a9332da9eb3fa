/** The log of one check: everything it wrote, in a file that is made with the first byte of it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { dirname } from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as Artifact from "../../tools/shell/Artifact.ts"

export interface CheckLog {
  /** Returns an effect to wait for, or undefined, which is nearly always. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void> | undefined
  /** The path of the file, if there is one. A log that reached its limit gets the end of the output, too. */
  readonly finish: (end: Uint8Array) => Effect.Effect<Option.Option<string>>
}

export interface CheckLogOptions {
  readonly files: Files
  readonly path: string
  readonly maxBytes: number
}

const cutNotice = new TextEncoder().encode(
  "\n\n[The log reached its limit. What follows is the end of the output.]\n\n"
)

/** No log: there is no folder for it. */
export const none: CheckLog = { write: () => undefined, finish: () => Effect.succeedNone }

/** A log that cannot be written fails no check. The person who looks for it finds out why it is missing. */
const missing = (path: string, reason: string) =>
  Effect.as(Effect.logWarning(`The log of a verification was not kept: ${path}: ${reason}`), Option.none<string>())

export const make = ({ files, maxBytes, path }: CheckLogOptions): CheckLog => {
  let artifact: Artifact.Artifact | undefined
  let failure: string | undefined
  let room = maxBytes

  const open = Effect.zipRight(files.makeFolder(dirname(path)), files.createOutput(path)).pipe(
    Effect.match({
      onFailure: ({ message }) => void (failure = message),
      onSuccess: (file) => void (artifact = Artifact.fromFile(path, file, Number.POSITIVE_INFINITY))
    })
  )

  const append = (bytes: Uint8Array) => {
    const fitting = bytes.subarray(0, Math.max(0, room))
    // Less than nothing: something was left out.
    room -= bytes.length
    return fitting.length === 0 ? undefined : artifact?.write(fitting)
  }

  const close = Effect.fnUntraced(function* (opened: Artifact.Artifact, end: Uint8Array) {
    if (room < 0) {
      yield* opened.write(cutNotice) ?? Effect.void
      yield* opened.write(end) ?? Effect.void
    }
    const failed = yield* opened.finish
    return Option.isNone(failed) ? Option.some(opened.path) : yield* missing(path, failed.value)
  })

  return {
    write: (bytes) => {
      if (bytes.length === 0 || failure !== undefined) return undefined
      return artifact === undefined
        ? Effect.zipRight(
            open,
            Effect.suspend(() => append(bytes) ?? Effect.void)
          )
        : append(bytes)
    },
    finish: (end) =>
      Effect.suspend(() => {
        if (artifact !== undefined) return close(artifact, end)
        return failure === undefined ? Effect.succeedNone : missing(path, failure)
      })
  }
}

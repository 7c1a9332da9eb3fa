/** Takes the output of one command: keeps its end, reports all of it, and writes long output to an artifact. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Truncate from "../files/Truncate.ts"
import type { FileRefused } from "../../machine/files/own/OwnFiles.ts"
import type { ByteMask } from "../../machine/secrets/ByteMask.ts"
import type { Artifact } from "./Artifact.ts"
import * as CleanOutput from "./CleanOutput.ts"
import * as OutputTail from "./OutputTail.ts"

export interface RecorderOptions {
  /** Runs at most once, when the output passes the limits. */
  readonly open: Effect.Effect<Artifact, FileRefused>
  readonly limits?: Truncate.Limits
  readonly mask?: ByteMask | undefined
  /** Gets all output, including the part that is not kept. */
  readonly onDelta?: ((delta: string) => Effect.Effect<void>) | undefined
}

export interface Recorded {
  readonly truncation: Truncate.TruncationResult
  readonly artifact: Option.Option<Artifact>
  /** Why output that was cut has no artifact. */
  readonly artifactError: Option.Option<string>
}

export interface OutputRecorder {
  /** Returns an effect to wait for, or undefined, which is nearly always. */
  readonly push: (chunk: Uint8Array) => Effect.Effect<void> | undefined
  readonly received: () => number
  readonly snapshot: () => Truncate.TruncationResult
  /** Nothing may be pushed after this. */
  readonly finish: Effect.Effect<Recorded>
}

/** What has come so far. */
export const unfinished = ({ snapshot }: OutputRecorder): Recorded => ({
  truncation: snapshot(),
  artifact: Option.none(),
  artifactError: Option.none()
})

export const make = ({ limits = Truncate.defaultLimits, mask, onDelta, open }: RecorderOptions): OutputRecorder => {
  const cleaner = CleanOutput.make()
  const tail = OutputTail.make(limits)
  let artifact: Artifact | undefined
  let artifactError: string | undefined
  let received = 0

  const openArtifact = Effect.matchEffect(open, {
    onFailure: ({ message }) => Effect.sync(() => void (artifactError = message)),
    onSuccess: (opened) => {
      artifact = opened
      return opened.write(tail.kept()) ?? Effect.void
    }
  })

  const record = (clean: Uint8Array) => {
    tail.push(clean, cleaner.lineFeeds())
    return artifact?.write(clean)
  }

  const utf8 = onDelta === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true })
  const report = (delta: string | undefined) =>
    delta === undefined || delta === "" || onDelta === undefined ? undefined : onDelta(delta)

  const overflows = (clean: Uint8Array) =>
    tail.totalBytes() + clean.length > limits.maxBytes || cleaner.lineFeeds() >= limits.maxLines

  const finish = (): Effect.Effect<Recorded> => {
    const truncation = tail.snapshot()
    if (artifact === undefined || !truncation.truncated) {
      const none = { truncation, artifact: Option.none(), artifactError: Option.fromNullable(artifactError) }
      return artifact === undefined ? Effect.succeed(none) : Effect.as(artifact.discard, none)
    }
    const kept = artifact
    return Effect.map(kept.finish, (failed) => ({
      truncation,
      artifact: Option.isNone(failed) ? Option.some(kept) : Option.none(),
      artifactError: failed
    }))
  }

  const keep = (clean: Uint8Array) => {
    // Opens the artifact while the tail still holds everything that belongs into it.
    const opens = artifact === undefined && artifactError === undefined && overflows(clean)
    const recorded = opens ? Effect.flatMap(openArtifact, () => record(clean) ?? Effect.void) : record(clean)
    const reported = report(utf8?.decode(clean, { stream: true }))
    if (recorded === undefined || reported === undefined) return recorded ?? reported
    return Effect.zipRight(recorded, reported)
  }

  return {
    push: (chunk) => {
      received += chunk.length
      const clean = cleaner.push(chunk)
      return keep(mask === undefined ? clean : mask.push(clean))
    },
    received: () => received,
    snapshot: tail.snapshot,
    finish: Effect.suspend(() => {
      const kept = mask === undefined ? undefined : keep(mask.end())
      const end = Effect.suspend(() => {
        const reported = report(utf8?.decode())
        return reported === undefined ? finish() : Effect.zipRight(reported, Effect.suspend(finish))
      })
      return kept === undefined ? end : Effect.zipRight(kept, end)
    })
  }
}

/**
 * Reads the async iterable of a provider SDK inside one promise: a delta costs no fiber, no Effect and no timer.
 * An interrupt fires the signal and returns at once; what the SDK still yields falls on a closed mailbox.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"

/** `take`: the events came, but one of them could not be made sense of. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export interface Source<Raw, A, E> {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Raw>>
  /** What one event means; a failure ends the reading. */
  readonly take: (raw: Raw) => Either.Either<ReadonlyArray<A>, E>
  /** Told when the reader of the mailbox has fallen behind, and when it has caught up. */
  readonly onWaiting: (waiting: boolean) => void
}

export const pump = <Raw, A, E>(
  source: Source<Raw, A, E>,
  into: Mailbox.Mailbox<A, E>
): Effect.Effect<void, E | SourceFailed> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) => {
    let stage: SourceFailed["stage"] = "open"
    const offer = async (event: A, signal: AbortSignal) => {
      source.onWaiting(true)
      await Runtime.runPromise(runtime)(into.offer(event), { signal })
      source.onWaiting(false)
    }
    return Effect.tryPromise({
      try: async (signal): Promise<Either.Either<void, E>> => {
        const items = await source.open(signal)
        stage = "read"
        for await (const item of items) {
          if (signal.aborted) break
          stage = "take"
          const taken = source.take(item)
          stage = "read"
          if (Either.isLeft(taken)) return Either.left(taken.left)
          for (const event of taken.right) if (!into.unsafeOffer(event)) await offer(event, signal)
        }
        return Either.void
      },
      catch: (cause) => new SourceFailed({ stage, cause })
    }).pipe(Effect.flatten)
  })

/**
 * Reads the async iterable of a provider SDK inside one promise: neither a call nor a delta costs a fiber. The scope
 * owns the promise: closing it fires the signal and returns at once, and what the SDK still yields is dropped.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { EventBuffer } from "./EventBuffer.ts"

/** `take`: the events came, but one of them could not be made sense of. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export interface Source<Raw, A, E> {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Raw>>
  /** One event; a failure ends the reading. */
  readonly take: (raw: Raw) => E | undefined
  /** What the events since the last time mean. */
  readonly drain: () => ReadonlyArray<A>
  readonly failed: (error: SourceFailed) => E
  /** The source is over: hands back why that was too early. */
  readonly end: () => E | undefined
  /** Told when the reader has fallen behind, and when it has caught up. */
  readonly onWaiting: (waiting: boolean) => void
  /** Nothing is read any more. */
  readonly onClosed: () => void
}

/** Ends the reading before the source does; without a failure as if the source had. */
export type Cut<E> = (failure: E | undefined) => void

/** The buffer ends with the source, fails with it, and is cut off with the scope. */
export const start = <Raw, A, E>(
  into: EventBuffer<A, E>,
  scope: Scope.Scope,
  sourceOf: (cut: Cut<E>) => Source<Raw, A, E>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const cutShort = Promise.withResolvers<E | undefined>()
    const source = sourceOf((failure) => {
      cutShort.resolve(failure)
      close()
    })
    let reading = true
    const close = () => {
      if (!reading) return
      reading = false
      source.onClosed()
      controller.abort()
    }

    const offer = async (event: A) => {
      source.onWaiting(true)
      while (!into.offer(event) && !into.isOver()) await into.room()
      source.onWaiting(false)
    }
    const hand = async (events: ReadonlyArray<A>) => {
      for (const event of events) if (!into.offer(event)) await offer(event)
    }
    const read = async (): Promise<E | undefined> => {
      let stage: SourceFailed["stage"] = "open"
      try {
        const items = await source.open(controller.signal)
        stage = "read"
        for await (const item of items) {
          if (!reading) break
          stage = "take"
          const failure = source.take(item)
          stage = "read"
          if (failure !== undefined) return failure
          for (const event of source.drain()) if (!into.offer(event)) await offer(event)
        }
        return undefined
      } catch (cause) {
        return source.failed(new SourceFailed({ stage, cause }))
      }
    }
    const run = async () => {
      const failed = await Promise.race([read(), cutShort.promise])
      if (reading) source.onClosed()
      reading = false
      const failure = failed ?? source.end()
      if (failure !== undefined) return into.done(Exit.fail(failure))
      await hand(source.drain())
      into.done(Exit.void)
    }
    const shutdown = Effect.sync(() => {
      close()
      into.done(Exit.interrupt(FiberId.none))
    })
    return Effect.map(Scope.addFinalizer(scope, shutdown), () => {
      // A defect is a bug in the source, and must not leave the reader waiting.
      run().catch((defect) => into.done(Exit.die(defect)))
    })
  })

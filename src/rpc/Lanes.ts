/**
 * The two lanes of commands (protocol.md 2.2). The reader routes each frame and goes on at once: ordered commands
 * queue for one worker, the others are handled on arrival.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Backlog from "../services/Backlog.ts"
import type { Lane } from "./Command.ts"

interface Job<R> {
  readonly holding: boolean
  readonly run: Effect.Effect<void, never, R>
}

/** What a command may know of the ordered commands before it. */
export interface Before {
  readonly earlier: Effect.Effect<void>
  readonly blocked: boolean
  /** Lets the next ordered command go on; only a `background` command is ahead of it. */
  readonly release: Effect.Effect<void>
  readonly released: Effect.Effect<void>
  /** Handled by the reader itself, before it reads on. */
  readonly atOnce: boolean
}

export interface Lanes<R> {
  readonly before: (lane: Lane) => Before
  readonly route: (lane: Lane, before: Before, run: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
  /** Runs beside the lanes, under the same owner. */
  readonly aside: (run: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
  /** Returns when every ordered command routed so far has been handled, or runs in background. */
  readonly accepted: Effect.Effect<void>
  /** Returns when everything routed so far is done. */
  readonly drained: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* <R>() {
  const queue = Backlog.make<Job<R>>(Number.POSITIVE_INFINITY)
  const forked = yield* FiberSet.make<void>()
  let received = 0
  let done = 0
  let holding = 0
  let waiting: Array<{ readonly upTo: number; readonly latch: Effect.Latch }> = []

  const finish = (job: Job<R>) => {
    done++
    if (job.holding) holding--
    const [over, still] = [waiting.filter(({ upTo }) => upTo <= done), waiting.filter(({ upTo }) => upTo > done)]
    waiting = still
    for (const { latch } of over) latch.unsafeOpen()
  }

  const until = (upTo: number) =>
    Effect.suspend(() => {
      if (done >= upTo) return Effect.void
      const latch = Effect.unsafeMakeLatch(false)
      waiting.push({ upTo, latch })
      return latch.await
    })

  const worker = Effect.forever(
    Effect.flatMap(queue.takeAll, (jobs) =>
      Effect.forEach(
        jobs,
        (job) =>
          Effect.ensuring(
            job.run,
            Effect.sync(() => finish(job))
          ),
        { discard: true }
      )
    )
  )
  yield* Effect.forkScoped(worker)

  const enqueue = (run: Effect.Effect<void, never, R>, isHolding: boolean) => {
    received++
    if (isHolding) holding++
    queue.offer({ holding: isHolding, run })
  }

  const aside = (run: Effect.Effect<void, never, R>) => Effect.asVoid(FiberSet.run(forked, run))

  const route: Lanes<R>["route"] = (lane, before, run) => {
    switch (lane) {
      case "ordered":
      case "holding":
        return Effect.sync(() => enqueue(run, lane === "holding"))
      case "background":
        return Effect.sync(() =>
          enqueue(Effect.zipRight(aside(Effect.ensuring(run, before.release)), before.released), false)
        )
      case "instant":
        return run
      case "query":
        return before.atOnce ? run : aside(Effect.zipRight(before.earlier, run))
      case "control":
        return aside(run)
    }
  }

  const accepted = Effect.suspend(() => until(received))

  const lanes: Lanes<R> = {
    before: (lane) => {
      const latch = lane === "background" ? Effect.unsafeMakeLatch(false) : undefined
      return {
        earlier: until(received),
        blocked: holding > 0,
        atOnce: lane === "instant" || (lane === "query" && (done === received || holding > 0)),
        release: latch === undefined ? Effect.void : Effect.asVoid(latch.open),
        released: latch === undefined ? Effect.void : latch.await
      }
    },
    route,
    aside,
    accepted,
    drained: Effect.zipRight(accepted, FiberSet.awaitEmpty(forked))
  }
  return lanes
})

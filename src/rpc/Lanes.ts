/**
 * The two lanes of commands (protocol.md 2.2). The reader routes each frame and goes on at once: ordered commands run one
 * after the other, the others on arrival. Every command that may wait has a fiber of its own, owned by the scope; it
 * starts at once where nothing is ahead of it.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import type * as Runtime from "effect/Runtime"
import type { Lane } from "./Command.ts"

/** A command on its way. */
export interface Task<R> {
  readonly run: Effect.Effect<void, never, R>
  /** How its fiber is started. */
  readonly seat?: Runtime.RunForkOptions
  /** It was taken back while it waited for its lane. */
  readonly withdrawn?: () => boolean
  readonly ended?: (exit: Exit.Exit<void>) => void
}

interface Job<R> {
  readonly holding: boolean
  readonly task: Task<R>
  /** Has its place among the ordered ones, but they do not wait for it. */
  readonly passing: boolean
}

/** What a command may know of the ordered commands before it. */
export interface Before {
  /** `Effect.void` itself where there are none. */
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
  readonly route: (lane: Exclude<Lane, "instant">, before: Before, task: Task<R>) => void
  /** Runs beside the lanes, under the same owner. */
  readonly aside: (task: Task<R>) => void
  /** Returns when every ordered command routed so far has been handled, or runs in background. */
  readonly accepted: Effect.Effect<void>
  /** Returns when everything routed so far is done. */
  readonly drained: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* <R>() {
  const forked = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(forked)<R>()
  const queue: Array<Job<R>> = []
  let working = false
  let received = 0
  let done = 0
  let holding = 0
  let waiting: Array<{ readonly upTo: number; readonly latch: Effect.Latch }> = []

  /** `then` runs after all that the task has to say, at once if that is nothing more. */
  const aside = ({ ended, run, seat, withdrawn }: Task<R>, then: () => void = () => {}): void => {
    if (withdrawn?.() === true) return then()
    fork(run, seat).addObserver((exit) => {
      ended?.(exit)
      then()
    })
  }

  const finish = (job: Job<R>) => {
    done++
    if (job.holding) holding--
    if (waiting.length === 0) return
    const [over, still] = [waiting.filter(({ upTo }) => upTo <= done), waiting.filter(({ upTo }) => upTo > done)]
    waiting = still
    for (const { latch } of over) latch.unsafeOpen()
  }

  /** One after the other. Many that are over at once are a loop, not a pile of calls. */
  const work = () => {
    if (working) return
    working = true
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const current = job
      if (job.passing) {
        aside(job.task)
        continue
      }
      let over = false
      let waits = false
      aside(job.task, () => {
        over = true
        finish(current)
        if (!waits) return
        working = false
        work()
      })
      if (over) continue
      waits = true
      return
    }
    working = false
  }

  const enqueue = (task: Task<R>, isHolding: boolean) => {
    received++
    if (isHolding) holding++
    queue.push({ holding: isHolding, task, passing: false })
    work()
  }

  const pass = (task: Task<R>) => {
    queue.push({ holding: false, task, passing: true })
    work()
  }

  const until = (upTo: number) =>
    Effect.suspend(() => {
      if (done >= upTo) return Effect.void
      const latch = Effect.unsafeMakeLatch(false)
      waiting.push({ upTo, latch })
      return latch.await
    })

  const route: Lanes<R>["route"] = (lane, before, task) => {
    switch (lane) {
      case "ordered":
      case "holding":
        return enqueue(task, lane === "holding")
      case "background": {
        const started = Effect.sync(() => aside({ ...task, run: Effect.ensuring(task.run, before.release) }))
        // Its place in the lane works for nobody: the seat is that of the fiber beside it.
        const { ended: _ended, seat: _seat, ...place } = task
        return enqueue({ ...place, run: Effect.zipRight(started, before.released) }, false)
      }
      case "query":
        return before.atOnce ? aside(task) : pass(task)
      case "control":
        return aside(task)
    }
  }

  const accepted = Effect.suspend(() => until(received))

  const lanes: Lanes<R> = {
    before: (lane) => {
      const latch = lane === "background" ? Effect.unsafeMakeLatch(false) : undefined
      return {
        earlier: done === received ? Effect.void : until(received),
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

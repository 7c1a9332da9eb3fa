/** A scheduler that tells before each task it runs, so that a test can act at every point where fibers take turns. */
import { Effect, Scheduler } from "effect"

/** Fibers give way after every `ops` operations. */
export const stepping =
  (beforeTask: () => void, ops: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const base = new Scheduler.MixedScheduler(2048)
    const scheduler: Scheduler.Scheduler = {
      shouldYield: (fiber) => base.shouldYield(fiber),
      scheduleTask: (task, priority) =>
        base.scheduleTask(() => {
          beforeTask()
          task()
        }, priority)
    }
    return effect.pipe(Effect.withMaxOpsBeforeYield(ops), Effect.withScheduler(scheduler))
  }

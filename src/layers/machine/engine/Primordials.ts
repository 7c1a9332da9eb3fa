/**
 * What the language brings, as it was when heddle started. Extensions share the process, and one of them may put other things in
 * its place: what reads from the host, answers it and runs fibers uses these (docs/extending.md#one-process).
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export const { clearInterval, clearTimeout, queueMicrotask, setImmediate, setInterval, setTimeout } = globalThis

const { apply } = Reflect
const { then } = Promise.prototype

export const EnginePromise = Promise
export const race = Promise.race.bind(Promise)

/** Waits for a promise of the engine. A rejection fails with its reason. */
export const awaited = <A>(start: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.async((resume) => {
    const succeed = (value: A) => resume(Effect.succeed(value))
    const fail = (reason: unknown) => resume(Effect.fail(reason))
    apply(then, start(), [succeed, fail])
  })

const opsBeforeTimer = 2048

/** The same as Effect's own. */
export const scheduler: Scheduler.Scheduler = (() => {
  const { shouldYield } = new Scheduler.MixedScheduler(opsBeforeTimer)
  const runnerOf = Scheduler.SchedulerRunner.cached((depth, drain) => {
    if (depth >= opsBeforeTimer) setTimeout(() => drain(0), 0)
    else queueMicrotask(() => drain(depth + 1))
  })
  return { shouldYield, scheduleTask: (task, priority, fiber) => runnerOf(fiber).scheduleTask(task, priority) }
})()

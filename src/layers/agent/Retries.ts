/** Waits between attempts at a model call. The wait is a fiber of its own, so that it can be ended without the run. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { AgentEvent } from "../../domain/AgentEvent.ts"
import * as RetryPolicy from "../../domain/RetryPolicy.ts"
import type { ModelFailure } from "../../services/ModelClient.ts"
import type { SettingsValues } from "../../services/Settings.ts"

/** The retries of one run. */
export interface RetryChain {
  /** Waits if the failure is worth another attempt; false when it stands. */
  readonly again: (failure: ModelFailure) => Effect.Effect<boolean>
  /** A model call came to its end: the next failure counts from one again. */
  readonly succeeded: () => void
  /** The run is over; a chain that was going on is reported as ended. */
  readonly stop: (finalError: string) => void
}

export const make = Effect.fnUntraced(function* (settings: SettingsValues, publish: (event: AgentEvent) => void) {
  const waiting = yield* FiberHandle.make<void, never>()
  const enabled = yield* Ref.make(settings["retry.enabled"])
  const policy = {
    maxRetries: settings["retry.maxRetries"],
    baseDelayMs: settings["retry.baseDelayMs"],
    maxDelayMs: settings["retry.maxDelayMs"]
  }

  const wait = (delayMs: number) =>
    FiberHandle.run(waiting, Effect.interruptible(Effect.sleep(delayMs))).pipe(
      Effect.flatMap(Fiber.await),
      Effect.onInterrupt(() => FiberHandle.clear(waiting)),
      Effect.map(Exit.isSuccess)
    )

  const chain = (runId: string): RetryChain => {
    let attempt = 0
    const end = (result: { readonly success: boolean; readonly finalError?: string }) => {
      if (attempt > 0) publish({ _tag: "RetryEnded", runId, attempt, ...result })
      attempt = 0
    }
    const again = Effect.fnUntraced(function* (failure: ModelFailure) {
      const delayMs = (yield* Ref.get(enabled)) ? RetryPolicy.delayBefore(attempt + 1, failure, policy) : undefined
      if (delayMs === undefined) {
        end({ success: false, finalError: failure.message })
        return false
      }
      attempt++
      const { maxRetries: maxAttempts } = policy
      publish({ _tag: "RetryScheduled", runId, attempt, maxAttempts, delayMs, errorMessage: failure.message })
      const waited = yield* wait(delayMs)
      if (!waited) end({ success: false, finalError: "Retry cancelled" })
      return waited
    })
    return {
      again,
      succeeded: () => end({ success: true }),
      stop: (finalError) => end({ success: false, finalError })
    }
  }

  const cancel = FiberHandle.clear(waiting)
  return {
    chain,
    cancel,
    enabled: Ref.get(enabled),
    isWaiting: Effect.sync(() => Option.isSome(FiberHandle.unsafeGet(waiting))),
    setEnabled: (value: boolean) => Effect.zipRight(Ref.set(enabled, value), value ? Effect.void : cancel)
  }
})

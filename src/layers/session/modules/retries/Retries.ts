/** Attempts at model calls that have failed. A wait is a fiber of its own, so that it can be ended without the run. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as RetryPolicy from "../../../../domain/model/RetryPolicy.ts"
import type { ModelFailure } from "../../../../services/model/ModelClient.ts"
import { Controls } from "../../../../services/session/modules/Controls.ts"
import { Retries } from "../../../../services/session/modules/Retries.ts"
import type { RunStep, RunView, TurnOutcome } from "../../../../services/session/RunStep.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import { Settings, type SettingsValues } from "../../../../services/Settings.ts"
import * as RunNodes from "../../core/RunNodes.ts"

/** Sessions have one role so far; subagents will bring others. */
const role = "default"

interface Dependencies {
  readonly settings: SettingsValues
  readonly publish: (event: AgentEvent) => void
  readonly switchTo: (typeof Controls.Service)["switchTo"]
}

const make = Effect.fnUntraced(function* ({ publish, settings, switchTo }: Dependencies) {
  const fallbacks = settings["retry.fallbackChains"][role] ?? []
  const waiting = yield* FiberHandle.make<void, never>()
  const enabled = yield* Ref.make(settings["retry.enabled"])
  const policy = {
    maxRetries: settings["retry.maxRetries"],
    baseDelayMs: settings["retry.baseDelayMs"],
    maxDelayMs: settings["retry.maxDelayMs"]
  }

  const wait = (delayMs: number) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) =>
        FiberHandle.run(waiting, RunNodes.retryWait(delayMs, now + delayMs, Effect.sleep(delayMs)))
      ),
      Effect.flatMap(Fiber.await),
      Effect.onInterrupt(() => FiberHandle.clear(waiting)),
      Effect.map(Exit.isSuccess)
    )

  const chain = ({ runId }: RunView): RunStep => {
    let attempt = 0
    let waits = 0
    let nextFallback = 0
    let tookOver: string | undefined
    const maxAttempts = policy.maxRetries + fallbacks.length
    const end = (result: { readonly success: boolean; readonly finalError?: string }) => {
      if (attempt > 0) publish({ _tag: "RetryEnded", runId, attempt, ...result })
      attempt = 0
      waits = 0
    }
    const announce = (delayMs: number, { message: errorMessage }: ModelFailure) =>
      publish({ _tag: "RetryScheduled", runId, attempt, maxAttempts, delayMs, errorMessage })
    /** The next model of the chain that can be used; there is no wait for a model that has not failed. */
    const fallBack = Effect.fnUntraced(function* (failure: ModelFailure) {
      while (nextFallback < fallbacks.length) {
        const switched = yield* switchTo(fallbacks[nextFallback++] ?? "")
        if (Option.isNone(switched)) continue
        attempt++
        announce(0, failure)
        publish({ _tag: "FallbackApplied", runId, ...switched.value, role })
        tookOver = switched.value.to
        return true
      }
      return false
    })
    /** Waits if the failure is worth another attempt; false when it stands. */
    const isTriedAgain = Effect.fnUntraced(function* (failure: ModelFailure) {
      const mayRetry = yield* Ref.get(enabled)
      if (mayRetry && failure.retryable && (yield* fallBack(failure))) return true
      const delayMs = mayRetry ? RetryPolicy.delayBefore(waits + 1, failure, policy) : undefined
      if (delayMs === undefined) return false
      attempt++
      waits++
      announce(delayMs, failure)
      const waited = yield* wait(delayMs)
      if (!waited) end({ success: false, finalError: "Retry cancelled" })
      return waited
    })
    const again: TurnOutcome = { _tag: "Again" }
    return {
      afterTurn: (outcome) =>
        outcome._tag === "Failed"
          ? Effect.map(isTriedAgain(outcome.failure), (isTried) => (isTried ? again : outcome))
          : Effect.succeed(outcome),
      // The next failure counts from one again.
      answered: () => {
        end({ success: true })
        if (tookOver !== undefined) publish({ _tag: "FallbackSucceeded", runId, model: tookOver, role })
        tookOver = undefined
      },
      // A chain that was going on is reported as ended.
      failed: (finalError) => end({ success: false, finalError })
    }
  }

  const cancel = FiberHandle.clear(waiting)
  const service = Retries.of({
    isEnabled: Ref.get(enabled),
    setEnabled: (value) => Effect.zipRight(Ref.set(enabled, value), value ? Effect.void : cancel),
    cancel
  })
  return {
    service,
    state: Effect.map(service.isEnabled, (autoRetryEnabled) => ({
      autoRetryEnabled,
      isRetrying: Option.isSome(FiberHandle.unsafeGet(waiting))
    })),
    carry: (left: Context.Context<never>) =>
      Option.match(Context.getOption(left, Retries), {
        onNone: () => Effect.void,
        onSome: ({ isEnabled }) => Effect.flatMap(isEnabled, service.setEnabled)
      }),
    run: chain
  }
})

export const module = SessionModule.make(
  "retries",
  Retries,
  Effect.gen(function* () {
    const { events } = yield* SessionCore
    const { switchTo } = yield* Controls
    return yield* make({ settings: yield* Settings, publish: events.publish, switchTo })
  })
)

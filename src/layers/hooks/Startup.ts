/**
 * The start of a session for its contributors: each joins, one after the other, the workspace is read with what they add
 * to it, and then hooks hear that the session has started. Whoever needs what contributors register waits for it. Owned
 * by the session's scope.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SessionOpening } from "../../services/hooks/HookPoints.ts"
import * as Supervision from "../../services/supervision/Supervision.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

/** How long one hook may take to hear that a session has started. */
const startLimitMs = 30_000

interface Dependencies {
  readonly hooks: HookRegistry
  /** Whether there is nobody to join. */
  readonly isAlone: boolean
  /** Lets every contributor join. */
  readonly join: Effect.Effect<void>
  /** Reads what contributors may ask for from then on. */
  readonly load: Effect.Effect<void>
  readonly opening: SessionOpening
  /** Starts a fiber of the session. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
}

export interface Startup {
  /** Begins the start, unless it has begun, and returns when it is over. An interrupt ends only the wait. */
  readonly started: Effect.Effect<void>
  readonly isOver: () => boolean
}

export const make = ({ fork, hooks, isAlone, join, load, opening }: Dependencies): Startup => {
  let isOver = isAlone
  let starting: Fiber.RuntimeFiber<void> | undefined
  const start = Supervision.node({ kind: "startup", label: "extensions" }, () =>
    join.pipe(Effect.zipRight(load), Effect.zipRight(Asking.tell(hooks, "sessionStarted", opening, startLimitMs)))
  )
  const whole = Effect.ensuring(
    start,
    Effect.sync(() => {
      isOver = true
    })
  )
  return {
    started: Effect.suspend(() => {
      if (isOver) return Effect.void
      starting ??= fork(whole)
      return Effect.asVoid(Fiber.await(starting))
    }),
    isOver: () => isOver
  }
}

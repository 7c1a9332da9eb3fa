/**
 * The start of a session for its contributors: each joins, one after the other, the workspace is read with what they add
 * to it, and then hooks hear that the session has started. Code that needs what contributors register waits for it. Owned
 * by the session's scope.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { SessionOpening } from "../../../../services/hooks/HookPoints.ts"
import type { SessionStartup } from "../../../../services/session/Startup.ts"
import * as Supervision from "../../../../services/supervision/Supervision.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

/** How long one hook may take to hear that a session has started. */
const startLimitMs = 30_000

interface Dependencies {
  readonly hooks: HookRegistry
  /** Whether there is no contributor. */
  readonly isAlone: boolean
  /** Lets every contributor join. */
  readonly join: Effect.Effect<void>
  /** Reads what contributors may ask for from then on. */
  readonly load: Effect.Effect<void>
  readonly opening: SessionOpening
  /** Starts a fiber of the session. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
}

export type Startup = SessionStartup

export const make = ({ fork, hooks, isAlone, join, load, opening }: Dependencies): Startup => {
  let [isBegun, isOver] = [false, isAlone]
  const over = Effect.unsafeMakeLatch(isAlone)
  const hasJoined = Effect.unsafeMakeLatch(isAlone)
  const mayStart = Effect.unsafeMakeLatch(false)
  const start = Supervision.node({ kind: "startup", label: "extensions" }, () =>
    Effect.ensuring(join, hasJoined.open).pipe(
      Effect.zipRight(load),
      Effect.zipRight(mayStart.await),
      Effect.zipRight(Asking.tell(hooks, "sessionStarted", opening, startLimitMs))
    )
  )
  const end = () => {
    isOver = true
    over.unsafeOpen()
  }
  const begin = () => {
    if (isBegun || isOver) return
    // A contributor that joins may send a prompt, which waits for the start.
    isBegun = true
    fork(start).addObserver(end)
  }
  return {
    joined: Effect.zipRight(Effect.sync(begin), hasJoined.await),
    started: Effect.suspend(() => {
      if (isOver) return Effect.void
      mayStart.unsafeOpen()
      begin()
      return over.await
    }),
    isOver: () => isOver
  }
}

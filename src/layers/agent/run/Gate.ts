/**
 * Lets one through at a time, in the order of their arrival. Who waits can be interrupted.
 * Entering a free gate costs next to nothing, which is why this is no semaphore: every prompt passes it.
 */
import * as Effect from "effect/Effect"
import { afterwards } from "../../../services/Afterwards.ts"

export interface Gate {
  readonly through: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The same for what cannot be interrupted. */
  readonly throughWhole: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): Gate => {
  let taken = false
  const waiting: Array<() => void> = []

  /** The gate passes from hand to hand: nobody who comes meanwhile gets ahead of those who wait. */
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) taken = false
    else next()
  }

  const turn = Effect.suspend(() => {
    let mine = false
    let grant = () => {}
    const granted = Effect.async<void>((resume) => {
      grant = () => {
        mine = true
        resume(Effect.void)
      }
      waiting.push(grant)
    })
    return Effect.onInterrupt(Effect.interruptible(granted), () =>
      Effect.sync(() => {
        const at = waiting.indexOf(grant)
        if (at >= 0) waiting.splice(at, 1)
        if (mine) leave()
      })
    )
  })

  const enter = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const inside = afterwards(effect, leave)
    if (taken) return Effect.zipRight(turn, inside)
    taken = true
    return inside
  }

  return {
    through: (effect) => Effect.uninterruptibleMask((restore) => enter(restore(effect))),
    throughWhole: (effect) => Effect.uninterruptible(Effect.suspend(() => enter(effect)))
  }
}

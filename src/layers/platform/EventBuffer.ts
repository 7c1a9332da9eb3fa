/**
 * A bounded queue between a promise that fills it and one fiber that empties it, and how it ended. What a Mailbox does,
 * at a fifth of the operations for every wait: each turn of a model has two or three.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"

export interface EventBuffer<A, E> {
  /** False when it is full or over: then the event was not taken. */
  readonly offer: (event: A) => boolean
  readonly isOver: () => boolean
  /** Resolves when there may be room again, or when it is over. */
  readonly room: () => Promise<void>
  /** Nothing more comes. The first word counts. */
  readonly done: (exit: Exit.Exit<void, E>) => void
  /** Everything that waits, at least one event or the end; a failure comes after all that was offered before it. */
  readonly takeAll: Effect.Effect<readonly [events: ReadonlyArray<A>, done: boolean], E>
  /**
   * For a reader with little to do: `use` gets each event in the moment it is offered, until it answers something.
   * Returns that, or undefined at the end.
   */
  readonly each: <B>(use: (event: A) => B | undefined) => Effect.Effect<B | undefined, E>
}

export const make = <A, E>(capacity: number): EventBuffer<A, E> => {
  let events: Array<A> = []
  let over: Exit.Exit<void, E> | undefined
  /** One that was interrupted meanwhile does not notice, and what was offered is still here. */
  let wake: (() => void) | undefined
  let freed: (() => void) | undefined

  const take = Effect.suspend((): Effect.Effect<readonly [ReadonlyArray<A>, boolean], E> => {
    const taken = events
    events = []
    freed?.()
    if (over === undefined) return Effect.succeed([taken, false])
    if (Exit.isSuccess(over)) return Effect.succeed([taken, true])
    return taken.length > 0 ? Effect.succeed([taken, false]) : Effect.failCause(over.cause)
  })
  const filled = Effect.async<readonly [ReadonlyArray<A>, boolean], E>((resume) => {
    wake = () => {
      wake = undefined
      resume(take)
    }
  })

  const each: EventBuffer<A, E>["each"] = (use) => {
    const handOver = () => {
      const taken = events
      events = []
      freed?.()
      for (const [at, event] of taken.entries()) {
        const answer = use(event)
        if (answer === undefined) continue
        events = taken.slice(at + 1)
        return answer
      }
      return undefined
    }
    return Effect.async((resume) => {
      const go = () => {
        wake = undefined
        // Who offers is not to blame for what the reader does with it.
        const answer = Either.try({ try: handOver, catch: (defect) => defect })
        if (Either.isLeft(answer)) resume(Effect.die(answer.left))
        else if (answer.right !== undefined) resume(Effect.succeed(answer.right))
        else if (over === undefined) wake = go
        else resume(Effect.as(over, undefined))
      }
      go()
      return Effect.sync(() => {
        if (wake === go) wake = undefined
      })
    })
  }

  return {
    offer: (event) => {
      if (over !== undefined || events.length >= capacity) return false
      events.push(event)
      wake?.()
      return true
    },
    isOver: () => over !== undefined,
    room: () =>
      new Promise((resolve) => {
        freed = () => {
          freed = undefined
          resolve()
        }
      }),
    done: (exit) => {
      if (over !== undefined) return
      over = exit
      wake?.()
      freed?.()
    },
    takeAll: Effect.suspend(() => (events.length > 0 || over !== undefined ? take : filled)),
    each
  }
}

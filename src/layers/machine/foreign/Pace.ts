/**
 * Paces what extensions start, so that a loop of theirs does not keep the host waiting: what takes longer than its share of a
 * turn of the event loop, or comes faster than the host reads, waits for a later turn, in order.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import * as EventLoop from "../engine/EventLoop.ts"

/** The share of a turn, in milliseconds. */
const share = 4
/** Calls that may be under way before only one more is started in a turn. */
const mostUnderWay = 16

/** Starts something, and reports when it has ended. */
type Go = (ended: () => void) => void

export interface Pace {
  /** Goes at once, or later. */
  readonly start: (go: Go) => void
  readonly isIdle: () => boolean
  /** Returns when nothing waits. */
  readonly idle: Effect.Effect<void>
}

/** Nothing waits. */
export const none: Pace = { start: (go) => go(() => {}), isIdle: () => true, idle: Effect.void }

/** `ready` returns when the host has caught up. What waits when the scope closes goes at once. */
export const make = Effect.fnUntraced(function* (ready: Effect.Effect<void>) {
  const fork = yield* FiberSet.makeRuntime<never>()
  const clock = yield* Effect.clock
  const nothingWaits = yield* Effect.makeLatch(true)
  let waiting: Array<Go> = []
  let next = 0
  let underWay = 0
  /** Of the turn that goes on. */
  let [spent, mayStart, isKnown] = [0, true, false]

  const isIdle = () => next === waiting.length
  const ended = () => void underWay--
  const timed = (go: Go) => {
    const began = Stopwatch.read(clock)
    underWay++
    go(ended)
    spent += Stopwatch.read(clock) - began
  }

  const look = () => {
    isKnown = true
    spent = 0
    mayStart = fork(ready).unsafePoll() !== null
    EventLoop.onNextTurn(() => {
      isKnown = false
    })
  }

  const release = () => {
    waiting = []
    next = 0
    nothingWaits.unsafeOpen()
  }
  const goOn = (mayGo: () => boolean) => {
    for (let go = waiting[next]; go !== undefined && mayGo(); go = waiting[next]) {
      next++
      timed(go)
    }
  }
  const drain = Effect.gen(function* () {
    while (!isIdle()) {
      yield* EventLoop.nextTurn
      yield* ready
      spent = 0
      const before = next
      // What was started goes on outside its share. It is not waited for without end: some of it may ask a person.
      goOn(() => spent < share && (underWay < mostUnderWay || next === before))
      // What has gone must not stay in memory as long as something waits.
      next -= waiting.splice(0, next).length
    }
    release()
  })

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      goOn(() => true)
      release()
    })
  )

  const pace: Pace = {
    start: (go) => {
      const wasIdle = isIdle()
      if (wasIdle && !isKnown) look()
      if (wasIdle && mayStart && spent < share) return timed(go)
      waiting.push(go)
      if (!wasIdle) return
      nothingWaits.unsafeClose()
      fork(drain)
    },
    isIdle,
    idle: Effect.suspend(() => (isIdle() ? Effect.void : nothingWaits.await))
  }
  return pace
})

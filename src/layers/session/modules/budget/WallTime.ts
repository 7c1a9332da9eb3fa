/** Measures how long runs take, and ends them at the limit. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type { BudgetExceeded, SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { BudgetNode } from "./BudgetNode.ts"
import type * as BudgetScope from "./BudgetScope.ts"

/** Waits until the time of a scope is over. */
const timeUp = (node: BudgetNode): Effect.Effect<BudgetScope.BudgetScope> =>
  Effect.suspend(() => {
    const changed = node.changed.next()
    let [next, left]: [BudgetScope.BudgetScope | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const scope of node.path) {
      const time = scope.timeLeft()
      if (time !== undefined && time < left) [next, left] = [scope, time]
    }
    if (next === undefined) return Effect.flatMap(changed, () => timeUp(node))
    if (left === 0) return Effect.succeed(next)
    return Effect.flatMap(Effect.raceFirst(Effect.sleep(Math.ceil(left)), changed), () => timeUp(node))
  })

export const whileRunning =
  (node: BudgetNode): SessionBudget["whileRunning"] =>
  (effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime((self) => {
        let isOver = false
        let spentBy: BudgetExceeded | undefined
        const stop = (scope: BudgetScope.BudgetScope) => {
          if (isOver) return
          scope.note()
          spentBy = scope.exceed("wall_time")
          self.unsafeInterruptAsFork(FiberId.none)
        }
        return Effect.gen(function* () {
          yield* Effect.interruptible(node.begun)
          for (const scope of node.path) scope.enter()
          const timer = yield* Effect.fork(Effect.interruptible(Effect.map(timeUp(node), stop)))
          const exit = yield* Effect.exit(restore(effect))
          isOver = true
          for (const scope of node.path) {
            scope.leave()
            if (scope.limits().maxWallTimeMs !== undefined) scope.note()
          }
          timer.unsafeInterruptAsFork(FiberId.none)
          if (spentBy !== undefined && Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)) return yield* spentBy
          return yield* exit
        })
      })
    )

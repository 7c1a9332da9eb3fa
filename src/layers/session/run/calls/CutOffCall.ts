/** What a call answers when it is interrupted: what its tool has said beside the work, else only why. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import * as Interrupted from "../../../../services/fibers/Interrupted.ts"
import { cutOff, type ToolContext } from "../../../../services/Tools.ts"

/** An abort does not wait longer for an answer. Clean-up has its own time, and is over by then. */
const graceMs = 2000

export const make = (reason: () => string) => {
  let answered: ToolOutput | undefined

  const ask = (answer: (reason: string) => Effect.Effect<ToolOutput>) =>
    Effect.suspend(() => answer(reason())).pipe(
      Effect.disconnect,
      Effect.interruptible,
      Effect.timeoutOption(graceMs),
      Effect.flatMap(
        Option.match({
          onNone: () => Effect.logWarning(`an interrupted tool call did not answer within ${graceMs} ms`),
          onSome: (output) => Effect.sync(() => void (answered = output))
        })
      ),
      Effect.catchAllCause((cause) =>
        Effect.logWarning("an interrupted tool call could not answer", Cause.squash(cause))
      )
    )

  return {
    /** For the tool. `fiber` runs the call: work that only loses a race within it is not asked. */
    within:
      (fiber: Fiber.RuntimeFiber<unknown, unknown>): ToolContext["orInterrupted"] =>
      (answer) =>
        Effect.onInterrupt(() =>
          answered === undefined && Interrupted.isRequestedOf(fiber) ? ask(answer) : Effect.void
        ),
    answer: (): ToolOutput => answered ?? cutOff(reason())
  }
}

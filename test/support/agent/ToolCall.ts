/** What a tool gets that is called outside of a run. */
import { Effect } from "effect"
import type { ToolOutput } from "../../../src/domain/conversation/Message.ts"
import type { ToolContext } from "../../../src/services/Tools.ts"

/** Nothing of it is shown or kept. */
export const context: ToolContext = {
  toolCallId: "c1",
  progress: () => Effect.void,
  orInterrupted: () => (work) => work
}

/** A call, and what it has answered when it was interrupted. */
export const interruptible = (more: Partial<ToolContext> = {}) => {
  let answered: ToolOutput | undefined
  const call: ToolContext = {
    ...context,
    orInterrupted: (answer) =>
      Effect.onInterrupt(() => Effect.map(answer("Stopped"), (output) => (answered ??= output))),
    ...more
  }
  return { call, answered: () => answered }
}

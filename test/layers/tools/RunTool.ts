/** Calls a tool the way a run does. */
import { Context, Effect, Fiber, FiberId, Scheduler } from "effect"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import type { ToolOutput } from "../../../src/domain/conversation/Message.ts"
import * as LocalFiles from "../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import { Files } from "../../../src/services/machine/Files.ts"
import { Processes } from "../../../src/services/machine/Processes.ts"
import type { Tool } from "../../../src/services/Tools.ts"
import { context } from "../../support/agent/ToolCall.ts"

/** The services of this machine, as the tools of a session get them. */
export const machine = Context.make(Files, LocalFiles.service).pipe(Context.add(Processes, LocalProcesses.service))

export { context }

export const run = (tool: Tool, args: Record<string, unknown>) => tool.run(args, context)
export const textOf = (output: ToolOutput) => plainText(output.content)
export const said = (text: string, details?: ToolOutput["details"]): ToolOutput => ({
  content: [{ type: "text", text }],
  ...(details === undefined ? {} : { details })
})
/** Why a call was refused, without the name of the test's folder. */
export const refusal = (tool: Tool, folder: string, args: Record<string, unknown>) =>
  Effect.map(Effect.flip(run(tool, args)), ({ message }) => message.replaceAll(folder, "."))

/**
 * Runs an effect and interrupts it at its n-th step: whenever it comes back from waiting, as interrupts do in a
 * program, or, when `often`, also between operations that wait for nothing.
 */
export const interruptedAt = <A, E>(effect: Effect.Effect<A, E>, step: number, { often = false } = {}) =>
  Effect.gen(function* () {
    let fiber: Fiber.RuntimeFiber<A, E> | undefined
    let steps = 0
    const scheduler: Scheduler.Scheduler = {
      // Coming back from a yield takes some operations of its own: with fewer there would be no progress.
      shouldYield: ({ currentOpCount }) => (often && currentOpCount > 10 ? 0 : false),
      scheduleTask: (task, priority, of) => {
        steps++
        if (steps === step) queueMicrotask(() => fiber?.unsafeInterruptAsFork(FiberId.none))
        Scheduler.defaultScheduler.scheduleTask(task, priority, of)
      }
    }
    fiber = yield* Effect.fork(Effect.withScheduler(effect, scheduler))
    const exit = yield* Fiber.await(fiber)
    return { exit, wasStopped: steps >= step }
  })

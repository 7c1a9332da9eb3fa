/** Runs the tool calls of one assistant message, side by side where the tools allow it (protocol.md 4.5). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import type { RequestedCall } from "../../domain/AssistantDraft.ts"
import { plainText, text } from "../../domain/Content.ts"
import type { ToolOutput } from "../../domain/Message.ts"
import type { Budget } from "../../services/Budget.ts"
import { type Tool, ToolFailure, type Tools } from "../../services/Tools.ts"
import type { RunJournal } from "./RunJournal.ts"
import * as Watched from "./Watched.ts"

interface Dependencies {
  readonly tools: typeof Tools.Service
  readonly budget: typeof Budget.Service
  readonly journal: RunJournal
  /** Waits while somebody who watches is too far behind. */
  readonly ready: Effect.Effect<void>
}

const cancelledText = "Cancelled by host"
const cutOffText = "Tool call was cut off by the output limit; resend it with smaller arguments."

/** The tool that answers a call, or the reason why none does. */
const resolve = ({ tools }: Dependencies, { call, state }: RequestedCall): Effect.Effect<Tool, ToolFailure> => {
  if (state === "unfinished") return new ToolFailure({ message: cutOffText })
  if (state === "malformed") {
    return new ToolFailure({ message: `Invalid arguments for ${call.name}: not a JSON object` })
  }
  return Effect.flatMap(
    tools.find(call.name),
    Option.match({
      onNone: () => new ToolFailure({ message: `Tool ${call.name} not found` }),
      onSome: Effect.succeed
    })
  )
}

/** What the model reads of an interrupted call: the output so far, then that it was interrupted. */
const interruptedOutput = (how: string, latest: ToolOutput | undefined): ToolOutput => {
  const said = plainText(latest?.content ?? [])
  return {
    content: [text(said === "" ? how : `${said}\n\n${how}`)],
    details: latest?.details ?? {}
  }
}

/** Starts the call, runs it, and records its one result, whatever becomes of it; a defect ends the batch. */
const settle = ({ budget, journal, ready }: Dependencies, { call }: RequestedCall, position: number, tool: Tool) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      yield* journal.startCall(position)
      yield* budget.recordToolCall
      let latest: ToolOutput | undefined
      let cancelled = false
      const show = (output: ToolOutput) =>
        Effect.sync(() => {
          latest = output
          journal.progressOfCall(position, output)
        })
      // What a tool says while it cleans up is not held back: an abort waits for nobody who reads.
      const progress = (output: ToolOutput) =>
        Effect.checkInterruptible((mayWait) => (mayWait ? Effect.zipRight(ready, show(output)) : show(output)))
      const running = tool.run(call.arguments, { toolCallId: call.id, progress })
      const exit = yield* Effect.exit(restore(Watched.toolCall(call, () => (cancelled = true), running)))
      if (Exit.isSuccess(exit)) return yield* journal.endCall(position, exit.value, false)
      const failure = Cause.failureOption(exit.cause)
      if (Option.isSome(failure)) return yield* journal.endCall(position, failureOutput(failure.value), true)
      if (Cause.isInterruptedOnly(exit.cause)) {
        return yield* journal.endCall(
          position,
          interruptedOutput(cancelled ? cancelledText : tool.abortedText, latest),
          true
        )
      }
      return yield* Effect.failCause(Cause.stripFailures(exit.cause))
    })
  )

const failureOutput = ({ content, details, message }: ToolFailure): ToolOutput => ({
  content: content ?? [text(message)],
  details: details ?? {}
})

/** Answers without running anything; hosts still see the call start and end. */
const refuse = ({ journal }: Dependencies, position: number, failure: ToolFailure) =>
  Effect.zipRight(journal.startCall(position), journal.endCall(position, failureOutput(failure), true)).pipe(
    Effect.uninterruptible
  )

const checkBudget = ({ budget }: Dependencies) =>
  Effect.mapError(
    budget.check,
    ({ reason }) => new ToolFailure({ message: `Budget exceeded (${reason}): tool call not started.` })
  )

/**
 * Returns when every call has its result. Each call is a fiber of its own under this effect's scope: an interrupt
 * ends them all, and calls that had not started are left without a result for the journal to answer. Calls start in
 * their order; a defect in one ends the batch at once, however long the others would take.
 */
export const run = (dependencies: Dependencies, calls: ReadonlyArray<RequestedCall>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fibers = yield* FiberMap.make<number, void, never>()
      const start = Effect.fnUntraced(function* (requested: RequestedCall, position: number) {
        const tool = yield* Effect.either(resolve(dependencies, requested))
        const exclusive = Either.isRight(tool) && tool.right.concurrency === "exclusive"
        if (exclusive) yield* FiberMap.awaitEmpty(fibers)
        yield* FiberMap.run(fibers, position, answer(dependencies, requested, position, tool))
        if (exclusive) yield* FiberMap.awaitEmpty(fibers)
      })
      const all = Effect.zipRight(Effect.forEach(calls, start, { discard: true }), FiberMap.awaitEmpty(fibers))
      yield* Effect.raceFirst(all, FiberMap.join(fibers))
    })
  )

const answer = (
  dependencies: Dependencies,
  requested: RequestedCall,
  position: number,
  tool: Either.Either<Tool, ToolFailure>
) =>
  Either.match(tool, {
    onLeft: (failure) => refuse(dependencies, position, failure),
    onRight: (found) =>
      Effect.matchEffect(checkBudget(dependencies), {
        onFailure: (failure) => refuse(dependencies, position, failure),
        onSuccess: () => settle(dependencies, requested, position, found)
      })
  })

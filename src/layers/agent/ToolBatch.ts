/** Runs the tool calls of one assistant message, side by side where the tools allow it (protocol.md 4.5). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
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
  /** Whether a message waits that the calls which are left have to give way to. */
  readonly isSteered: () => boolean
}

/** What the fibers of one batch share. */
interface Batch extends Dependencies {
  readonly fibers: FiberMap.FiberMap<number, void>
  /** Set at the boundary where steering was found: nothing more starts, and what still runs is interrupted. */
  skips: boolean
}

const skippedText = "Skipped due to queued user message."
const skipping = new ToolFailure({ message: skippedText })
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
const interruptedOutput = (reason: string, latest: ToolOutput | undefined): ToolOutput => {
  const said = plainText(latest?.content ?? [])
  return {
    content: [text(said === "" ? reason : `${said}\n\n${reason}`)],
    details: latest?.details ?? {}
  }
}

/** Starts the call, runs it, and records its one result, whatever becomes of it; a defect ends the batch. */
const settle = (batch: Batch, { call }: RequestedCall, position: number, tool: Tool) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const { budget, journal, ready } = batch
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
        const reason = cancelled ? cancelledText : batch.skips ? skippedText : tool.abortedText
        return yield* journal.endCall(position, interruptedOutput(reason, latest), true)
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

/** After a call: with steering at hand its siblings are interrupted, and the walk starts nothing more. */
const boundary = (batch: Batch, position: number) => {
  if (batch.skips || !batch.isSteered()) return
  batch.skips = true
  for (const [other, fiber] of batch.fibers) if (other !== position) fiber.unsafeInterruptAsFork(FiberId.none)
}

/**
 * Returns when every call has its result. Each call is a fiber of its own under this effect's scope: an interrupt
 * ends them all, and calls that had not started are left without a result for the journal to answer. Calls start in
 * their order; a defect in one ends the batch at once, however long the others would take.
 */
export const run = (dependencies: Dependencies, calls: ReadonlyArray<RequestedCall>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fibers = yield* FiberMap.make<number, void, never>()
      const batch: Batch = { ...dependencies, fibers, skips: false }
      let sharedSoFar = true
      const start = Effect.fnUntraced(function* (requested: RequestedCall, position: number) {
        const tool = yield* Effect.either(resolve(dependencies, requested))
        const exclusive = Either.isRight(tool) && tool.right.concurrency === "exclusive"
        // The first call, and the shared ones that start together with it, run whatever is queued.
        const first = position === 0 || (sharedSoFar && !exclusive)
        sharedSoFar &&= !exclusive
        if (exclusive) yield* FiberMap.awaitEmpty(fibers)
        const skipped = !first && (batch.skips || batch.isSteered())
        batch.skips ||= skipped
        const answering = skipped ? refuse(batch, position, skipping) : answer(batch, requested, position, tool)
        yield* FiberMap.run(
          fibers,
          position,
          Effect.tap(answering, () => boundary(batch, position))
        )
        if (exclusive) yield* FiberMap.awaitEmpty(fibers)
      })
      const all = Effect.zipRight(Effect.forEach(calls, start, { discard: true }), FiberMap.awaitEmpty(fibers))
      yield* Effect.raceFirst(all, FiberMap.join(fibers))
    })
  )

const answer = (batch: Batch, requested: RequestedCall, position: number, tool: Either.Either<Tool, ToolFailure>) =>
  Either.match(tool, {
    onLeft: (failure) => refuse(batch, position, failure),
    onRight: (found) =>
      Effect.matchEffect(checkBudget(batch), {
        onFailure: (failure) => refuse(batch, position, failure),
        onSuccess: () => settle(batch, requested, position, found)
      })
  })

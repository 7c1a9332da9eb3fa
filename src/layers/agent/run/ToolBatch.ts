/** Runs the tool calls of one assistant message, side by side where the tools allow it (protocol.md 4.5). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type { RequestedCall } from "../../../domain/conversation/AssistantDraft.ts"
import { plainText, text } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import type { Budget } from "../../../services/Budget.ts"
import { type Tool, ToolFailure, type Tools } from "../../../services/Tools.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import * as FiberGroup from "../../platform/FiberGroup.ts"
import type { RunJournal } from "./RunJournal.ts"
import * as RunNodes from "../nodes/RunNodes.ts"

interface Dependencies {
  readonly tools: typeof Tools.Service
  readonly budget: typeof Budget.Service
  readonly journal: RunJournal
  /** Waits while somebody who watches is too far behind. */
  readonly ready: Effect.Effect<void>
  /** Whether a message waits that the calls which are left have to give way to. */
  readonly isSteered: () => boolean
}

/** What a call came to. A defect is no result: it ends the batch. */
type Outcome =
  | { readonly _tag: "Result"; readonly position: number; readonly output: ToolOutput; readonly isError: boolean }
  | { readonly _tag: "Defect"; readonly cause: Cause.Cause<never> }

/** The calls of one batch. Its own fiber starts them and records what they come to; each runs in a fiber of its own. */
interface Batch extends Dependencies {
  readonly calls: ReadonlyArray<RequestedCall>
  readonly fibers: FiberGroup.FiberGroup
  /** Of calls in the tree that hosts see. */
  readonly openNode: Effect.Effect.Success<typeof Supervision.opener>
  /** In the order in which the calls have ended. */
  readonly unrecorded: Array<Outcome>
  /** The first call that has not started. */
  next: number
  /** Every call up to here may run beside others. */
  sharedSoFar: boolean
  /** The call that runs, or ended last, lets nothing start beside it. */
  exclusive: boolean
  /** Set at the boundary where steering was found: nothing more starts, and what still runs is interrupted. */
  skips: boolean
}

const skippedText = "Skipped due to queued user message."
const skipping = new ToolFailure({ message: skippedText })
const cancelledText = "Cancelled by host"
const cutOffText = "Tool call was cut off by the output limit; resend it with smaller arguments."

/** The tool that answers a call, or the reason why none does. */
const resolve = ({ tools }: Dependencies, { call, state }: RequestedCall) => {
  const none = (message: string) => Either.left(new ToolFailure({ message }))
  if (state === "unfinished") return Effect.succeed(none(cutOffText))
  if (state === "malformed") return Effect.succeed(none(`Invalid arguments for ${call.name}: not a JSON object`))
  return Effect.map(
    tools.find(call.name),
    Option.match({ onNone: () => none(`Tool ${call.name} not found`), onSome: (tool) => Either.right(tool) })
  )
}

const failureOutput = ({ content, details, message }: ToolFailure): ToolOutput => ({
  content: content ?? [text(message)],
  details: details ?? {}
})

/** What the model reads of an interrupted call: the output so far, then that it was interrupted. */
const interruptedOutput = (reason: string, latest: ToolOutput | undefined): ToolOutput => {
  const said = plainText(latest?.content ?? [])
  return {
    content: [text(said === "" ? reason : `${said}\n\n${reason}`)],
    details: latest?.details ?? {}
  }
}

/** Answers without running anything; hosts still see the call start and end. */
const refuse = (batch: Batch, position: number, failure: ToolFailure) => {
  batch.unrecorded.push({ _tag: "Result", position, output: failureOutput(failure), isError: true })
}

/** Runs the call in a fiber of its own, which can be ended alone. */
const launch = (batch: Batch, position: number, { call }: RequestedCall, tool: Tool) => {
  const { fibers, journal, ready, unrecorded } = batch
  let latest: ToolOutput | undefined
  let cancelled = false
  // Said by a call that is being interrupted, it is kept for the result, which is told next. No abort waits for readers.
  const progress = (output: ToolOutput) =>
    Effect.withFiberRuntime<void>((fiber, { runtimeFlags }) => {
      latest = output
      if (!Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))) return Effect.void
      const show = () => journal.progressOfCall(position, output)
      return RuntimeFlags.interruptible(runtimeFlags) ? Effect.map(ready, show) : Effect.sync(show)
    })
  const outcome = (exit: Exit.Exit<ToolOutput, ToolFailure>): Outcome => {
    if (Exit.isSuccess(exit)) return { _tag: "Result", position, output: exit.value, isError: false }
    const failure = Cause.failureOption(exit.cause)
    if (Option.isSome(failure)) {
      return { _tag: "Result", position, output: failureOutput(failure.value), isError: true }
    }
    if (!Cause.isInterruptedOnly(exit.cause)) return { _tag: "Defect", cause: Cause.stripFailures(exit.cause) }
    const reason = cancelled ? cancelledText : batch.skips ? skippedText : tool.abortedText
    return { _tag: "Result", position, output: interruptedOutput(reason, latest), isError: true }
  }
  const node = batch.openNode(RunNodes.toolCall(call, () => (cancelled = true)))
  fibers.start(node.run(tool.run(call.arguments, { toolCallId: call.id, progress })), (exit) => {
    node.ended()
    unrecorded.push(outcome(exit))
  })
}

const overBudget = ({ budget }: Dependencies) =>
  Effect.match(budget.check, {
    onFailure: ({ reason }) => new ToolFailure({ message: `Budget exceeded (${reason}): tool call not started.` }),
    onSuccess: () => undefined
  })

/** Starts the calls that may run now, in their order. */
const startNext = Effect.fnUntraced(function* (batch: Batch) {
  const { budget, calls, fibers, journal, unrecorded } = batch
  const isBusy = () => fibers.size() > 0 || unrecorded.length > 0
  for (let requested = calls[batch.next]; requested !== undefined; requested = calls[batch.next]) {
    if (batch.exclusive && isBusy()) return
    const tool: Either.Either<Tool, ToolFailure> = yield* resolve(batch, requested)
    const exclusive = Either.isRight(tool) && tool.right.concurrency === "exclusive"
    if (exclusive && isBusy()) return
    const position = batch.next++
    // The first call, and the shared ones that start together with it, run whatever is queued.
    const first = position === 0 || (batch.sharedSoFar && !exclusive)
    batch.sharedSoFar &&= !exclusive
    batch.exclusive = exclusive
    batch.skips ||= !first && batch.isSteered()
    const refusal = !first && batch.skips ? skipping : Either.isLeft(tool) ? tool.left : yield* overBudget(batch)
    journal.startCall(position)
    if (refusal !== undefined) refuse(batch, position, refusal)
    else if (Either.isRight(tool)) {
      yield* budget.recordToolCall
      launch(batch, position, requested, tool.right)
    }
  }
})

/** After a call: with steering at hand its siblings are interrupted, and nothing more starts. */
const boundary = (batch: Batch) => {
  if (batch.skips || !batch.isSteered()) return
  batch.skips = true
  batch.fibers.interruptAll()
}

/** Stores and tells what has ended, in that order; answers what a call died of. */
const record = Effect.fnUntraced(function* (batch: Batch) {
  let died: Cause.Cause<never> | undefined
  for (let ended = batch.unrecorded.shift(); ended !== undefined; ended = batch.unrecorded.shift()) {
    if (ended._tag === "Defect") died ??= ended.cause
    else {
      yield* batch.journal.endCall(ended.position, ended.output, ended.isError)
      boundary(batch)
    }
  }
  return died
})

/** Ends what still runs, and records what became of it. */
const cutShort = Effect.fnUntraced(function* (batch: Batch, cause: Cause.Cause<never>) {
  batch.fibers.interruptAll()
  while (batch.fibers.size() > 0) yield* batch.fibers.ended
  yield* record(batch)
  return yield* Effect.failCause(cause)
})

/**
 * Returns when every call has its result. Each call is a fiber of its own, which this one waits for in any case: an
 * interrupt ends them all, and calls that had not started are left without a result for the journal to answer. Calls
 * start in their order; a defect in one ends the batch at once, however long the others would take.
 */
export const run = (dependencies: Dependencies, calls: ReadonlyArray<RequestedCall>) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const fibers = yield* FiberGroup.make
      const batch: Batch = {
        ...dependencies,
        calls,
        fibers,
        openNode: yield* Supervision.opener,
        unrecorded: [],
        next: 0,
        sharedSoFar: true,
        exclusive: false,
        skips: false
      }
      while (batch.next < calls.length || fibers.size() > 0) {
        yield* startNext(batch)
        if (batch.unrecorded.length === 0) {
          const waited = yield* Effect.exit(restore(fibers.ended))
          if (Exit.isFailure(waited)) return yield* cutShort(batch, waited.cause)
        }
        const died = yield* record(batch)
        if (died !== undefined) return yield* cutShort(batch, died)
      }
    })
  )

/** Runs the tool calls of one assistant message, side by side where the tools allow it (protocol.md 4.5). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type { RequestedCall } from "../../../../domain/conversation/AssistantDraft.ts"
import * as Ledger from "../../../../domain/session/Ledger.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import { type SessionTools, type Tool, type ToolAnswer, ToolFailure } from "../../../../services/Tools.ts"
import * as EventLoop from "../../../machine/engine/EventLoop.ts"
import * as CallFiber from "./CallFiber.ts"
import type { CallSteps } from "./CallSteps.ts"
import type { RunJournal } from "../RunJournal.ts"

/** Steering messages that skip what is left of a batch (protocol.md 4.6). */
export interface Steering {
  /** Whether one waits. */
  readonly waits: () => boolean
  /** Calls `look` behind each change of the queue, until the function that it returns is called. */
  readonly watch: (look: () => void) => () => void
}

interface Dependencies {
  readonly tools: SessionTools
  readonly budget: SessionBudget
  readonly journal: RunJournal
  readonly steps: CallSteps
  /** Owns the fibers of calls, for as long as the session is open. */
  readonly fibers: FiberSet.FiberSet<unknown, unknown>
  /** Waits while a sink is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly steering: Steering
}

/** The calls of one batch. Its own fiber starts them and records how they ended; each runs in a fiber of its own. */
interface Batch extends Dependencies {
  readonly calls: ReadonlyArray<RequestedCall>
  /** The fibers of the calls that run. */
  readonly running: Set<CallFiber.CallFiber>
  /** Starts a fiber at once, up to its first wait. */
  readonly fork: (call: Effect.Effect<ToolAnswer, ToolFailure>) => CallFiber.CallFiber
  /** Calls that have started and are not recorded. */
  open: number
  /** In the order in which the calls have ended. */
  readonly unrecorded: Array<CallFiber.Outcome>
  /** How many of them are recorded; they are taken out together. */
  recorded: number
  /** Open while a call is unrecorded. */
  readonly ended: Effect.Latch
  /** The first call that has not started. */
  next: number
  /** Every call up to here may run beside others, and has started with them. */
  sharedSoFar: boolean
  /** The call that runs, or ended last, lets nothing start beside it. */
  exclusive: boolean
  /** The result of a call is recorded. Until then steering skips nothing. */
  hasEnded: boolean
  /** Set when steering was found: nothing more starts, and calls that still run are interrupted. */
  skips: boolean
  /** The results that ask for the end of the run. */
  terminating: number
}

/** Calls that run side by side, of however many a model asks for at once. */
const mostAtOnce = 64

const skipping = new ToolFailure({ message: CallFiber.skippedText })
const cutOffText = "Tool call was cut off by the output limit; resend it with smaller arguments."

/** The tool that answers a call, or the reason why none does. */
const resolve = ({ tools }: Dependencies, { call, excess, state }: RequestedCall) => {
  const none = (message: string) => Either.left(new ToolFailure({ message }))
  const invalid = (why: string) => Effect.succeed(none(`Invalid arguments for ${call.name}: ${why}`))
  if (state === "unfinished") return Effect.succeed(none(cutOffText))
  if (state === "malformed") return invalid("not a JSON object")
  if (state === "excessive") return invalid(`${excess}; send plainer ones`)
  return Effect.map(
    tools.find(call.name),
    Option.match({ onNone: () => none(`Tool ${call.name} not found`), onSome: (tool) => Either.right(tool) })
  )
}

const note = (batch: Batch, outcome: CallFiber.Outcome) => {
  batch.unrecorded.push(outcome)
  batch.ended.unsafeOpen()
}

/** Answers without running anything; hosts still see the call start and end. */
const refuse = (batch: Batch, position: number, failure: ToolFailure) => {
  batch.journal.startCall(position, false)
  note(batch, CallFiber.failed(position, failure))
}

const launch = (batch: Batch, position: number, { call }: RequestedCall, tool: Tool) =>
  CallFiber.start(batch, { position, call, tool, isSkipped: () => batch.skips }, (outcome) => note(batch, outcome))

const overBudget = ({ budget }: Dependencies) =>
  Effect.match(budget.toolCall, {
    onFailure: ({ reason }) => new ToolFailure({ message: `Budget exceeded (${reason}): tool call not started.` }),
    onSuccess: () => undefined
  })

/** Starts the calls that may run now, in their order. */
const startNext = Effect.fnUntraced(function* (batch: Batch) {
  const { calls } = batch
  for (let requested = calls[batch.next]; requested !== undefined; requested = calls[batch.next]) {
    if (batch.exclusive && batch.open > 0) return
    if (batch.open >= mostAtOnce) {
      batch.sharedSoFar = false
      return
    }
    const tool: Either.Either<Tool, ToolFailure> = yield* resolve(batch, requested)
    const exclusive = Either.isRight(tool) && tool.right.concurrency === "exclusive"
    if (exclusive && batch.open > 0) return
    const position = batch.next
    // The first call, and the shared ones that start together with it, run whatever is queued.
    const first = position === 0 || (batch.sharedSoFar && !exclusive)
    batch.skips ||= !first && batch.steering.waits()
    const refusal = !first && batch.skips ? skipping : Either.isLeft(tool) ? tool.left : yield* overBudget(batch)
    batch.next++
    batch.open++
    batch.sharedSoFar &&= !exclusive
    batch.exclusive = exclusive
    if (refusal !== undefined) refuse(batch, position, refusal)
    else if (Either.isRight(tool)) launch(batch, position, requested, tool.right)
  }
})

const interruptCalls = ({ running }: Batch) => {
  for (const fiber of running) fiber.unsafeInterruptAsFork(FiberId.none)
}

/**
 * Once a call has ended and a steering message waits, the calls that run are interrupted, and nothing more starts. To be
 * called when either of the two has come about.
 */
const look = (batch: Batch) => {
  if (!batch.hasEnded || batch.skips || !batch.steering.waits()) return
  batch.skips = true
  interruptCalls(batch)
}

/** Stores and publishes the results of the calls that have ended, in that order; fails if one of them died. */
const record = Effect.fnUntraced(function* (batch: Batch) {
  let died: Cause.Cause<never> | undefined
  for (let ended = batch.unrecorded[batch.recorded]; ended !== undefined; ended = batch.unrecorded[batch.recorded]) {
    if (ended._tag === "Defect") died ??= ended.cause
    else {
      const usage = ended.usage ?? Ledger.reportedIn(ended.output.details)
      yield* batch.journal.endCall(ended.position, ended.output, ended.isError, usage)
      if (usage !== undefined) yield* batch.budget.recordUsage(usage)
      if (ended.terminate === true) batch.terminating++
    }
    batch.recorded++
    batch.open--
    batch.hasEnded = true
    look(batch)
  }
  batch.unrecorded.length = batch.recorded = 0
  batch.ended.unsafeClose()
  if (died !== undefined) return yield* Effect.failCause(died)
})

const cutShort = (batch: Batch) => Effect.zipRight(Fiber.interruptAll(batch.running), Effect.ignore(record(batch)))

/** Between two of very many calls: whatever else waits has its turn, and a sink that is behind can catch up. */
const breathe = ({ ready }: Batch) => Effect.zipRight(EventLoop.nextTurn, ready)

const work = Effect.fnUntraced(function* (batch: Batch) {
  while (batch.next < batch.calls.length || batch.open > 0) {
    yield* startNext(batch)
    yield* batch.ended.await
    yield* record(batch)
    if (batch.next >= mostAtOnce && batch.next < batch.calls.length) yield* breathe(batch)
  }
})

/**
 * Returns when every call has its result, and whether all of them ask for the end of the run. Each call is a fiber of its own, which this one waits for in any case: an
 * interrupt ends them all, and the journal answers the calls that had not started. Calls start in their order; a
 * defect in one ends the batch at once, however long the others would take.
 */
export const run = (dependencies: Dependencies, calls: ReadonlyArray<RequestedCall>) =>
  Effect.flatMap(FiberSet.runtime(dependencies.fibers)<never>(), (fork) => {
    const batch: Batch = {
      ...dependencies,
      calls,
      fork,
      running: new Set(),
      open: 0,
      unrecorded: [],
      recorded: 0,
      ended: Effect.unsafeMakeLatch(false),
      next: 0,
      sharedSoFar: true,
      exclusive: false,
      hasEnded: false,
      skips: false,
      terminating: 0
    }
    const worked = Effect.acquireUseRelease(
      Effect.sync(() => batch.steering.watch(() => look(batch))),
      () => Effect.onError(work(batch), () => cutShort(batch)),
      (unwatch) => Effect.sync(unwatch)
    )
    return Effect.map(worked, () => batch.terminating === calls.length)
  })

/**
 * Starts and cancels compactions, and publishes their events (protocol.md 7). Each attempt has a fiber of its own, so
 * that it can be ended without its run. CompactionAttempt.ts does the work.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import type { AgentEvent, CompactionRef, EventOf } from "../../../domain/conversation/AgentEvent.ts"
import type { CompactionReason, CompactionResult } from "../../../domain/compaction/CompactionResult.ts"
import type { NewEntry } from "../../../domain/session/SessionEntry.ts"
import type { Model } from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import { cancelled, CompactionFailed, isTooSmall } from "../../../services/Compaction.ts"
import { Ids } from "../../../services/Ids.ts"
import { ModelClient } from "../../../services/model/ModelClient.ts"
import { Session } from "../../../services/session/Session.ts"
import { SessionStore } from "../../../services/session/SessionStore.ts"
import { Settings } from "../../../services/Settings.ts"
import * as BranchSummary from "./BranchSummary.ts"
import * as CompactionAttempt from "./CompactionAttempt.ts"
import * as Ahead from "../run/Ahead.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import * as RunNodes from "../nodes/RunNodes.ts"

interface Options {
  readonly publish: (event: AgentEvent) => void
  /** Whether failed model calls are tried again. */
  readonly mayRetry: Effect.Effect<boolean>
  /** Reads what modules would miss in the log after a handoff, and answers what that begins with for them. */
  readonly prepareHandoff: Effect.Effect<ReadonlyArray<NewEntry>>
  readonly budget: SessionBudget
  /** Starts what a compaction does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  readonly hooks: HookRegistry
}

export interface CompactionOrder {
  readonly reason: CompactionReason
  readonly model: Model
  readonly customInstructions?: string
  readonly runId?: string
  /** The newest answer did not fit the window: it leaves the conversation, and the model is called again. */
  readonly recovers?: boolean
}

type Outcome = Either.Either<CompactionResult, CompactionFailed>
type Ending = Omit<EventOf<"CompactionEnded">, "_tag" | keyof CompactionRef>

const introductions = {
  manual: "",
  threshold: "Auto-compaction failed: ",
  idle: "Auto-compaction failed: ",
  overflow: "Context overflow recovery failed: "
} as const

const ending = (order: CompactionOrder, exit: Exit.Exit<CompactionResult, CompactionFailed>): Ending => {
  const notDone = { aborted: false, willRetry: false }
  if (Exit.isSuccess(exit)) return { result: exit.value, aborted: false, willRetry: order.recovers === true }
  if (Cause.isInterruptedOnly(exit.cause)) return { aborted: true, willRetry: false }
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure?.reason === "cancelled") return { aborted: true, willRetry: false }
  const isAutomatic = order.reason === "threshold" || order.reason === "idle"
  if (failure !== undefined && isTooSmall(failure) && isAutomatic) return { ...notDone, skipped: true }
  const detail = failure?.message ?? `Internal error: ${Cause.squash(exit.cause)}`
  return { ...notDone, errorMessage: `${introductions[order.reason]}${detail}` }
}

/** `FiberHandle.clear` would also let go of a fiber that began while it waited. */
const interruptCurrent = <A, E>(handle: FiberHandle.FiberHandle<A, E>) =>
  Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(handle), { onNone: () => Effect.void, onSome: Fiber.interrupt })
  )

/** Failures and interrupts become values; defects stay defects. */
const outcome = (exit: Exit.Exit<CompactionResult, CompactionFailed>): Exit.Exit<Outcome> => {
  if (Exit.isSuccess(exit)) return Exit.succeed(Either.right(exit.value))
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return Exit.succeed(Either.left(failure.value))
  if (Cause.isInterruptedOnly(exit.cause)) return Exit.succeed(Either.left(cancelled()))
  return Exit.failCause(Cause.stripFailures(exit.cause))
}

type Tools = Parameters<typeof CompactionAttempt.run>[0]

/** A handoff happens between the turns of a run only, because nothing else writes to the session then. */
const actionOf = ({ settings }: Tools, { reason }: CompactionOrder) =>
  reason === "threshold" && settings["compaction.strategy"] === "handoff" ? "handoff" : "context-full"

const refer = (tools: Tools, { runId, ...order }: CompactionOrder): CompactionRef => ({
  compactionId: tools.ids.next("compaction"),
  reason: order.reason,
  action: actionOf(tools, order),
  ...defined({ runId })
})

const request = (tools: Tools, { recovers, ...order }: CompactionOrder) => ({
  ...order,
  dropsAnswer: recovers === true,
  handsOff: actionOf(tools, order) === "handoff"
})

/** Attempts to compact the session, one at a time. */
const makeAttempts = Effect.fnUntraced(function* (tools: Tools, begun: () => void) {
  const { publish } = tools
  const current = yield* FiberHandle.make<void, never>()
  /** Opened when the end of the newest attempt was published. */
  let told: Effect.Latch | undefined

  /** Publishes the start and exactly one end. An interrupt ends the attempt first. */
  const perform = (order: CompactionOrder): Effect.Effect<Outcome> =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const ref = refer(tools, order)
        const mine = (told = Effect.unsafeMakeLatch(false))
        begun()
        publish({ _tag: "CompactionStarted", ...ref })
        const ended = yield* Deferred.make<CompactionResult, CompactionFailed>()
        const attempt = Effect.exit(
          RunNodes.compaction(order.reason, CompactionAttempt.run(tools, request(tools, order)))
        )
        // Not the exit of the fiber: that one is an interrupt also where the attempt had stored its result before.
        const noted = Effect.flatMap(attempt, (exit) => Effect.asVoid(Deferred.done(ended, exit)))
        const fiber = yield* FiberHandle.run(current, Effect.uninterruptible(noted))
        const waited = yield* Effect.exit(restore(Fiber.await(fiber)))
        if (Exit.isFailure(waited)) yield* Fiber.interrupt(fiber)
        const exit = yield* Effect.exit(Deferred.await(ended))
        publish({ _tag: "CompactionEnded", ...ref, ...ending(order, exit) })
        yield* mine.open
        if (told === mine) told = undefined
        return yield* Exit.isFailure(waited) ? Exit.failCause(waited.cause) : outcome(exit)
      })
    )

  return {
    perform,
    cancel: Effect.zipRight(
      interruptCurrent(current),
      Effect.suspend(() => told?.await ?? Effect.void)
    ),
    isActive: Effect.sync(() => Option.isSome(FiberHandle.unsafeGet(current)))
  }
})

/** Summaries of branches that are being left, one at a time. */
const makeBranchSummaries = Effect.fnUntraced(function* (tools: Tools, begun: () => void) {
  const current = yield* FiberHandle.make<BranchSummary.BranchSummary | undefined, CompactionFailed>()

  const summarize = (request: BranchSummary.BranchSummaryRequest) =>
    FiberHandle.run(
      current,
      Effect.interruptible(RunNodes.compaction("branch", BranchSummary.summarize(tools, request)))
    ).pipe(
      Effect.tap(begun),
      Effect.flatMap((fiber) => Effect.onInterrupt(Fiber.await(fiber), () => interruptCurrent(current))),
      Effect.flatMap((exit) =>
        Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.fail(cancelled()) : exit
      )
    )
  return { summarize, cancel: interruptCurrent(current) }
})

export type Compaction = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (options: Options) {
  const { detach, publish } = options
  const settings = yield* Settings
  const tools: Tools = {
    ...options,
    client: yield* ModelClient,
    ids: yield* Ids,
    session: yield* Session,
    settings,
    store: yield* SessionStore
  }
  const watching = new Set<() => void>()
  const begun = () => {
    for (const tell of watching) tell()
  }
  const attempts = yield* makeAttempts(tools, begun)
  const branches = yield* makeBranchSummaries(tools, begun)
  const cancel = Effect.zipRight(branches.cancel, attempts.cancel)
  const ahead = Ahead.make(detach, cancel)
  watching.add(ahead.begun)
  const check = (order: CompactionOrder) => CompactionAttempt.check(tools, request(tools, order))
  let enabled = settings["compaction.enabled"] && settings["compaction.strategy"] !== "off"
  return {
    perform: attempts.perform,
    /** Fails as an attempt would that finds nothing to compact; publishes nothing. */
    check,
    isWorthwhile: (order: CompactionOrder) => Effect.isSuccess(check(order)),
    /** Summarises a branch that the user leaves; undefined if it has no messages. `cancel` ends it, too. */
    summarizeBranch: branches.summarize,
    refuse: (order: CompactionOrder, errorMessage: string) => {
      publish({ _tag: "CompactionEnded", ...refer(tools, order), aborted: false, willRetry: false, errorMessage })
    },
    /** Returns when the attempt, if there is one, has ended and its end is published. */
    cancel,
    /** The same, also for one that begins before the place is reached. */
    cancelUntil: ahead.endUntil,
    /** Calls `tell` when an attempt or a branch summary has begun. */
    watch: (tell: () => void) => void watching.add(tell),
    isActive: attempts.isActive,
    isEnabled: () => enabled,
    setEnabled: (value: boolean) =>
      Effect.sync(() => {
        enabled = value
      })
  }
})

/**
 * When a session is compacted, and what hosts are told of it (protocol.md 7). Each attempt is a fiber of its own, so
 * that it can be ended without the run it happens in. What an attempt does is CompactionAttempt.ts.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import type { AgentEvent, CompactionRef } from "../../../domain/conversation/AgentEvent.ts"
import type { CompactionReason, CompactionResult } from "../../../domain/compaction/CompactionResult.ts"
import type { Model } from "../../../domain/model/Model.ts"
import { Budget } from "../../../services/Budget.ts"
import { cancelled, CompactionFailed, CompactionHooks } from "../../../services/Compaction.ts"
import { Ids } from "../../../services/Ids.ts"
import { ModelClient } from "../../../services/model/ModelClient.ts"
import { Session } from "../../../services/session/Session.ts"
import { SessionStore } from "../../../services/session/SessionStore.ts"
import { Settings } from "../../../services/Settings.ts"
import type { BranchSummary, BranchSummaryRequest } from "./BranchSummary.ts"
import type { Inbox } from "../inbox/Inbox.ts"
import * as Starts from "./Starts.ts"
import * as RunNodes from "../nodes/RunNodes.ts"

interface Options {
  readonly publish: (event: AgentEvent) => void
  /** Whether failed model calls are tried again. */
  readonly mayRetry: Effect.Effect<boolean>
  readonly handoff: Inbox["handoff"]
}

export interface CompactionOrder {
  readonly reason: CompactionReason
  readonly model: Model
  readonly customInstructions?: string
  readonly runId?: string
  /** The newest answer was an overflow: it leaves the conversation, and the call is made again. */
  readonly recovers?: boolean
}

type Outcome = Either.Either<CompactionResult, CompactionFailed>
type Ending = Omit<Extract<AgentEvent, { readonly _tag: "CompactionEnded" }>, "_tag" | keyof CompactionRef>

const introductions = {
  manual: "",
  threshold: "Auto-compaction failed: ",
  idle: "Auto-compaction failed: ",
  overflow: "Context overflow recovery failed: "
} as const

const isBenign = ({ reason }: CompactionFailed) => reason === "already_compacted" || reason === "nothing_to_compact"

const ending = (order: CompactionOrder, exit: Exit.Exit<CompactionResult, CompactionFailed>): Ending => {
  const notDone = { aborted: false, willRetry: false }
  if (Exit.isSuccess(exit)) return { result: exit.value, aborted: false, willRetry: order.recovers === true }
  if (Cause.isInterruptedOnly(exit.cause)) return { aborted: true, willRetry: false }
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure?.reason === "cancelled") return { aborted: true, willRetry: false }
  const isAutomatic = order.reason === "threshold" || order.reason === "idle"
  if (failure !== undefined && isBenign(failure) && isAutomatic) return { ...notDone, skipped: true }
  const detail = failure?.message ?? `Internal error: ${Cause.squash(exit.cause)}`
  return { ...notDone, errorMessage: `${introductions[order.reason]}${detail}` }
}

/** `FiberHandle.clear` would also let go of a fiber that began while it waited. */
const interruptCurrent = <A, E>(handle: FiberHandle.FiberHandle<A, E>) =>
  Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(handle), { onNone: () => Effect.void, onSome: Fiber.interrupt })
  )

/** Defects stay what they are. */
const outcome = (exit: Exit.Exit<CompactionResult, CompactionFailed>): Exit.Exit<Outcome> => {
  if (Exit.isSuccess(exit)) return Exit.succeed(Either.right(exit.value))
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return Exit.succeed(Either.left(failure.value))
  if (Cause.isInterruptedOnly(exit.cause)) return Exit.succeed(Either.left(cancelled()))
  return Exit.failCause(Cause.stripFailures(exit.cause))
}

const cancelBefore = (
  until: Effect.Effect<void>,
  cancel: Effect.Effect<void>,
  starts: ReturnType<typeof Starts.make>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    // The common case of an abort, which has better things to do than to race fibers for nothing.
    if (until === Effect.void) return cancel
    let seen = starts.count()
    let over = false
    const later = Effect.gen(function* () {
      yield* starts.after(seen)
      // `until` may have ended just before this one began; its waiter is then ahead of us.
      yield* Effect.yieldNow()
      seen = starts.count()
      if (!over) yield* cancel
    })
    const done = Effect.map(until, () => {
      over = true
    })
    return Effect.zipRight(cancel, Effect.raceFirst(done, Effect.forever(later)))
  })

export type Compaction = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ handoff, mayRetry, publish }: Options) {
  const budget = yield* Budget
  const client = yield* ModelClient
  const hooks = yield* CompactionHooks
  const ids = yield* Ids
  const session = yield* Session
  const settings = yield* Settings
  const store = yield* SessionStore
  const tools = { budget, client, handoff, hooks, ids, mayRetry, publish, session, settings, store }
  const attempt = yield* FiberHandle.make<CompactionResult, CompactionFailed>()
  let enabled = settings["compaction.enabled"] && settings["compaction.strategy"] !== "off"
  const summary = yield* FiberHandle.make<BranchSummary | undefined, CompactionFailed>()

  let lastTold: Effect.Effect<void> = Effect.void
  const starts = Starts.make()

  /** Only between the turns of a run is it certain that nobody else writes to the session. */
  const actionOf = ({ reason }: CompactionOrder) =>
    reason === "threshold" && settings["compaction.strategy"] === "handoff" ? "handoff" : "context-full"

  const work = ({ recovers, ...order }: CompactionOrder) =>
    Effect.flatMap(
      Effect.promise(() => import("./CompactionAttempt.ts")),
      ({ run }) => run(tools, { ...order, dropsAnswer: recovers === true, handsOff: actionOf(order) === "handoff" })
    )

  const refer = ({ runId, ...order }: CompactionOrder) =>
    Effect.sync((): CompactionRef => ({
      compactionId: ids.next("compaction"),
      reason: order.reason,
      action: actionOf(order),
      ...(runId === undefined ? {} : { runId })
    }))

  /** Tells about the start and about exactly one end; an interrupt ends the attempt first. */
  const perform = (order: CompactionOrder): Effect.Effect<Outcome> =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const ref = yield* refer(order)
        const told = Effect.unsafeMakeLatch(false)
        lastTold = told.await
        yield* starts.add
        publish({ _tag: "CompactionStarted", ...ref })
        const fiber = yield* FiberHandle.run(
          attempt,
          Effect.interruptible(RunNodes.compaction(order.reason, work(order)))
        )
        const waited = yield* Effect.exit(restore(Fiber.await(fiber)))
        const exit = Exit.isSuccess(waited) ? waited.value : yield* Fiber.interrupt(fiber)
        publish({ _tag: "CompactionEnded", ...ref, ...ending(order, exit) })
        yield* told.open
        return yield* Exit.isFailure(waited) ? Exit.failCause(waited.cause) : outcome(exit)
      })
    )

  /** Of a branch that is being left; undefined where there is nothing to say. Cancelled like a compaction. */
  const summarizeBranch = (request: BranchSummaryRequest): Effect.Effect<BranchSummary | undefined, CompactionFailed> =>
    Effect.promise(() => import("./BranchSummary.ts")).pipe(
      Effect.flatMap(({ summarize }) =>
        FiberHandle.run(summary, Effect.interruptible(RunNodes.compaction("branch", summarize(tools, request))))
      ),
      Effect.zipLeft(starts.add),
      Effect.flatMap((fiber) => Effect.onInterrupt(Fiber.await(fiber), () => interruptCurrent(summary))),
      Effect.flatMap((exit) =>
        Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.fail(cancelled()) : exit
      )
    )

  const cancel = Effect.suspend(() => {
    const told = lastTold
    if (Option.isNone(FiberHandle.unsafeGet(attempt)) && Option.isNone(FiberHandle.unsafeGet(summary))) return told
    return Effect.all([interruptCurrent(attempt), interruptCurrent(summary), told], { discard: true })
  })

  return {
    perform,
    summarizeBranch,
    /** Reports an attempt that was not made. */
    refuse: Effect.fnUntraced(function* (order: CompactionOrder, errorMessage: string) {
      publish({ _tag: "CompactionEnded", ...(yield* refer(order)), aborted: false, willRetry: false, errorMessage })
    }),
    /** Returns when the attempt, if there is one, has ended and everybody was told. */
    cancel,
    /** The one that is going on and those that begin before `until` is done. */
    cancelUntil: (until: Effect.Effect<void>) => cancelBefore(until, cancel, starts),
    isActive: Effect.sync(() => Option.isSome(FiberHandle.unsafeGet(attempt))),
    isEnabled: () => enabled,
    setEnabled: (value: boolean) =>
      Effect.sync(() => {
        enabled = value
      })
  }
})

/** A run from its first event to its last: its beginning, its turns and its end markers. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Allowance } from "../../../services/Budget.ts"
import * as Interrupted from "../../../services/fibers/Interrupted.ts"
import type { SessionCore } from "../../../services/session/SessionCore.ts"
import * as EventLoop from "../../platform/EventLoop.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { Messages } from "../inbox/Messages.ts"
import * as Run from "./Run.ts"
import type { RunEnd } from "./RunEnd.ts"
import type { RunJournal } from "./RunJournal.ts"
import type { AcceptedPrompt, RunSetup } from "./RunSetup.ts"

interface Options {
  readonly core: typeof SessionCore.Service
  readonly setUp: RunSetup
  readonly messages: Messages
  readonly late: LateRecords
  readonly end: RunEnd
}

/** An abort does not wait for the disk: its answer leaves within the next turn of the event loop. */
const afterAnswer = (sync: Effect.Effect<void>) =>
  Effect.zipRight(EventLoop.nextTurn, Effect.zipRight(EventLoop.nextTurn, sync))

export const make = Effect.fnUntraced(function* ({ core, end, late, messages, setUp }: Options) {
  const { entries: session, events, fork } = core
  const budget = yield* Allowance

  const begin = (accepted: AcceptedPrompt) => {
    const made = setUp(accepted)
    if (accepted.message.role === "user") made.steps.prompted()
    events.publish({ _tag: "RunStarted", runId: accepted.runId })
    return made
  }

  /** The prompt is part of the run's history even where an abort ends what comes before its first turn. */
  const introduce = (journal: RunJournal, { clientMessageId, message, messageId }: AcceptedPrompt) => {
    const ref = clientMessageId === undefined ? { messageId } : { messageId, clientMessageId }
    journal.startTurn()
    journal.startUser(ref, message)
    journal.endUser(ref, message)
  }

  /** Messages that are queued at the very end continue the run, unless it was asked to stop. */
  const finish = Effect.fnUntraced(function* (journal: RunJournal, result: Run.RunResult) {
    messages.tell({ _tag: "RunEnding", runId: journal.runId })
    yield* late.store
    yield* end.takeQueue
    const isStopped = yield* Interrupted.isRequested
    if (!isStopped) yield* session.sync
    const next = end.publish(journal, { ...result, mayGoOn: result.mayGoOn && !isStopped })
    if (isStopped) fork(afterAnswer(session.sync))
    return next
  })

  /** Uninterruptible but for its turns, so that a run which has begun always ends. */
  const run = Effect.fnUntraced(function* (accepted: AcceptedPrompt, begun: () => void) {
    const { shape, steps, turns } = begin(accepted)
    begun()
    const preparing = Effect.zipRight(steps.before, shape(accepted.message))
    const prepared = yield* Effect.exit(budget.whileRunning(Effect.interruptible(preparing)))
    introduce(turns.journal, accepted)
    if (Exit.isSuccess(prepared)) for (const added of prepared.value) yield* turns.delivery.inject(added)
    let result = yield* Run.run(turns, "start", Exit.asVoid(prepared))
    while (true) {
      const next = yield* finish(turns.journal, result)
      if (next === "over") return
      if (next === "store") continue
      result = yield* Run.run(turns, "settled")
    }
  }, Effect.uninterruptible)

  return { run }
})

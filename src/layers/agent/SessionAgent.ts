/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import { Agent } from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { Session } from "../../services/session/Session.ts"
import { SessionStore } from "../../services/session/SessionStore.ts"
import { Settings } from "../../services/Settings.ts"
import { Tools } from "../../services/Tools.ts"
import * as Once from "../Once.ts"
import * as Admission from "./run/Admission.ts"
import type { BranchSummaryRequest } from "./compaction/BranchSummary.ts"
import * as Compaction from "./compaction/Compaction.ts"
import * as Controls from "./model/Controls.ts"
import * as Gate from "./run/Gate.ts"
import * as IdleCompaction from "./compaction/IdleCompaction.ts"
import * as Inbox from "./inbox/Inbox.ts"
import * as ManualCompaction from "./compaction/ManualCompaction.ts"
import * as ModelInForce from "./model/ModelInForce.ts"
import * as Retries from "./run/Retries.ts"
import * as ModelCall from "./run/ModelCall.ts"
import * as RunLifecycle from "./run/RunLifecycle.ts"
import * as StateSnapshot from "./StateSnapshot.ts"
import * as Stopping from "./run/Stopping.ts"
import * as SupervisionTree from "./nodes/SupervisionTree.ts"
import * as SessionHub from "./events/SessionHub.ts"
import * as SystemPrompt from "./model/SystemPrompt.ts"
import * as RunNodes from "./nodes/RunNodes.ts"

export interface SessionAgentOptions extends SystemPrompt.SystemPromptOptions, Controls.ControlOptions {}

/** What is made once for a session, before anything can run in it. */
const makeParts = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const catalog = yield* ModelCatalog
  const session = yield* Session
  const settings = yield* Settings
  const hub = yield* SessionHub.make(session)
  const { publish } = hub
  const controls = Controls.make({ settings, catalog, session, publish }, options)
  const retries = yield* Retries.make({ settings, publish, switchTo: controls.switchTo })
  const inbox = Inbox.make(session, publish)
  return {
    catalog,
    session,
    settings,
    hub,
    publish,
    controls,
    retries,
    inbox,
    compaction: yield* Compaction.make({ publish, mayRetry: retries.enabled, handoff: inbox.handoff }),
    model: ModelInForce.make(controls.values, catalog),
    supervision: yield* SupervisionTree.make,
    /** OpenPrompts are accepted one at a time, and not while the session changes. */
    gate: Gate.make(),
    systemPrompt: SystemPrompt.render(options)
  }
})

type Parts = Effect.Effect.Success<ReturnType<typeof makeParts>>

/** Runs: how they begin and how they are stopped. At most one at a time. */
const makeRuns = Effect.fnUntraced(function* (parts: Parts) {
  const { compaction, controls, gate, hub, inbox, model, publish, retries, session, supervision, systemPrompt } = parts
  const budget = yield* Budget
  const ids = yield* Ids
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const running = yield* FiberHandle.make<void, never>()
  const start = yield* FiberHandle.runtime(running)()
  const stopping = Stopping.make({ running, compaction, end: inbox.end, occupancy: inbox.occupancy })
  const lifecycle = yield* RunLifecycle.make({
    publish,
    ready: hub.ready,
    systemPrompt,
    controls: controls.values,
    now,
    model,
    retries: retries.chain,
    compaction,
    inbox
  })
  const admission = Admission.make({
    ids,
    now,
    session,
    inbox,
    gate,
    // Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1).
    admit: (message) =>
      Effect.flatMap(budget.check, () =>
        // A call that could be opened has found a key.
        Effect.flatMap(lifecycle.openAhead(message), (ahead) =>
          ahead === undefined ? Effect.as(model.usable, undefined) : Effect.succeed(ahead)
        )
      ),
    isRunning: stopping.isRunning,
    // The fiber starts at once, so an abort that follows in the same instant finds its clean-up in place.
    begin: (prompt) =>
      Effect.suspend(() => {
        const { ended, run, seat } = RunNodes.run(supervision, { ...prompt, now: now() }, lifecycle.run(prompt))
        const fiber = start(Effect.uninterruptible(run), seat)
        fiber.addObserver(ended)
        // The agent may have ended meanwhile; then the run never starts, and closes nothing.
        const isOver = fiber.unsafePoll() !== null
        return isOver && prompt.ahead !== undefined ? ModelCall.close(prompt.ahead, Exit.void) : Effect.void
      })
  })
  return { admission, stopping, awaitIdle: FiberHandle.awaitEmpty(running) }
})

/** Loaded when somebody first wants another session. */
const makeSessions = Effect.fnUntraced(function* (parts: Parts, endRun: Effect.Effect<void>) {
  const { catalog, compaction, controls, gate, inbox, model, publish, session } = parts
  const [budget, store, tools] = [yield* Budget, yield* SessionStore, yield* Tools]
  const summarize = (paths: Pick<BranchSummaryRequest, "from" | "to">) =>
    Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  const leave = Effect.asVoid(inbox.queues.control.clearQueue)
  const change = { session, store, catalog, budget, tools, controls, publish, gate, endRun, summarize, leave }
  return Once.make(
    Effect.map(
      Effect.promise(() => import("./sessions/SessionChanges.ts")),
      ({ make }) => make(change)
    )
  )
})

export const make = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const parts = yield* makeParts(options)
  const { compaction, controls, hub, inbox, model, retries, session, settings, supervision, systemPrompt } = parts
  const { handoff, occupancy, queues } = inbox
  const { admission, awaitIdle, stopping } = yield* makeRuns(parts)
  yield* RunNodes.session(supervision)(
    IdleCompaction.watch({ compaction, hub, session, settings, model: model.current })
  )
  const manual = ManualCompaction.make({
    compaction,
    occupancy,
    model: model.forSummaries,
    abortRun: stopping.endRun,
    prompt: admission.prompt
  })
  return Agent.of({
    ...controls,
    ...admission,
    ...queues.control,
    record: occupancy.record,
    goesOnHere: (from) => Effect.map(session.info, ({ sessionId }) => handoff.leads(from, sessionId)),
    abort: stopping.abort,
    interrupt: stopping.interrupt,
    awaitIdle,
    close: occupancy.close,
    state: StateSnapshot.make({ controls: controls.values, session, inbox, compaction, manual, retries }),
    messages: session.messages,
    systemPrompt: Effect.succeed(systemPrompt),
    setAutoRetry: retries.setEnabled,
    abortRetry: retries.cancel,
    compact: manual.compact,
    abortCompactions: compaction.cancelUntil,
    setAutoCompaction: compaction.setEnabled,
    sessions: yield* makeSessions(parts, Effect.asVoid(stopping.abort)),
    supervision: Effect.succeed(supervision),
    attach: hub.attach,
    subscribe: hub.subscribe
  })
})

export const layer = (options: SessionAgentOptions) => Layer.scoped(Agent, make(options))

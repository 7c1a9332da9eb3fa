/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
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
import type { BranchSummaryRequest } from "./compaction/BranchSummary.ts"
import * as Compaction from "./compaction/Compaction.ts"
import * as IdleCompaction from "./compaction/IdleCompaction.ts"
import * as ManualCompaction from "./compaction/ManualCompaction.ts"
import * as SessionHub from "./events/SessionHub.ts"
import * as ClientMessages from "./inbox/ClientMessages.ts"
import * as Handoffs from "./inbox/Handoffs.ts"
import * as LateRecords from "./inbox/LateRecords.ts"
import * as OpenPrompts from "./inbox/OpenPrompts.ts"
import * as SessionQueue from "./inbox/SessionQueue.ts"
import * as Controls from "./model/Controls.ts"
import * as ModelInForce from "./model/ModelInForce.ts"
import * as SystemPrompt from "./model/SystemPrompt.ts"
import * as RunNodes from "./nodes/RunNodes.ts"
import * as SupervisionTree from "./nodes/SupervisionTree.ts"
import * as Admission from "./run/Admission.ts"
import * as Beginnings from "./run/Beginnings.ts"
import * as Retries from "./run/Retries.ts"
import * as RunEnd from "./run/RunEnd.ts"
import * as RunFiber from "./run/RunFiber.ts"
import * as RunLifecycle from "./run/RunLifecycle.ts"
import * as RunState from "./run/RunState.ts"
import * as StateSnapshot from "./StateSnapshot.ts"

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
  const state = RunState.make()
  const late = LateRecords.make(session, state)
  const handoffs = Handoffs.make()
  const clientMessages = ClientMessages.make(session, handoffs)
  const prompts = OpenPrompts.make({ publish, ended: clientMessages.ended })
  const queue = SessionQueue.make({ publish, dropped: (items) => prompts.drop(items, !state.isBusy()) })
  const beginnings = Beginnings.make()
  const { announce } = beginnings
  const handoff = { prepare: clientMessages.load, note: handoffs.note }
  return {
    catalog,
    session,
    settings,
    hub,
    publish,
    controls,
    retries,
    state,
    late,
    handoffs,
    clientMessages,
    prompts,
    queue,
    beginnings,
    compaction: yield* Compaction.make({ publish, mayRetry: retries.enabled, handoff, announce }),
    model: ModelInForce.make(controls.values, catalog),
    supervision: yield* SupervisionTree.make,
    /** Prompts are accepted one at a time, and not while the session changes. */
    gate: yield* Effect.makeSemaphore(1),
    systemPrompt: SystemPrompt.render(options)
  }
})

type Parts = Effect.Effect.Success<ReturnType<typeof makeParts>>

/** Runs: how they begin and how they are stopped. At most one at a time. */
const makeRuns = Effect.fnUntraced(function* (parts: Parts) {
  const { beginnings, compaction, controls, hub, queue, retries, state, supervision } = parts
  const budget = yield* Budget
  const ids = yield* Ids
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const detach = yield* FiberSet.makeRuntime<never>()
  const end = RunEnd.make(parts)
  const fiber = yield* RunFiber.make({ compaction, end })
  const lifecycle = yield* RunLifecycle.make({
    ...parts,
    end,
    ready: hub.ready,
    controls: controls.values,
    now,
    retries: retries.chain,
    detach: (effect) => void detach(effect)
  })
  const admission = Admission.make({
    ...parts,
    budget,
    ids,
    now,
    fiber,
    accepting: beginnings.announce,
    run: (prompt) => RunNodes.run(supervision, prompt, lifecycle.run(prompt))
  })
  const withdraw = Effect.suspend(() => (state.current()._tag === "Accepting" ? fiber.stop : Effect.void))
  return { admission, fiber, queue, withdraw: Effect.zipRight(withdraw, compaction.cancel) }
})

/** Loaded when somebody first wants another session. */
const makeSessions = Effect.fnUntraced(function* (parts: Parts, endRun: Effect.Effect<void>) {
  const { catalog, compaction, controls, gate, model, publish, queue, session } = parts
  const [budget, store, tools] = [yield* Budget, yield* SessionStore, yield* Tools]
  const summarize = (paths: Pick<BranchSummaryRequest, "from" | "to">) =>
    Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  const leave = Effect.asVoid(queue.control.clearQueue)
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
  const { beginnings, compaction, controls, hub, late, model, queue, retries, session, state, supervision } = parts
  const { admission, fiber, withdraw } = yield* makeRuns(parts)
  yield* RunNodes.session(supervision)(IdleCompaction.watch({ ...parts, model: model.current }))
  const manual = ManualCompaction.make({
    compaction,
    state,
    late,
    model: model.forSummaries,
    abortRun: fiber.stop,
    prompt: admission.prompt
  })
  return Agent.of({
    ...controls,
    ...admission,
    ...queue.control,
    record: late.record,
    goesOnHere: (from) => Effect.map(session.info, ({ sessionId }) => parts.handoffs.leads(from, sessionId)),
    abort: fiber.abort,
    interrupt: fiber.interrupt,
    awaitIdle: fiber.awaitIdle,
    close: Effect.sync(state.close),
    state: StateSnapshot.make({ controls: controls.values, session, state, queue, compaction, manual, retries }),
    messages: session.messages,
    systemPrompt: Effect.succeed(parts.systemPrompt),
    setAutoRetry: retries.setEnabled,
    abortRetry: retries.cancel,
    compact: manual.compact,
    withdraw: (until) => beginnings.endUntil(until, withdraw),
    abortCompactions: (until) => beginnings.endUntil(until, compaction.cancel),
    setAutoCompaction: compaction.setEnabled,
    sessions: yield* makeSessions(parts, Effect.asVoid(fiber.abort)),
    supervision: Effect.succeed(supervision),
    attach: hub.attach,
    subscribe: hub.subscribe
  })
})

export const layer = (options: SessionAgentOptions) => Layer.scoped(Agent, make(options))

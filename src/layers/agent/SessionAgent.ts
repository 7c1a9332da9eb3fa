/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import { Agent } from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelCatalog } from "../../services/ModelCatalog.ts"
import { Session } from "../../services/Session.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import { Settings } from "../../services/Settings.ts"
import { Tools } from "../../services/Tools.ts"
import * as Once from "../Once.ts"
import * as Admission from "./Admission.ts"
import type { BranchSummaryRequest } from "./BranchSummary.ts"
import * as Compaction from "./Compaction.ts"
import * as Controls from "./Controls.ts"
import * as Gate from "./Gate.ts"
import * as IdleCompaction from "./IdleCompaction.ts"
import * as Inbox from "./Inbox.ts"
import * as ManualCompaction from "./ManualCompaction.ts"
import * as ModelInForce from "./ModelInForce.ts"
import * as Retries from "./Retries.ts"
import * as RunLifecycle from "./RunLifecycle.ts"
import * as StateSnapshot from "./StateSnapshot.ts"
import * as Stopping from "./Stopping.ts"
import * as SupervisionTree from "./SupervisionTree.ts"
import * as SessionHub from "./SessionHub.ts"
import * as SystemPrompt from "./SystemPrompt.ts"
import * as Watched from "./Watched.ts"

export interface SessionAgentOptions extends SystemPrompt.SystemPromptOptions, Controls.ControlOptions {}

export const make = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const budget = yield* Budget
  const catalog = yield* ModelCatalog
  const ids = yield* Ids
  const session = yield* Session
  const settings = yield* Settings
  const store = yield* SessionStore
  const tools = yield* Tools
  const hub = yield* SessionHub.make(session)
  const { publish } = hub
  const controls = Controls.make({ settings, catalog, session, publish }, options)
  const retries = yield* Retries.make({ settings, publish, switchTo: controls.switchTo })
  const inbox = Inbox.make(session, publish)
  const { handoff, occupancy, queues } = inbox
  const compaction = yield* Compaction.make({ publish, mayRetry: retries.enabled, handoff })
  const running = yield* FiberHandle.make<void, never>()
  const start = yield* FiberHandle.runtime(running)()
  const stopping = Stopping.make({ running, compaction, end: inbox.end })
  /** Prompts are accepted one at a time, and not while the session changes. */
  const gate = Gate.make()
  const supervision = yield* SupervisionTree.make
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const systemPrompt = SystemPrompt.render(options)

  const model = ModelInForce.make(controls.values, catalog)

  const lifecycle = yield* RunLifecycle.make({
    publish,
    ready: hub.ready,
    systemPrompt,
    controls: controls.values,
    now,
    choice: model.certain,
    retries: retries.chain,
    compaction,
    inbox
  })

  /** Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1). */
  const admit = Effect.asVoid(Effect.zipRight(budget.check, model.usable))

  const admission = Admission.make({
    ids,
    now,
    session,
    inbox,
    gate,
    admit,
    isRunning: stopping.isRunning,
    // The fiber starts at once, so an abort that follows in the same instant finds its clean-up in place.
    begin: (prompt) =>
      Effect.sync(() => {
        const { ended, run } = Watched.run(supervision, { ...prompt, now: now() }, lifecycle(prompt))
        start(Effect.uninterruptible(run)).addObserver(ended)
      })
  })

  const summarize = (paths: Pick<BranchSummaryRequest, "from" | "to">) =>
    Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  const change = {
    session,
    store,
    catalog,
    budget,
    tools,
    controls,
    publish,
    gate,
    endRun: Effect.asVoid(stopping.abort),
    summarize,
    leave: Effect.asVoid(queues.control.clearQueue)
  }
  const sessions = Once.make(
    Effect.map(
      Effect.promise(() => import("./SessionChanges.ts")),
      ({ make }) => make(change)
    )
  )

  yield* Watched.session(supervision)(
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
    awaitIdle: FiberHandle.awaitEmpty(running),
    close: occupancy.close,
    state: StateSnapshot.make({ controls: controls.values, session, inbox, compaction, manual, retries }),
    messages: session.messages,
    systemPrompt: Effect.succeed(systemPrompt),
    setAutoRetry: retries.setEnabled,
    abortRetry: retries.cancel,
    compact: manual.compact,
    abortCompactions: compaction.cancelUntil,
    setAutoCompaction: compaction.setEnabled,
    sessions,
    supervision: Effect.succeed(supervision),
    attach: hub.attach,
    subscribe: hub.subscribe
  })
})

export const layer = (options: SessionAgentOptions) => Layer.scoped(Agent, make(options))

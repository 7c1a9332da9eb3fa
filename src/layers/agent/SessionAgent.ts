/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { keyAdvice } from "../../domain/ProviderKeys.ts"
import { Agent, type AgentState, MissingCredentials, NoModelSelected } from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { CompactionFailed } from "../../services/Compaction.ts"
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
import * as IdleCompaction from "./IdleCompaction.ts"
import * as Inbox from "./Inbox.ts"
import * as ManualCompaction from "./ManualCompaction.ts"
import * as Retries from "./Retries.ts"
import * as RunLifecycle from "./RunLifecycle.ts"
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
  const compaction = yield* Compaction.make({ publish, mayRetry: retries.enabled })
  const inbox = Inbox.make(session, publish)
  const { occupancy, queues } = inbox
  const running = yield* FiberHandle.make<void, never>()
  const stopping = Stopping.make({ running, compaction, end: inbox.end })
  /** Prompts are accepted one at a time, and not while the session changes. */
  const gate = yield* Effect.makeSemaphore(1)
  const supervision = yield* SupervisionTree.make
  const systemPrompt = SystemPrompt.render(options)

  const choice = Effect.suspend(() => {
    const { model, thinkingLevel } = controls.values()
    return model === undefined ? Effect.fail(new NoModelSelected()) : Effect.succeed({ model, thinkingLevel })
  })

  const currentModel = Effect.map(choice, ({ model }) => model)
  const usableModel = Effect.gen(function* () {
    const model = yield* currentModel
    if (yield* catalog.isAvailable(model)) return model
    return yield* new MissingCredentials({ provider: model.provider, modelId: model.id })
  })

  const lifecycle = yield* RunLifecycle.make({
    publish,
    ready: hub.ready,
    systemPrompt,
    controls: controls.values,
    // A model can be changed but never unset, so a run that was accepted has one.
    choice: Effect.orDie(choice),
    retries: retries.chain,
    compaction,
    inbox
  })

  /** Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1). */
  const admit = Effect.asVoid(Effect.zipRight(budget.check, usableModel))

  const admission = Admission.make({
    ids,
    session,
    inbox,
    gate,
    admit,
    isRunning: stopping.isRunning,
    // FiberHandle starts the fiber at once, so an abort that follows in the same instant finds its clean-up in place.
    begin: (prompt) => {
      const watched = Watched.run(supervision, prompt)(lifecycle(prompt))
      return Effect.asVoid(FiberHandle.run(running, Effect.uninterruptible(watched)))
    }
  })

  const summaryModel = Effect.catchTags(usableModel, {
    NoModelSelected: ({ message }) => new CompactionFailed({ reason: "no_model", message }),
    MissingCredentials: ({ provider }) =>
      new CompactionFailed({
        reason: "missing_credentials",
        message: `No API key for ${provider}. ${keyAdvice(provider)}`
      })
  })
  const summarize = (paths: Pick<BranchSummaryRequest, "from" | "to">) =>
    Effect.flatMap(summaryModel, (model) => compaction.summarizeBranch({ model, ...paths }))
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

  yield* Watched.session(supervision)(IdleCompaction.watch({ compaction, hub, session, settings, model: currentModel }))
  const manual = ManualCompaction.make({
    compaction,
    occupancy,
    model: summaryModel,
    abortRun: stopping.endRun,
    prompt: admission.prompt
  })

  const state = Effect.gen(function* () {
    const isManual = yield* manual.isActive
    const { file, sessionId } = yield* session.info
    const snapshot: AgentState = {
      ...controls.values(),
      sessionId,
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      isStreaming: occupancy.isBusy() && !isManual,
      isCompacting: isManual || (yield* compaction.isActive),
      autoCompactionEnabled: yield* compaction.enabled,
      messageCount: yield* session.messageCount,
      queue: queues.current(),
      autoRetryEnabled: yield* retries.enabled,
      isRetrying: yield* retries.isWaiting
    }
    return snapshot
  })

  return Agent.of({
    ...controls,
    ...admission,
    ...queues.control,
    record: occupancy.record,
    abort: Effect.withSpan(stopping.abort, "Agent.abort"),
    interrupt: Effect.withSpan(stopping.interrupt, "Agent.interrupt"),
    awaitIdle: FiberHandle.awaitEmpty(running),
    close: occupancy.close,
    state,
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

/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { userMessage } from "../../domain/Message.ts"
import { keyAdvice } from "../../domain/ProviderKeys.ts"
import {
  Agent,
  type AgentState,
  MissingCredentials,
  NoModelSelected,
  type PromptInput,
  type PromptReceipt
} from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { CompactionFailed } from "../../services/Compaction.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelCatalog } from "../../services/ModelCatalog.ts"
import { Session } from "../../services/Session.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import { Settings } from "../../services/Settings.ts"
import { Tools } from "../../services/Tools.ts"
import * as Once from "../Once.ts"
import type { BranchSummaryRequest } from "./BranchSummary.ts"
import * as Compaction from "./Compaction.ts"
import * as Controls from "./Controls.ts"
import * as EventHub from "./EventHub.ts"
import * as IdleCompaction from "./IdleCompaction.ts"
import * as ManualCompaction from "./ManualCompaction.ts"
import * as Occupancy from "./Occupancy.ts"
import * as Retries from "./Retries.ts"
import * as RunLifecycle from "./RunLifecycle.ts"
import * as SupervisionTree from "./SupervisionTree.ts"
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
  const hub = EventHub.make()
  const { publish } = hub
  const controls = yield* Controls.make({ settings, catalog, session, publish }, options)
  const retries = yield* Retries.make({ settings, publish, switchTo: controls.switchTo })
  const compaction = yield* Compaction.make({ publish, mayRetry: retries.enabled })
  const occupancy = yield* Occupancy.make(session)
  const running = yield* FiberHandle.make<void, never>()
  /** Prompts are accepted one at a time, and not while the session changes. */
  const gate = yield* Effect.makeSemaphore(1)
  const supervision = yield* SupervisionTree.make
  const systemPrompt = SystemPrompt.render(options)

  const currentModel = Effect.flatMap(controls.values, ({ model }) =>
    model === undefined ? Effect.fail(new NoModelSelected()) : Effect.succeed(model)
  )

  const usableModel = Effect.gen(function* () {
    const model = yield* currentModel
    if (yield* catalog.isAvailable(model)) return model
    return yield* new MissingCredentials({ provider: model.provider, modelId: model.id })
  })

  const lifecycle = yield* RunLifecycle.make({
    publish,
    ready: hub.ready,
    systemPrompt,
    // A model can be changed but never unset, so a run that was accepted has one.
    choice: Effect.orDie(
      Effect.all({ model: currentModel, thinkingLevel: Effect.map(controls.values, (now) => now.thinkingLevel) })
    ),
    retries: retries.chain,
    compaction,
    becomeIdle: occupancy.free
  })

  /** Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1). */
  const admit = Effect.zipRight(budget.check, usableModel)

  const start = Effect.fnUntraced(function* (
    input: PromptInput,
    accepted: (receipt: PromptReceipt) => Effect.Effect<void>
  ) {
    yield* admit
    const message = userMessage(input.text, input.images ?? [], yield* Clock.currentTimeMillis)
    const receipt = { runId: yield* ids.next("run"), messageId: yield* ids.next("message") }
    yield* session.append({ type: "message", message })
    yield* accepted(receipt)
    const requestId = input.requestId === undefined ? {} : { requestId: input.requestId }
    // FiberHandle starts the fiber at once, so an abort that follows in the same instant finds its clean-up in place.
    const run = lifecycle({ receipt, message, ...requestId })
    yield* FiberHandle.run(running, Effect.uninterruptible(Watched.run(supervision, { ...receipt, ...requestId })(run)))
    return receipt
  })

  const prompt = Effect.fn("Agent.prompt")(
    function* (input: PromptInput, accepted: (receipt: PromptReceipt) => Effect.Effect<void> = () => Effect.void) {
      yield* occupancy.claim
      return yield* Effect.onError(start(input, accepted), () => occupancy.free)
    },
    Effect.uninterruptible,
    gate.withPermits(1)
  )

  // Not FiberHandle.clear: that one also forgets a run that was started while it waited, when two end one run together.
  const endRun = Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(running), {
      onNone: () => Effect.void,
      onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
    })
  )
  const endAll = Effect.zipRight(endRun, compaction.cancel)
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
    endRun: endAll,
    summarize,
    leave: Effect.void
  }
  const sessions = Once.make(
    Effect.map(
      Effect.promise(() => import("./SessionChanges.ts")),
      ({ make }) => make(change)
    )
  )

  yield* Watched.session(supervision)(IdleCompaction.watch({ compaction, hub, session, settings, model: currentModel }))
  const manual = ManualCompaction.make({ ...occupancy, compaction, model: summaryModel, abortRun: endRun, prompt })

  const state = Effect.gen(function* () {
    const isManual = yield* manual.isActive
    const { file, sessionId } = yield* session.info
    const snapshot: AgentState = {
      ...(yield* controls.values),
      sessionId,
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      isStreaming: (yield* occupancy.isBusy) && !isManual,
      isCompacting: isManual || (yield* compaction.isActive),
      autoCompactionEnabled: yield* compaction.enabled,
      messageCount: yield* session.messageCount,
      autoRetryEnabled: yield* retries.enabled,
      isRetrying: yield* retries.isWaiting
    }
    return snapshot
  })

  return Agent.of({
    ...controls,
    prompt,
    record: occupancy.record,
    abort: Effect.withSpan(endAll, "Agent.abort"),
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

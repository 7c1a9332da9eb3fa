/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { type BashExecutionMessage, userMessage } from "../../domain/Message.ts"
import {
  Agent,
  AgentBusy,
  AgentClosing,
  type AgentState,
  MissingCredentials,
  NoModelSelected,
  type PromptInput,
  type PromptReceipt
} from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelCatalog } from "../../services/ModelCatalog.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import { Settings } from "../../services/Settings.ts"
import * as Controls from "./Controls.ts"
import * as EventHub from "./EventHub.ts"
import * as Retries from "./Retries.ts"
import * as RunLifecycle from "./RunLifecycle.ts"
import * as SystemPrompt from "./SystemPrompt.ts"

export interface SessionAgentOptions extends SystemPrompt.SystemPromptOptions, Controls.ControlOptions {}

/** `accepting` is the short time between the check of a prompt and its run. */
type Phase = "idle" | "accepting" | "running"

interface Status {
  readonly phase: Phase
  readonly closing: boolean
}

const make = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const budget = yield* Budget
  const catalog = yield* ModelCatalog
  const ids = yield* Ids
  const store = yield* SessionStore
  const settings = yield* Settings
  const hub = EventHub.make()
  const { publish } = hub
  const controls = yield* Controls.make({ settings, catalog, store, publish }, options)
  const retries = yield* Retries.make({ settings, publish, switchTo: controls.switchTo })
  const status = yield* Ref.make<Status>({ phase: "idle", closing: false })
  const setPhase = (phase: Phase) => Ref.update(status, (now) => ({ ...now, phase }))
  /** Recorded during a run: they come after its messages. */
  const late: Array<BashExecutionMessage> = []
  const becomeIdle = Effect.zipRight(
    Effect.suspend(() =>
      Effect.forEach(late.splice(0), (message) => store.append({ type: "message", message }), { discard: true })
    ),
    setPhase("idle")
  )
  const running = yield* FiberHandle.make<void, never>()
  const systemPrompt = SystemPrompt.render(options)

  const currentModel = Effect.flatMap(controls.values, ({ model }) =>
    model === undefined ? Effect.fail(new NoModelSelected()) : Effect.succeed(model)
  )

  const lifecycle = yield* RunLifecycle.make({
    publish,
    ready: hub.ready,
    systemPrompt,
    // A model can be changed but never unset, so a run that was accepted has one.
    choice: Effect.orDie(
      Effect.all({ model: currentModel, thinkingLevel: Effect.map(controls.values, (now) => now.thinkingLevel) })
    ),
    retries: retries.chain,
    becomeIdle
  })

  /** Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1). */
  const admit = Effect.gen(function* () {
    yield* budget.check
    const model = yield* currentModel
    if (!(yield* catalog.isAvailable(model))) {
      return yield* new MissingCredentials({ provider: model.provider, modelId: model.id })
    }
  })

  const claim = Effect.flatten(
    Ref.modify(status, (now): readonly [Effect.Effect<void, AgentBusy | AgentClosing>, Status] => {
      if (now.closing) return [new AgentClosing(), now]
      if (now.phase !== "idle") return [new AgentBusy(), now]
      return [Effect.void, { ...now, phase: "accepting" }]
    })
  )

  const start = Effect.fnUntraced(function* (
    input: PromptInput,
    accepted: (receipt: PromptReceipt) => Effect.Effect<void>
  ) {
    yield* admit
    const message = userMessage(input.text, input.images ?? [], yield* Clock.currentTimeMillis)
    const receipt = { runId: yield* ids.next("run"), messageId: yield* ids.next("message") }
    yield* store.append({ type: "message", message })
    yield* accepted(receipt)
    yield* setPhase("running")
    const requestId = input.requestId === undefined ? {} : { requestId: input.requestId }
    // FiberHandle starts the fiber at once, so an abort that follows in the same instant finds its clean-up in place.
    yield* FiberHandle.run(running, lifecycle({ receipt, message, ...requestId }))
    return receipt
  })

  const prompt = Effect.fn("Agent.prompt")(function* (
    input: PromptInput,
    accepted: (receipt: PromptReceipt) => Effect.Effect<void> = () => Effect.void
  ) {
    yield* claim
    return yield* Effect.onError(start(input, accepted), () => becomeIdle)
  }, Effect.uninterruptible)

  const record = (message: BashExecutionMessage) =>
    Effect.flatMap(Ref.get(status), ({ phase }) =>
      phase === "idle" ? store.append({ type: "message", message }) : Effect.sync(() => void late.push(message))
    ).pipe(Effect.uninterruptible)

  const state = Effect.gen(function* () {
    const { phase } = yield* Ref.get(status)
    const snapshot: AgentState = {
      ...(yield* controls.values),
      sessionId: store.sessionId,
      ...Option.match(store.sessionFile, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      isStreaming: phase !== "idle",
      messageCount: yield* store.messageCount,
      autoRetryEnabled: yield* retries.enabled,
      isRetrying: yield* retries.isWaiting
    }
    return snapshot
  })

  return Agent.of({
    ...controls,
    prompt,
    record,
    abort: FiberHandle.clear(running).pipe(Effect.withSpan("Agent.abort")),
    awaitIdle: FiberHandle.awaitEmpty(running),
    close: Ref.update(status, (now) => ({ ...now, closing: true })),
    state,
    messages: store.messages,
    systemPrompt: Effect.succeed(systemPrompt),
    setAutoRetry: retries.setEnabled,
    abortRetry: retries.cancel,
    attach: hub.attach,
    subscribe: hub.subscribe
  })
})

export const layer = (options: SessionAgentOptions) => Layer.scoped(Agent, make(options))

/**
 * The front door of the library: one session on a real model, or several, and `ask`, which answers a prompt. What is not an
 * option here is a Layer of the tiers below (docs/embedding.md).
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { AgentEvent, PromptEnd } from "../domain/conversation/AgentEvent.ts"
import { lastAssistantText } from "../domain/conversation/Message.ts"
import { defined } from "../domain/Values.ts"
import { Agent } from "../services/Agent.ts"
import type { HostTool } from "../services/host/HostTools.ts"
import { Session } from "../services/session/Session.ts"
import { Ids } from "../services/Ids.ts"
import * as InitialModel from "./agent/model/InitialModel.ts"
import * as EmbeddedAgent from "./EmbeddedAgent.ts"
import * as HostToolRegistry from "./host/HostToolRegistry.ts"
import * as Catalog from "./models/Catalog.ts"
import * as EnvironmentKeys from "./models/EnvironmentKeys.ts"
import * as KeyRing from "./models/KeyRing.ts"
import * as LocalProcesses from "./platform/processes/LocalProcesses.ts"
import * as BuiltIn from "./providers/BuiltIn.ts"
import * as ProviderRegistry from "./providers/ProviderRegistry.ts"
import { KnownSecrets, make as makeSecrets } from "./secrets/KnownSecrets.ts"
import * as StaticSettings from "./settings/StaticSettings.ts"
import * as Tool from "./tools/Tool.ts"

export { call as callOf, make as provider, text as answerOf } from "./providers/StreamProvider.ts"

export interface HeddleOptions extends Omit<EmbeddedAgent.EmbeddedAgentOptions, "cwd" | "model"> {
  /**
   * `<provider>/<id>`, such as `anthropic/claude-sonnet-5-5`, or a part of it that only one model has. Default: the first
   * model of `provider`, else the first one that has a key.
   */
  readonly model?: string
  /** A provider of the program, beside the built-in ones. */
  readonly provider?: ProviderRegistry.Provider
  /** The key of the model. Default: the variable of its provider in the environment. */
  readonly apiKey?: string | Redacted.Redacted
  /** Where the provider of the model is called, if not at its usual address. */
  readonly baseUrl?: string
  /** Takes models.json and auth.json of this folder into account. Default: no file of the user is read. */
  readonly agentDir?: string
  /** The folder that the tools work in. Default: the current one. */
  readonly cwd?: string
}

export interface ToolOptions<A, I> extends Tool.Spec<A, I>, Pick<HostTool, "hidden" | "label" | "timeoutMs"> {}

/** The prompt was accepted, and its run did not end with an answer. */
export class AskFailed extends Schema.TaggedError<AskFailed>()("AskFailed", {
  status: Schema.Literal("aborted", "error"),
  message: Schema.String,
  /** Why the run ended, where programs can tell by it what to do. */
  code: Schema.optionalWith(Schema.Literal("budget_exceeded", "no_price"), { exact: true }),
  /** Whether the same prompt may succeed later. */
  retryable: Schema.Boolean
}) {}

const keyOf = ({ apiKey }: HeddleOptions) =>
  apiKey === undefined ? {} : { apiKey: Redacted.isRedacted(apiKey) ? apiKey : Redacted.make(apiKey) }

const ownModels = ({ provider }: HeddleOptions) => provider?.models ?? []

const catalog = (options: HeddleOptions) => {
  const { agentDir, baseUrl, model = "" } = options
  const address = baseUrl === undefined ? {} : { address: { provider: model.split("/", 1)[0] ?? "", baseUrl } }
  return agentDir === undefined ? Catalog.layerBuiltIn(address) : Catalog.layer({ agentDir, ...address })
}

const credentials = (options: HeddleOptions) => {
  const { agentDir } = options
  const keys = keyOf(options)
  if (agentDir === undefined || keys.apiKey !== undefined) return EnvironmentKeys.layer(keys)
  return KeyRing.layer({ agentDir })
}

/** The built-in providers, that of the program, and the scripted models, which need no key. */
const registry = (options: HeddleOptions) =>
  Layer.unwrapEffect(
    Effect.map(BuiltIn.make({ cwd: options.cwd ?? "." }), ({ protocols, providers }) =>
      ProviderRegistry.layer({
        providers: options.provider === undefined ? providers : [options.provider, ...providers],
        protocols
      })
    )
  )

const chooseModel = Effect.fnUntraced(function* (options: HeddleOptions) {
  const [own] = ownModels(options)
  if (options.model === undefined && own !== undefined) return { model: own }
  const chosen = yield* InitialModel.resolve({ provider: undefined, pattern: options.model })
  if (Option.isSome(chosen)) return chosen.value
  const message = "No model can be used: name one with `model`, and pass its key or set it in the environment."
  return yield* new InitialModel.UnknownModel({ message })
})

/** The models, and an agent on the one that is chosen. */
const withModels = <A, E, R>(
  options: HeddleOptions,
  build: (complete: EmbeddedAgent.EmbeddedAgentOptions) => Layer.Layer<A, E, R>
) => {
  const settings = StaticSettings.layer(options.settings)
  const models = registry(options).pipe(
    Layer.provideMerge(credentials(options)),
    Layer.provideMerge(catalog(options)),
    Layer.provide([LocalProcesses.layer, settings])
  )
  const session = Effect.map(chooseModel(options), ({ model, thinkingLevel }) => {
    const { cwd = "." } = options
    return build({ ...defined({ thinkingLevel }), ...options, cwd, model })
  }).pipe(Effect.provide(settings))
  return Layer.unwrapEffect(session).pipe(
    Layer.provideMerge(models),
    Layer.provide(Layer.sync(KnownSecrets, makeSecrets))
  )
}

/** One session of its own. It fails with `UnknownModel` or `UnknownTool` if an option names what is not there. */
export const layer = (options: HeddleOptions) => withModels(options, EmbeddedAgent.layer)

/** The same with `Sessions` in place of the one session: the program goes through them, or has several open. */
export const sessions = (options: HeddleOptions) => withModels(options, EmbeddedAgent.layerSessions)

/** A tool from a Schema of its parameters, for `hostTools`. `run` gets what the Schema has decoded. */
export const tool = <A, I>(options: ToolOptions<A, I>): HostTool =>
  HostToolRegistry.fromTool(Tool.make(options), Struct.pick(options, "hidden", "label", "timeoutMs"))

const failed = ({ error, status }: PromptEnd) =>
  new AskFailed({
    status: status === "aborted" ? "aborted" : "error",
    message: error?.message ?? "The run was aborted.",
    ...defined({ code: error?.code }),
    retryable: error?.retryable ?? false
  })

/**
 * Prompts the session, and returns the text of the last message of the run. Tools are used on the way. An interrupt aborts the
 * run. The conversation goes on from one `ask` to the next; a second one at the same time fails with `AgentBusy`.
 */
export const ask = Effect.fn("Heddle.ask")(function* (text: string) {
  const agent = yield* Agent
  const requestId = (yield* Ids).next("message")
  const ended = yield* Deferred.make<PromptEnd>()
  const offer = (event: AgentEvent) => {
    if (event._tag === "PromptFinished" && event.requestId === requestId)
      Deferred.unsafeDone(ended, Effect.succeed(event))
  }
  yield* agent.events.attach({ offer, ready: Effect.void })
  const end = yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(agent.prompt({ text, requestId, noCommand: true })), ({ agentInvoked }) =>
      agentInvoked === false
        ? Effect.succeedNone
        : restore(Deferred.await(ended)).pipe(
            Effect.onInterrupt(() => agent.abort()),
            Effect.asSome
          )
    )
  )
  if (Option.isSome(end) && end.value.status !== "completed") return yield* failed(end.value)
  return lastAssistantText(yield* (yield* Session).messages) ?? ""
}, Effect.scoped)

/** The same as a Stream of everything that happens, up to the end of the prompt. Closing it early aborts the run. */
export const events = (text: string) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const agent = yield* Agent
      const requestId = (yield* Ids).next("message")
      const all = yield* agent.events.subscribe
      let isOver = false
      yield* agent.prompt({ text, requestId, noCommand: true })
      yield* Effect.addFinalizer(() => (isOver ? Effect.void : agent.abort()))
      const isLast = (event: AgentEvent) => {
        isOver = event._tag === "PromptFinished" && event.requestId === requestId
        return isOver
      }
      return Stream.takeUntil(all, isLast)
    })
  )

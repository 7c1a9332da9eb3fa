/** `ctx`, which every handler, tool and command gets. One object for each call, so that its dialogs end with the call. */
import * as Effect from "effect/Effect"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import * as MessageQueue from "../../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Call from "../../../platform/extensions/Call.ts"
import * as ForeignCall from "../../../platform/extensions/ForeignCall.ts"
import type { Refusal } from "../../Ports.ts"
import type { Instance } from "../Instance.ts"
import { copyOf, handlerIn, options, textIn } from "../Values.ts"
import * as ModelRegistry from "./ModelRegistry.ts"
import * as SessionReads from "./SessionReads.ts"
import * as Ui from "./Ui.ts"

const contextUsage = ({ bridge: { read }, ports: { agent, session } }: Instance) => {
  const { model } = read(agent.state)
  if (model === undefined) return undefined
  const { basis, tokens } = ContextTokens.ofBranch(read(session.branch))
  const { contextWindow } = model
  // After a compaction no provider has counted yet.
  if (basis === "compacted") return { tokens: null, contextWindow, percent: null }
  return { tokens, contextWindow, percent: contextWindow > 0 ? (tokens / contextWindow) * 100 : null }
}

const compact = ({ bridge, ports: { agent }, report }: Instance) => {
  const fire = (effect: Effect.Effect<unknown, Refusal>) => bridge.fire(effect, (message) => report("compact", message))
  return (given?: unknown) => {
    const wanted = options(given)
    const onComplete = handlerIn(wanted, "onComplete")
    const onError = handlerIn(wanted, "onError")
    const compacted = agent.compact(defined({ customInstructions: textIn(wanted, "customInstructions") }))
    fire(
      Effect.matchEffect(compacted, {
        onSuccess: (result) => ForeignCall.run(() => onComplete?.(copyOf(result))),
        onFailure: ({ message }): Effect.Effect<unknown, Refusal> =>
          onError === undefined ? Effect.fail({ message }) : ForeignCall.run(() => onError(new Error(message)))
      })
    )
  }
}

/** The members that are the same for all calls of an extension. */
const makeMembers = (instance: Instance) => {
  const { bridge, outside, ports, report } = instance
  const { agent } = ports
  const state = () => bridge.read(agent.state)
  return {
    sessionManager: SessionReads.make(instance),
    modelRegistry: ModelRegistry.make(instance),
    state,
    isIdle: () => !state().isStreaming,
    isProjectTrusted: () => bridge.read(ports.isTrusted),
    abort: () => {
      instance.aborts.note()
      bridge.fireAtOnce(agent.abort(), (message) => report("abort", message))
    },
    hasPendingMessages: () => MessageQueue.size(state().queue) > 0,
    shutdown: () => {
      instance.needLive()
      outside.bridge.fire(ports.shutdown, (message) => report("shutdown", message))
    },
    getContextUsage: () => contextUsage(instance),
    compact: compact(instance),
    getSystemPrompt: () => bridge.read(ports.instructions.current),
    getSystemPromptOptions: () => ({ cwd: ports.cwd })
  }
}

type Members = ReturnType<typeof makeMembers>

const known = new WeakMap<Instance, Members>()

const membersOf = (instance: Instance): Members => {
  const members = known.get(instance) ?? makeMembers(instance)
  known.set(instance, members)
  return members
}

export type ExtensionContext = ReturnType<typeof make>

export const make = (instance: Instance, call: Call.Call) => {
  const { bridge, ports } = instance
  const { state, ...members } = membersOf(instance)
  let ui: ReturnType<typeof Ui.make> | undefined
  return {
    ...members,
    mode: "rpc",
    cwd: ports.cwd,
    get ui() {
      instance.needLive()
      return (ui ??= Ui.make(instance, call))
    },
    get hasUI() {
      return bridge.read(ports.ui.isPresent)
    },
    get model() {
      return state().model
    },
    get thinkingLevel() {
      return state().thinkingLevel
    },
    get scopedModels() {
      return bridge.read(ports.models.scoped)
    },
    get settings() {
      return copyOf(ports.settings)
    },
    get signal() {
      const run = instance.runSignal()
      return run === undefined ? undefined : Call.either(run, call.signal())
    }
  }
}

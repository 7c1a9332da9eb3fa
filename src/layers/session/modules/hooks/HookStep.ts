/**
 * The part of the hooks of a session in its runs: they are asked at its beginning, about answers before they are stored, about
 * tool calls and about results (protocol.md 11.4).
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AgentMessage, AssistantMessage, CustomInput } from "../../../../domain/conversation/Message.ts"
import type { BeginningAnswer, RunBeginning, RunStep } from "../../../../services/session/RunStep.ts"
import * as CustomInputs from "../../inbox/CustomInputs.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

interface Relay {
  /** Returns when hooks have seen every event so far. */
  readonly flush: Effect.Effect<void>
  /** Hooks were asked about the message, so they do not watch it, too. */
  readonly wasAsked: (message: AgentMessage) => void
}

const isAssistant = (message: AgentMessage): message is AssistantMessage => message.role === "assistant"

/** A message of a hook that cannot be stored is reported and left out. */
const storable =
  (hooks: HookRegistry, maxBytes: number) =>
  ({ message, name }: Asking.RunChanges["messages"][number]): ReadonlyArray<CustomInput> =>
    Either.match(CustomInputs.check(message, maxBytes), {
      onLeft: ({ message: problem }) => {
        hooks.report({ name, event: "runStarting", message: problem })
        return []
      },
      onRight: (input) => [input]
    })

/** `maxBytes` bounds a message of a hook. */
export const make = (hooks: HookRegistry, { flush, wasAsked }: Relay, maxBytes: number): RunStep => {
  const beginning = Effect.fnUntraced(function* ({ images, systemPrompt, text }: RunBeginning) {
    yield* flush
    const before = yield* systemPrompt
    const changes = yield* Asking.runStarting(hooks, { text, images, systemPrompt: before })
    const messages = changes.messages.flatMap(storable(hooks, maxBytes))
    const answer: BeginningAnswer = {
      messages,
      ...(changes.systemPrompt === before ? {} : { systemPrompt: changes.systemPrompt })
    }
    return answer
  })
  const ending = (message: AssistantMessage) =>
    Effect.map(Effect.zipRight(flush, Asking.messageEnding(hooks, message, isAssistant)), (changed) => {
      wasAsked(changed)
      return changed
    })
  const none = Effect.succeed(undefined)
  return {
    beginning: (run) => (hooks.has("runStarting") ? beginning(run) : none),
    ending: (message) => (hooks.has("messageEnding") ? ending(message()) : none),
    callMoment: () => (hooks.has("toolCall") || hooks.has("toolResult") ? "run" : "never"),
    // Hooks decide about the call, and do not get at what runs it.
    call: ({ input, requested, toolCallId, toolName }) =>
      hooks.has("toolCall")
        ? Effect.zipRight(flush, Asking.toolCall(hooks, { toolCallId, toolName, requested, input }))
        : none,
    result: (call, result) => Asking.toolResult(hooks, call, result)
  }
}

/** Events of a run that handlers can change: its prompt, its messages, its tool calls, and the user's own commands. */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { AgentMessage } from "../../../domain/conversation/Message.ts"
import { readMessage } from "../../../domain/session/EntryReading.ts"
import { defined } from "../../../domain/Values.ts"
import type { HookEvent, UserCommandAnswer } from "../../../services/hooks/HookPoints.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import * as Nesting from "../../machine/foreign/Nesting.ts"
import {
  contentOf,
  copyOf,
  type Handler,
  handlerIn,
  isRecord,
  options,
  plainIn,
  plainOf,
  textIn
} from "../instance/Values.ts"
import { customInput } from "../api/Messages.ts"
import { at, type Bad, nothing, type Occasion, type Subscribe } from "./Mapping.ts"

const wrong = "must return an object or nothing"

/** The object that a handler returned; undefined if it returned nothing or what cannot be used. */
const recordOf = (result: unknown, bad: Bad): JsonObject | undefined => {
  if (result === undefined || result === null) return undefined
  return isRecord(result) ? result : bad(wrong)
}

const imagesOf = (value: unknown) => {
  const content = contentOf(value)
  return typeof content === "string" ? undefined : content?.filter((block) => block.type === "image")
}

const input = at({
  point: "input",
  around:
    ({ nesting }, handle) =>
    () =>
      Nesting.within(nesting, handle),
  event: ({ images, source, text, whenBusy }) => ({
    type: "input",
    text,
    ...(images.length === 0 ? {} : { images: copyOf(images) }),
    source: source === "host" ? "rpc" : "extension",
    ...(whenBusy === undefined ? {} : { streamingBehavior: whenBusy === "steering" ? "steer" : "followUp" })
  }),
  answer: (result, bad) => {
    const given = recordOf(result, bad)
    switch (given?.["action"]) {
      case undefined:
      case "continue":
        return undefined
      case "handled":
        return { _tag: "Handled" }
      case "transform": {
        const text = given === undefined ? undefined : textIn(given, "text")
        if (text === undefined) return bad(`action "transform" needs a text`)
        return { _tag: "Transform", text, ...defined({ images: imagesOf(given?.["images"]) }) }
      }
      default:
        return bad("action must be continue, transform or handled")
    }
  }
})

const runStarting = at({
  point: "runStarting",
  event: ({ images, systemPrompt, text }, { instance }) => ({
    type: "before_agent_start",
    messageType: "user",
    prompt: text,
    ...(images.length === 0 ? {} : { images: copyOf(images) }),
    systemPrompt,
    // There to be read: only `systemPrompt` of the answer counts.
    systemPromptOptions: { cwd: instance.ports.cwd, selectedTools: [], sections: {}, contextFiles: [], skills: [] }
  }),
  answer: (result, bad) => {
    const given = recordOf(result, bad)
    if (given === undefined) return undefined
    const message = given["message"] === undefined ? undefined : customInput(given["message"])
    if (typeof message === "string") bad(`message: ${message}`)
    return { ...(isRecord(message) ? { message } : {}), ...defined({ systemPrompt: textIn(given, "systemPrompt") }) }
  }
})

/** The messages, or the position of the first that cannot be used. */
const messagesOf = (values: ReadonlyArray<unknown>): ReadonlyArray<AgentMessage> | number => {
  const messages: Array<AgentMessage> = []
  for (const [position, value] of values.entries()) {
    const message = readMessage(value, 0)
    if (message === undefined) return position
    messages.push(message)
  }
  return messages
}

const context = at({
  point: "context",
  event: ({ messages }) => ({ type: "context", messages: copyOf(messages) }),
  answer: (result, bad) => {
    const given = recordOf(result, bad)?.["messages"]
    if (given === undefined) return undefined
    const plain = plainOf(given)
    if (!Array.isArray(plain)) return bad("messages must be an array")
    const messages = messagesOf(plain)
    return typeof messages === "number" ? bad(`messages[${messages}] is no message`) : { messages }
  }
})

const messageEnding = at({
  point: "messageEnding",
  event: ({ message }) => ({ type: "message_end", message: copyOf(message) }),
  answer: (result, bad, event) => {
    const given = recordOf(result, bad)?.["message"]
    if (given === undefined) return undefined
    const message = readMessage(plainOf(given), event.message.timestamp)
    if (message === undefined) return bad("message is no message")
    return message.role === event.message.role ? { message } : bad(`message must keep its role ${event.message.role}`)
  }
})

/**
 * All handlers of a call get the same object, so that what one adds to it reaches the next. The arguments in it are a copy, which
 * a handler may change or replace.
 */
const toolCallEvent = (asked: HookEvent<"toolCall">, { instance }: Occasion): object => {
  const { input, requested, toolCallId, toolName } = asked
  const event = instance.shared.toolCalls.get(requested) ?? { type: "tool_call", toolCallId, toolName }
  Reflect.set(event, "input", copyOf(input))
  instance.shared.toolCalls.set(requested, event)
  return event
}

const toolCall = at({
  point: "toolCall",
  event: toolCallEvent,
  blocks: true,
  answer: (result, bad, _, given) => {
    const input = isRecord(given) ? plainIn(given, "input") : undefined
    const answer = recordOf(result, bad)
    if (answer === undefined) return input === undefined ? undefined : { input }
    return {
      block: answer["block"] === true,
      ...defined({ input, reason: textIn(answer, "reason") }),
      ...(answer["terminate"] === true ? { terminate: true } : {})
    }
  }
})

const toolResult = at({
  point: "toolResult",
  event: ({ content, details, input, isError, toolCallId, toolName }) => ({
    type: "tool_result",
    toolCallId,
    toolName,
    input: copyOf(input),
    content: copyOf(content),
    details: copyOf(details),
    isError
  }),
  answer: (result, bad) => {
    const given = recordOf(result, bad)
    if (given === undefined) return undefined
    const replacement = contentOf(given["content"])
    if (given["content"] !== undefined && replacement === undefined) bad("content must be an array of texts and images")
    const content = typeof replacement === "string" ? [{ type: "text" as const, text: replacement }] : replacement
    const { isError } = given
    return {
      ...defined({ content, details: plainIn(given, "details") }),
      ...(typeof isError === "boolean" ? { isError } : {})
    }
  }
})

const bytesOf = (data: unknown, decoder: TextDecoder): string => {
  if (typeof data === "string") return data
  return data instanceof Uint8Array ? decoder.decode(data, { stream: true }) : ""
}

/** Runs the command with the means of an extension (`operations.exec`), which gets a signal to end it. */
const runWith =
  (
    exec: Handler,
    { command, cwd }: HookEvent<"userCommand">
  ): Extract<UserCommandAnswer, { readonly _tag: "Run" }>["run"] =>
  (onOutput) => {
    const call = Call.make()
    const decoder = new TextDecoder()
    const onData = (data: unknown) => onOutput(bytesOf(data, decoder))
    return Effect.flatMap(
      ForeignCall.run(() => exec(command, cwd, { onData, signal: call.signal() }), call.abort),
      (ended) =>
        ForeignCall.read(() => {
          const { exitCode } = options(ended)
          return { exitCode: typeof exitCode === "number" ? exitCode : undefined }
        })
    )
  }

const userCommand = at({
  point: "userCommand",
  event: ({ command, cwd, excludeFromContext }) => ({ type: "user_bash", command, cwd, excludeFromContext }),
  answer: (result, bad, event) => {
    const given = recordOf(result, bad)
    if (given === undefined) return undefined
    const { operations, result: ended } = given
    const exec = isRecord(operations) ? handlerIn(operations, "exec") : undefined
    if (exec !== undefined) return { _tag: "Run", run: runWith(exec, event) }
    if (!isRecord(ended)) return bad("must return a result or operations with exec")
    const { exitCode } = ended
    const output = textIn(ended, "output") ?? ""
    return { _tag: "Result", output, exitCode: typeof exitCode === "number" ? exitCode : undefined }
  }
})

export const runEvents: Readonly<Record<string, Subscribe>> = {
  input,
  before_agent_start: runStarting,
  context,
  before_provider_request: at({
    point: "providerRequest",
    event: ({ payload }) => ({ type: "before_provider_request", payload }),
    answer: (payload) => (payload === undefined || payload === null ? undefined : { payload: plainOf(payload) })
  }),
  after_provider_response: at({
    point: "providerResponse",
    event: ({ headers, status }) => ({ type: "after_provider_response", status, headers: { ...headers } }),
    answer: nothing
  }),
  message_end: messageEnding,
  tool_call: toolCall,
  tool_result: toolResult,
  user_bash: userCommand
}

/** What an extension adds to the conversation: messages, entries and labels. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as JsonValue from "../../../domain/JsonValue.ts"
import { defined } from "../../../domain/Values.ts"
import * as Nesting from "../../machine/foreign/Nesting.ts"
import type { CustomInput, Refusal, SendOptions, SendUserOptions } from "../Ports.ts"
import type { Instance } from "../instance/Instance.ts"
import { contentOf, isRecord, options, textIn, wantText } from "../instance/Values.ts"

/** The message, or what is wrong with it. */
export const customInput = (value: unknown): CustomInput | string => {
  if (!isRecord(value)) return "must be an object"
  const customType = textIn(value, "customType")
  if (customType === undefined) return "customType must be a text"
  const content = contentOf(value["content"])
  if (content === undefined) return "content must be a text or an array of texts and images"
  const details = JsonValue.plain(value["details"])
  if (Either.isLeft(details)) return `details ${details.left}`
  return { customType, content, display: value["display"] !== false, ...defined({ details: details.right }) }
}

const deliveries = ["steer", "followUp", "nextTurn"] as const

const sendOptions = (given: unknown): SendOptions => {
  const wanted = options(given)
  const deliverAs = deliveries.find((name) => name === wanted["deliverAs"])
  return { ...defined({ deliverAs }), ...(wanted["triggerTurn"] === true ? { triggerTurn: true } : {}) }
}

const sendUserOptions = (given: unknown): SendUserOptions => {
  const { deliverAs, expandPromptTemplates: expand } = options(given)
  return {
    ...(deliverAs === "steer" || deliverAs === "followUp" ? { deliverAs } : {}),
    ...(typeof expand === "boolean" ? { expandPromptTemplates: expand } : {})
  }
}

const refused = (message: string): Effect.Effect<never, Refusal> => Effect.fail({ message })

const tooDeep =
  `sendUserMessage: a handler has sent a message that the same handler was called for, ${Nesting.most} levels deep. ` +
  'Let a handler of input return where event.source is "extension".'

/** The user has stopped the run, and a handler of its end would start it again. */
const dropped = Effect.logDebug("dropped a message that an extension sent at the end of an aborted run")

export const sending = ({ ports }: Instance, message: unknown, given: unknown): Effect.Effect<unknown, Refusal> => {
  const input = customInput(message)
  if (typeof input === "string") return refused(`sendMessage: message ${input}`)
  const wanted = sendOptions(given)
  return wanted.triggerTurn === true && Nesting.isStopped() ? dropped : ports.messages.send(input, wanted)
}

export const sendingUser = ({ ports }: Instance, content: unknown, given: unknown): Effect.Effect<unknown, Refusal> => {
  const message = contentOf(content)
  if (message === undefined) return refused("sendUserMessage: content must be a text or an array of texts and images")
  if (Nesting.isStopped()) return dropped
  const nesting = Nesting.current()
  if (nesting > Nesting.most) return refused(tooDeep)
  return ports.messages.sendUser(message, { ...sendUserOptions(given), ...(nesting === 0 ? {} : { nesting }) })
}

export const make = (instance: Instance) => {
  const { bridge, needActive, ports, report } = instance
  const fire = (event: string, effect: Effect.Effect<unknown, Refusal>) =>
    bridge.fire(effect, (message) => report(event, message))
  return {
    sendMessage: (message: unknown, given?: unknown) => {
      needActive("sendMessage")
      fire("extension_send", sending(instance, message, given))
    },
    sendUserMessage: (content: unknown, given?: unknown) => {
      needActive("sendUserMessage")
      fire("extension_send_user", sendingUser(instance, content, given))
    },
    appendEntry: (customType: unknown, data?: unknown) => {
      needActive("appendEntry")
      const type = wantText(customType, "customType")
      // A copy now: the entry may have to wait.
      const copy = Either.mapLeft(JsonValue.plain(data), (problem): Refusal => ({ message: `the entry ${problem}` }))
      fire(
        "appendEntry",
        Effect.flatMap(copy, (plain) => ports.messages.appendEntry(type, plain))
      )
    },
    /** With a single text it is omp's name for the extension, which nothing shows. */
    setLabel: (...args: ReadonlyArray<unknown>) => {
      if (args.length < 2) return
      const [entryId, label] = args
      needActive("setLabel")
      const text = typeof label === "string" ? label : undefined
      fire("setLabel", ports.messages.setLabel(wantText(entryId, "entryId"), text))
    }
  }
}

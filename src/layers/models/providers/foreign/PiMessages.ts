/**
 * Messages that code of others wrote, as conversations have them: a text in place of blocks, members that are undefined or
 * missing, and members that only pi knows are put right. What cannot be put right is a problem with its place.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { text } from "../../../../domain/conversation/Content.ts"
import { AgentMessage, type Message, StopReason } from "../../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import * as ModelContext from "../../../../domain/model/ModelContext.ts"
import * as Usage from "../../../../domain/model/Usage.ts"

type Bag = Readonly<Record<PropertyKey, unknown>>

const decodeMessage = Schema.decodeUnknownEither(AgentMessage)
const isUsage = Schema.is(Usage.Usage)
const isStopReason = Schema.is(StopReason)

export const withoutUndefined = (value: Bag): Bag =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const blockOf = (block: unknown): unknown => {
  if (!Predicate.isRecord(block)) return block
  const clean = withoutUndefined(block)
  return clean["type"] === "toolCall" && !Predicate.isRecord(clean["arguments"]) ? { ...clean, arguments: {} } : clean
}

const contentOf = (content: unknown): unknown => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  return Array.isArray(content) ? content.map(blockOf) : content
}

const assistantOf = (message: Bag): Bag => ({
  api: "",
  provider: "",
  model: "",
  ...message,
  usage: isUsage(message["usage"]) ? message["usage"] : Usage.zero,
  stopReason: isStopReason(message["stopReason"]) ? message["stopReason"] : "stop"
})

/** Details are for hosts, which get objects only. */
const resultOf = ({ details, ...message }: Bag): Bag => ({
  toolName: "",
  isError: false,
  ...message,
  ...(Predicate.isRecord(details) ? { details } : {})
})

const normal = (message: unknown, now: number): unknown => {
  if (!Predicate.isRecord(message)) return message
  const clean: Bag = { timestamp: now, ...withoutUndefined(message) }
  const content = contentOf(clean["content"])
  if (clean["role"] === "user") return { ...clean, content }
  if (clean["role"] === "assistant") return assistantOf({ ...clean, content })
  return clean["role"] === "toolResult" ? resultOf({ ...clean, content }) : clean
}

/** One sentence; never the value itself, which may be long or secret. */
export const explain = (place: string, error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const path = [place, ...(issue?.path ?? []).map(String)].join(".")
  return `${path}: ${(issue?.message ?? "is not valid").replace(/,? actual [\s\S]*$/, "")}`
}

/** The messages for a model. Notes, commands and summaries become messages that the model can read. */
export const decode = (messages: unknown, now: number): Either.Either<ReadonlyArray<Message>, string> => {
  if (!Array.isArray(messages)) return Either.left("messages: Expected an array")
  const problem = JsonValue.problemOf(messages)
  if (problem !== undefined) return Either.left(`messages: ${problem}`)
  const decoded = Either.all(
    messages.map((message: unknown, index) =>
      Either.mapLeft(decodeMessage(normal(message, now)), (error) => explain(`messages[${index}]`, error))
    )
  )
  return Either.map(decoded, (all) => ModelContext.forModel(all))
}

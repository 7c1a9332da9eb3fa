/**
 * The context of a model call as pi's API has it: system prompt, messages, tools. Extensions for pi 1.5 find prompt and
 * tools in a leading system message, older ones beside the messages, so that heddle gives both and takes either.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { Message } from "../../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import type { ModelRequest, ToolDefinition } from "../../../../services/model/ModelClient.ts"
import * as History from "../../protocols/request/History.ts"
import * as PiMessages from "./PiMessages.ts"

export interface SystemMessage {
  readonly role: "system"
  readonly content: string
  readonly toolsAdded: ReadonlyArray<ToolDefinition>
  readonly timestamp: number
}

export interface PiContext {
  readonly systemPrompt: string
  readonly messages: ReadonlyArray<SystemMessage | Message>
  readonly tools: ReadonlyArray<ToolDefinition>
}

/** The messages are as every provider accepts them: each tool call has its result, and nothing is from another model. */
export const ofRequest = ({ messages, model, systemPrompt, tools }: ModelRequest): PiContext => {
  const prepared = History.prepare(messages, model)
  const system: SystemMessage = { role: "system", content: systemPrompt, toolsAdded: tools, timestamp: 0 }
  const hasSystem = systemPrompt !== "" || tools.length > 0
  return { systemPrompt, messages: hasSystem ? [system, ...prepared] : prepared, tools }
}

const decodeTool = Schema.decodeUnknownEither(
  Schema.Struct({ name: Schema.NonEmptyString, description: Schema.String, parameters: JsonObject })
)

const toolOf = (tool: unknown, place: string): Either.Either<ToolDefinition, string> => {
  const problem = JsonValue.problemOf(tool)
  if (problem !== undefined) return Either.left(`${place}: ${problem}`)
  const filled = Predicate.isRecord(tool)
    ? { description: "", parameters: { type: "object" }, ...PiMessages.withoutUndefined(tool) }
    : tool
  return Either.mapLeft(decodeTool(filled), (error) => PiMessages.explain(place, error))
}

const toolsOf = (tools: unknown, place: string): Either.Either<ReadonlyArray<ToolDefinition>, string> => {
  if (tools === undefined) return Either.right([])
  if (!Array.isArray(tools)) return Either.left(`${place}: Expected an array`)
  return Either.all(tools.map((tool: unknown, index) => toolOf(tool, `${place}[${index}]`)))
}

interface System {
  readonly texts: ReadonlyArray<string>
  readonly sections: ReadonlyMap<string, string>
  readonly tools: ReadonlyMap<string, ToolDefinition>
}

const partsOf = (content: unknown): ReadonlyArray<string> => {
  if (typeof content === "string") return content === "" ? [] : [content]
  return (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    Predicate.hasProperty(block, "text") && typeof block.text === "string" ? [block.text] : []
  )
}

/** A later system message adds text, replaces or removes sections, and changes the tools. */
const addSystem = (before: System, message: Readonly<Record<PropertyKey, unknown>>): Either.Either<System, string> =>
  Either.map(toolsOf(message["toolsAdded"], "toolsAdded"), (added) => {
    const sections = new Map(before.sections)
    const given = message["sections"]
    for (const [name, section] of Predicate.isRecord(given) ? Object.entries(given) : []) {
      if (typeof section === "string") sections.set(name, section)
      else sections.delete(name)
    }
    const tools = new Map(before.tools)
    const removed: unknown = message["toolsRemoved"]
    for (const tool of Array.isArray(removed) ? removed : [])
      if (Predicate.hasProperty(tool, "name")) tools.delete(String(tool.name))
    for (const tool of added) tools.set(tool.name, tool)
    return { texts: [...before.texts, ...partsOf(message["content"])], sections, tools }
  })

const isSystem = (message: unknown): message is Readonly<Record<PropertyKey, unknown>> =>
  Predicate.isRecord(message) && message["role"] === "system"

export interface Rest extends Pick<ModelRequest, "model" | "thinkingLevel" | "sessionId" | "hooks"> {
  /** Unix milliseconds, for messages without a time. */
  readonly now: number
}

/** The request that a context of an extension asks for, or what is wrong with the context. */
export const toRequest = (context: unknown, { now, ...rest }: Rest): Either.Either<ModelRequest, string> =>
  Either.gen(function* () {
    if (!Predicate.isRecord(context)) return yield* Either.left("the context: Expected an object")
    const { messages, systemPrompt, tools } = context
    if (systemPrompt !== undefined && typeof systemPrompt !== "string")
      return yield* Either.left("systemPrompt: Expected a string")
    const given = yield* toolsOf(tools, "tools")
    const all: ReadonlyArray<unknown> = Array.isArray(messages) ? messages : []
    let system: System = {
      texts: partsOf(systemPrompt),
      sections: new Map(),
      tools: new Map(given.map((tool) => [tool.name, tool]))
    }
    for (const message of all.filter(isSystem)) system = yield* addSystem(system, message)
    const conversation = Array.isArray(messages) ? all.filter((message) => !isSystem(message)) : messages
    // A context that heddle made has the prompt twice.
    const texts = [...new Set(system.texts), ...system.sections.values()]
    return {
      ...rest,
      systemPrompt: texts.join("\n\n"),
      messages: yield* PiMessages.decode(conversation, now),
      tools: [...system.tools.values()]
    }
  })

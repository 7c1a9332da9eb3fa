/** docs/rpc.schema.json: JSON Schema 2020-12 of all frames, from the schemas that decode them (supplement 6.7). */
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../domain/conversation/Content.ts"
import { RequestId } from "../domain/conversation/MessageQueue.ts"
import type { Command, Lane } from "./Command.ts"
import { protocolVersion } from "./protocol/Capabilities.ts"
import { events } from "./protocol/events/EventSchemas.ts"
import { Response } from "./protocol/Frame.ts"
import { Definition, hostFrames as toolFrames } from "./protocol/HostToolFrames.ts"
import { hostFrames as dialogFrames } from "./dialogs/DialogSchemas.ts"
import { type CommandServices, commands } from "./registry.ts"

export type Part = "commands" | "events" | "types" | "all"

/** Frames of the host that are not commands. They are never answered. */
export const hostFrames = [...toolFrames, ...dialogFrames]

/** The two lanes that hosts can tell apart. */
export const laneName = (lane: Lane): "ordered" | "immediate" =>
  lane === "ordered" || lane === "waiting" || lane === "prompting" || lane === "holding" ? "ordered" : "immediate"

/** Types that Effect names and a reader would rather see in place. A validator wants a type beside bounds, too. */
const inPlace: Readonly<Record<string, object>> = {
  "#/$defs/Int": { type: "integer" },
  "#/$defs/Finite": { type: "number" },
  "#/$defs/NonEmptyString": { type: "string", minLength: 1 }
}
const isInPlace = (name: string) => `#/$defs/${name}` in inPlace

/** Effect's own ids would make nested documents of parts, in which `#/$defs` leads nowhere. */
const isLeftOut = (key: string, member: unknown) =>
  (key === "additionalProperties" && member === false) || (key === "$id" && typeof member === "string")

/** Effect puts a named type that has a description of its own into an `allOf`. Since 2019-09 both may stand side by side. */
const withoutWrapping = ({ allOf, ...rest }: JsonObject): JsonObject => {
  if (allOf === undefined) return rest
  return Array.isArray(allOf) && allOf.length === 1 ? { ...Object(allOf[0]), ...rest } : { allOf, ...rest }
}

/** Makes what Effect generates fit for strict validators. Unknown members are allowed, so that both sides can add some. */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  // A struct without members is written as "an object or an array".
  if ("$id" in value && value.$id === "/schemas/%7B%7D") return { type: "object" }
  const { $ref, ...rest } = withoutWrapping({ ...value })
  const named = typeof $ref === "string" ? inPlace[$ref] : undefined
  const members = Object.entries({ ...named, ...($ref === undefined || named !== undefined ? {} : { $ref }), ...rest })
  return Object.fromEntries(
    members.filter(([key, member]) => !isLeftOut(key, member)).map(([key, member]) => [key, tidy(member)])
  )
}

/** The JSON Schema of one schema. Its named types go into `defs`, which all share. */
const generate = (schema: Schema.Schema.AnyNoContext, defs: Record<string, unknown>): JsonObject => {
  const { $defs, $schema: _, ...body } = JSONSchema.make(schema, { target: "jsonSchema2020-12" })
  for (const [name, def] of Object.entries($defs ?? {})) if (!isInPlace(name)) defs[name] = tidy(def)
  return { ...Object(tidy(body)) }
}

const camel = (name: string) => name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

const addCommand = (command: Command<CommandServices>, defs: Record<string, unknown>) => {
  const name = camel(command.name)
  const { properties, required, ...rest } = generate(command.params, defs)
  defs[`${name}Request`] = {
    ...rest,
    type: "object",
    required: ["type", ...(Array.isArray(required) ? required : [])],
    properties: {
      id: generate(RequestId, defs),
      type: { const: command.name },
      ...Object(properties)
    }
  }
  if (command.result !== undefined) defs[`${name}Data`] = generate(command.result, defs)
  return {
    request: ref(`${name}Request`),
    ...(command.result === undefined ? {} : { data: ref(`${name}Data`) }),
    response: ref("Response"),
    errors: command.errors,
    lane: laneName(command.lane),
    origin: command.origin,
    summary: command.summary
  }
}

export const part = (wanted: Part): JsonObject => {
  const defs: Record<string, unknown> = {}
  generate(Response, defs)
  generate(Definition, defs)
  const byCommand = Object.fromEntries(commands.map((command) => [command.name, addCommand(command, defs)]))
  const byEvent = Object.fromEntries(
    events.map(({ schema, summary, type }) => {
      defs[`${camel(type)}Event`] = generate(schema, defs)
      return [type, { frame: ref(`${camel(type)}Event`), summary }]
    })
  )
  const byHostFrame = Object.fromEntries(
    hostFrames.map(({ schema, summary, type }) => {
      defs[`${camel(type)}Frame`] = generate(schema, defs)
      return [type, { frame: ref(`${camel(type)}Frame`), summary }]
    })
  )
  const sorted = Object.fromEntries(Object.entries(defs).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "heddle rpc",
    "x-protocolVersion": protocolVersion,
    ...(wanted === "events" || wanted === "types" ? {} : { "x-commands": byCommand, "x-hostFrames": byHostFrame }),
    ...(wanted === "commands" || wanted === "types" ? {} : { "x-events": byEvent }),
    $defs: sorted
  }
}

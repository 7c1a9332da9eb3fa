/** docs/rpc.md: the reference for host authors, from the registry and the event schemas. */
import * as Predicate from "effect/Predicate"
import * as Json from "../domain/Json.ts"
import type { JsonObject } from "../domain/conversation/Content.ts"
import type { Command } from "./Command.ts"
import * as JsonSchema from "./JsonSchema.ts"
import { unsupported } from "./peers/Unsupported.ts"
import { events } from "./protocol/events/EventSchemas.ts"
import { type CommandServices, commands } from "./registry.ts"

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const arrayText = (item: string): string =>
  item.includes(" \\| ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`

const isShared = (name: string): boolean =>
  !/(Request|Data|Event|Frame)$/.test(name) || name === "AssistantMessageEvent"

const nameOf = (reference: unknown): string | undefined =>
  Predicate.isReadonlyRecord(reference) && typeof reference["$ref"] === "string"
    ? reference["$ref"].replace("#/$defs/", "")
    : undefined

/** A type in a few words; a named type as a link to its section. */
const typeText = (schema: unknown): string => {
  if (!Predicate.isReadonlyRecord(schema)) return "any"
  const name = nameOf(schema)
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`
  if (schema["const"] !== undefined) return Json.stringify(schema["const"])
  if (schema["enum"] !== undefined)
    return list(schema["enum"])
      .map((value) => Json.stringify(value))
      .join(" \\| ")
  if (schema["anyOf"] !== undefined) return list(schema["anyOf"]).map(typeText).join(" \\| ")
  if (schema["type"] === "array") return arrayText(typeText(schema["items"]))
  if (Predicate.isReadonlyRecord(schema["properties"]) && Object.keys(schema["properties"]).length > 0)
    return `{ ${members(schema, [])} }`
  return typeof schema["type"] === "string" ? schema["type"] : "any"
}

/** Members as one line: `message: string, images?: ImageContent[]`. */
const members = (schema: unknown, leaveOut: ReadonlyArray<string>): string => {
  if (!Predicate.isReadonlyRecord(schema) || !Predicate.isReadonlyRecord(schema["properties"])) return typeText(schema)
  const required = list(schema["required"])
  const shown = Object.entries(schema["properties"]).filter(([name]) => !leaveOut.includes(name))
  if (shown.length === 0) return "none"
  return shown
    .map(([name, member]) => `\`${name}${required.includes(name) ? "" : "?"}\`: ${typeText(member)}`)
    .join(", ")
}

const definition = (document: JsonObject, reference: unknown): unknown => {
  const defs = document["$defs"]
  const name = nameOf(reference)
  return Predicate.isReadonlyRecord(defs) && name !== undefined ? defs[name] : undefined
}

const commandSection = (document: JsonObject, command: Command<CommandServices>): string => {
  const table = document["x-commands"]
  const entry = Predicate.isReadonlyRecord(table) ? table[command.name] : undefined
  const { data, request } = Predicate.isReadonlyRecord(entry) ? entry : {}
  return [
    `### \`${command.name}\``,
    command.summary,
    command.notes,
    [
      `- Members: ${members(definition(document, request), ["id", "type"])}`,
      `- Data: ${command.result === undefined ? "none" : members(definition(document, data), [])}`,
      `- Lane: ${JsonSchema.laneName(command.lane)}`,
      `- Failure codes: ${command.errors.map((code) => `\`${code}\``).join(", ")}`
    ].join("\n")
  ]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n")
}

const frameRow = (document: JsonObject, name: string, { summary, type }: { type: string; summary: string }): string => {
  const table = document[name]
  const entry = Predicate.isReadonlyRecord(table) ? table[type] : undefined
  const frame = Predicate.isReadonlyRecord(entry) ? definition(document, entry["frame"]) : undefined
  return `| \`${type}\` | ${members(frame, ["type", "sessionId", "epoch", "seq"])} | ${summary} |`
}

const descriptionOf = (schema: unknown): string => {
  const description = Predicate.isReadonlyRecord(schema) ? schema["description"] : undefined
  return typeof description === "string" ? description : ""
}

/** One member on a line of its own. "a non-negative number" is the type itself in words, other descriptions follow it. */
const memberLine = (name: string, member: unknown, isRequired: boolean): string => {
  const description = descriptionOf(member)
  const isType = /^an? /.test(description)
  const words = isType ? description : `${typeText(member)}${description === "" ? "" : `. ${description}`}`
  return `- \`${name}${isRequired ? "" : "?"}\`: ${words}`
}

const body = (schema: JsonObject): string => {
  const required = list(schema["required"])
  if (Predicate.isReadonlyRecord(schema["properties"]))
    return Object.entries(schema["properties"])
      .map(([name, member]) => memberLine(name, member, required.includes(name)))
      .join("\n")
  const alternatives = list(schema["anyOf"])
  return alternatives.some((one) => nameOf(one) === undefined)
    ? alternatives.map((one) => `- ${members(one, [])}`).join("\n")
    : typeText(schema)
}

/** The definitions that commands, events and other types refer to by name. */
const typeSections = (document: JsonObject): ReadonlyArray<string> => {
  const defs = document["$defs"]
  if (!Predicate.isReadonlyRecord(defs)) return []
  return Object.entries(defs).flatMap(([name, schema]) =>
    isShared(name) && Predicate.isReadonlyRecord(schema)
      ? [`### \`${name}\`\n\n${descriptionOf(schema)}\n\n${body(schema)}`]
      : []
  )
}

export const render = (): string => {
  const document = JsonSchema.part("all")
  return `# RPC reference

Generated by \`npm run docs\` from the schemas that decode the input. How to write a host is in [hosts.md](hosts.md);
[rpc.schema.json](rpc.schema.json) has the same as JSON Schema, and a running process answers \`get_schema\` with it.

A frame is one JSON object on one line, in UTF-8, ended by LF. A command may carry an \`id\` (string or number), which its
response echoes. A response is \`{id?, type: "response", command, success: true, data?}\` or
\`{id?, type: "response", command, success: false, error, code}\`. Input that is not a command is answered with
\`command: "parse"\`; an unknown command carries \`requestId\` in place of \`id\` until the host has sent \`initialize\` or
\`negotiate_protocol\`. Unknown members are ignored on both sides.

Commands of the ordered lane run one at a time in the order of their arrival. Commands of the immediate lane run on
arrival; a \`get_*\` sees the effect of every ordered command before it.

## Commands

${commands.map((command) => commandSection(document, command)).join("\n\n")}

## Commands of other programs

heddle knows these by name and does not have them. They fail at once with \`code: "unsupported"\` and their \`id\`.

| Command | In place of it |
| --- | --- |
${[...unsupported].map(([name, instead]) => `| \`${name}\` | ${instead} |`).join("\n")}

## Frames of the host that are not commands

They carry the \`id\` of a \`host_tool_call\` or \`extension_ui_request\` that heddle has sent, and are never answered. Frames for a
call or question that is over, or that heddle never sent, are ignored.

| Frame | Members | Meaning |
| --- | --- | --- |
${JsonSchema.hostFrames.map((frame) => frameRow(document, "x-hostFrames", frame)).join("\n")}

## Events

Every event but \`rpc_chunk\` also carries \`sessionId\`, \`epoch\` and \`seq\` (counted from 1, without gaps).

| Event | Members | Meaning |
| --- | --- | --- |
${events.map((event) => frameRow(document, "x-events", event)).join("\n")}

## Types

Commands and events refer to these types by name. A member with \`?\` may be absent, and later versions may add members. Times are Unix
milliseconds and durations are milliseconds, unless a description says otherwise.

${typeSections(document).join("\n\n")}
`
}

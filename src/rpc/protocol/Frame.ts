/** Envelopes: the members that all commands share, and the response to a command (protocol.md 2.1). */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { RequestId as Id } from "../../domain/conversation/AgentEvent.ts"
import { optional } from "../../domain/conversation/Content.ts"
import { lazy, type Type } from "../../domain/Lazy.ts"

/** Echoed unchanged: a number stays a number. */
export const RequestId = Schema.Union(Schema.String, Schema.Finite)
const isRequestId = (value: unknown): value is Id => typeof value === "string" || Number.isFinite(value)

/** The id of a value that may be a frame. */
export const idOf = (frame: unknown): Id | undefined =>
  Predicate.hasProperty(frame, "id") && isRequestId(frame.id) ? frame.id : undefined

export const typeOf = (frame: unknown): string | undefined =>
  Predicate.isRecord(frame) && typeof frame["type"] === "string" ? frame["type"] : undefined

export const Response = lazy(() =>
  Schema.Struct({
    id: optional(RequestId),
    type: Schema.Literal("response"),
    command: Schema.String,
    success: Schema.Boolean,
    data: optional(Schema.Unknown),
    error: optional(Schema.String),
    /** On every failure: the reason, for programs. */
    code: optional(Schema.String),
    /** The id of a frame that is answered without `id` (protocol.md D9). */
    requestId: optional(RequestId)
  }).annotations({ identifier: "Response" })
)
export type Response = Type<typeof Response>

const withId = (id: Id | undefined) => (id === undefined ? {} : { id })

export const success = (command: string, id: Id | undefined, data: unknown): Response => ({
  ...withId(id),
  type: "response",
  command,
  success: true,
  ...(data === undefined ? {} : { data })
})

export const failure = (command: string, id: Id | undefined, error: string, code: string): Response => ({
  ...withId(id),
  type: "response",
  command,
  success: false,
  error,
  code
})

/** Answers a line that is no command. It carries no `id`, because the line may not have had one. */
export const parseFailure = (detail: string, requestId?: Id): Response => ({
  ...failure("parse", undefined, `Failed to parse command: ${detail}`, "parse_error"),
  ...(requestId === undefined ? {} : { requestId })
})

/** Older hosts expect no `id` here; a host that has negotiated gets it back (supplement 5.1). */
export const unknownCommand = (command: string, id: Id | undefined, echoId: boolean): Response => ({
  ...failure(command, echoId ? id : undefined, `Unknown command: ${command}`, "unknown_command"),
  ...(id === undefined || echoId ? {} : { requestId: id })
})

/** One line. Escapes the separators at which some line readers split; leaves out absent members. */
export const encode = (frame: object): string => escapeSeparators(JSON.stringify(frame)) + "\n"

export const escapeSeparators = (json: string): string =>
  json.includes("\u2028") || json.includes("\u2029")
    ? json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
    : json

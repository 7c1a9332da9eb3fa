/** The response to a command (protocol.md 2.1), and the text of a frame. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.ts"
import { optional } from "../../domain/conversation/Content.ts"
import { RequestId } from "../../domain/conversation/MessageQueue.ts"
import * as JsonValue from "../../domain/JsonValue.ts"
import { defined } from "../../domain/Values.ts"
import * as Envelope from "./Envelope.ts"

export const Response = Schema.Struct({
  id: optional(RequestId, "The `id` of the command."),
  type: Schema.Literal("response"),
  command: Schema.String,
  success: Schema.Boolean,
  data: optional(Schema.Unknown),
  error: optional(Schema.String, "On failure: the reason, for people."),
  code: optional(Schema.String, "On failure: the reason, for programs."),
  requestId: optional(RequestId, "The `id` of a command that is answered without `id`.")
}).annotations({ identifier: "Response", description: "The answer to a command." })
export type Response = typeof Response.Type

export const success = (command: string, id: RequestId | undefined, data: unknown): Response => ({
  ...defined({ id }),
  type: "response",
  command,
  success: true,
  ...defined({ data })
})

export const failure = (command: string, id: RequestId | undefined, error: string, code: string): Response => ({
  ...defined({ id }),
  type: "response",
  command,
  success: false,
  error,
  code
})

/** Answers a line that is no command. It carries no `id`, because the line may not have had one. */
export const parseFailure = (detail: string, requestId?: RequestId): Response => ({
  ...failure("parse", undefined, `Failed to parse command: ${detail}`, "parse_error"),
  ...defined({ requestId })
})

/** The same failure as of a line that is no command: xcsh answers a handler that throws like that (protocol.md D5). */
export const asParseFailure = ({ code, data, error }: Response): Response => ({
  ...failure("parse", undefined, `Failed to parse command: ${error}`, code ?? "parse_error"),
  ...defined({ data })
})

/** Older hosts expect no `id` here; a host that has negotiated gets it back (supplement 5.1). */
export const unknownCommand = (command: string, id: RequestId | undefined, echoId: boolean): Response => ({
  ...failure(command, echoId ? id : undefined, `Unknown command: ${command}`, "unknown_command"),
  ...(id === undefined || echoId ? {} : { requestId: id })
})

/** Leaves out absent members. The left side says why the frame cannot be encoded. */
export const toJson = (frame: object): Either.Either<string, string> =>
  Either.try({ try: () => Json.stringify(frame), catch: String })

/** One line. Escapes the separators at which some line readers split. */
export const encode = (frame: object): string => escapeSeparators(Json.stringify(frame)) + "\n"

/** A response that cannot be encoded becomes a failure with the same id. */
export const encodeResponse = (response: Response): string =>
  Either.getOrElse(
    Either.try(() => encode(response)),
    (reason) => {
      const { command, id } = response
      return encode(failure(command, id, `The response cannot be encoded: ${reason}`, "encode_failed"))
    }
  )

const isScalar = (value: unknown) => typeof value !== "object" && typeof value !== "bigint"

/**
 * The JSON of a record that cannot be encoded, so that the host still sees it in its place: what cannot be encoded is
 * replaced by a text, and a frame beside it says so. A host that waits for the end of a call or of a run gets it.
 */
export const mended = (frame: object, reason: string): ReadonlyArray<string> => {
  const scalars = Object.fromEntries(Object.entries(frame).filter(([, value]) => isScalar(value)))
  const copy = JsonValue.encodable(frame)
  const json = Either.getOrElse(toJson(Predicate.isObject(copy) ? copy : scalars), () => Json.stringify(scalars))
  const error = `A record of type ${Envelope.read(frame).type} cannot be encoded: ${reason}`
  return [json, Json.stringify({ type: "extension_error", extensionPath: "rpc", event: "encode", error })]
}

export const escapeSeparators = (json: string): string =>
  json.includes("\u2028") || json.includes("\u2029")
    ? json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
    : json

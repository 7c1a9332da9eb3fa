/** The frames of host tools (protocol.md 4.14, 11.1): definitions, results, progress. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import {
  described,
  InputContent,
  JsonObject,
  lenient,
  optional,
  plainText,
  text
} from "../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../domain/conversation/Message.ts"
import { defined } from "../../domain/Values.ts"
import type { HostToolDefinition } from "../../services/host/HostTools.ts"
import { ToolFailure } from "../../services/Tools.ts"
import * as Decoder from "../decoding/Decoder.ts"

/** The reference shows no bounds: each has a sentence of its own. */
const unshown = { jsonSchema: {} }
const NotBlank = Schema.String.pipe(Schema.filter((value) => value.trim() !== "", unshown))

export const Definition = Schema.Struct({
  name: NotBlank,
  label: lenient(Schema.String).annotations({ description: "A name for people; default: `name`." }),
  description: NotBlank,
  parameters: described(JsonObject, "JSON Schema of an object."),
  hidden: lenient(Schema.Boolean).annotations({ description: "Registered, but not offered to the model." }),
  timeoutMs: optional(
    Schema.Finite.pipe(Schema.filter((ms) => ms > 0, unshown)),
    "The longest time without progress; default: no limit."
  )
}).annotations({ identifier: "HostToolDefinition", description: "A tool that the host runs." })

/** Decoded by `readDefinitions`, because the protocol prescribes the text of each refusal. */
export const AnyDefinition = Schema.Unknown.annotations({ jsonSchema: { $ref: "#/$defs/HostToolDefinition" } })

/** What a definition lacks, by the member that was refused. */
const lacks: Readonly<Record<string, string>> = {
  description: "non-empty description",
  parameters: "JSON Schema object",
  timeoutMs: "positive timeoutMs"
}

const refusal = (input: unknown, index: number, error: ParseResult.ParseError): string => {
  const named = Schema.decodeUnknownEither(Definition.pipe(Schema.pick("name")))(input)
  if (Either.isLeft(named)) return `Host tool at index ${index} must provide a non-empty name`
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return `Host tool "${named.right.name.trim()}" must provide a ${lacks[String(first?.path[0])]}`
}

const readDefinition = (input: unknown, index: number): Either.Either<HostToolDefinition, string> =>
  Either.mapBoth(Schema.decodeUnknownEither(Definition)(input), {
    onLeft: (error) => refusal(input, index, error),
    onRight: ({ description, hidden, label = "", name, parameters, timeoutMs }) => ({
      name: name.trim(),
      label: label.trim() || name.trim(),
      description: description.trim(),
      parameters,
      ...(hidden === true ? { hidden } : {}),
      ...defined({ timeoutMs })
    })
  })

/** All definitions, or the error text of the first bad one. */
export const readDefinitions = (
  input: ReadonlyArray<unknown>
): Either.Either<ReadonlyArray<HostToolDefinition>, string> => Either.all(input.map(readDefinition))

const Output = Schema.Struct({
  content: described(Schema.Array(InputContent), "What the model reads."),
  details: optional(Schema.Unknown, "Data for the host, which the model does not see."),
  isWarning: optional(Schema.Boolean, "The call succeeded, but people should look at its result.")
}).annotations({ identifier: "HostToolOutput", description: "The result or the progress of a host tool." })

const Update = Schema.Struct({ type: Schema.Literal("host_tool_update"), id: Schema.String, partialResult: Output })

const Result = Schema.Struct({
  type: Schema.Literal("host_tool_result"),
  id: Schema.String,
  result: Output,
  isError: optional(Schema.Boolean)
})

/** What the host sends about its tools beside commands. */
export const hostFrames = [
  {
    type: "host_tool_update",
    summary: "Progress of a host tool call; `partialResult` is all output so far. Restarts the timeout of the call.",
    schema: Update
  },
  {
    type: "host_tool_result",
    summary:
      "The result of a host tool call. With `isError` the model is told that the call failed; `result.isWarning` is kept for people who look at it.",
    schema: Result
  }
] as const

/** Messages keep details as an object, and a host may send any JSON. */
const toDetails = (details: unknown): Pick<ToolOutput, "details"> => {
  if (details === undefined || details === null) return {}
  return { details: Predicate.isReadonlyRecord(details) ? details : { value: details } }
}

const toOutput = ({ content, details, isWarning }: typeof Output.Type): ToolOutput => ({
  content,
  ...toDetails(details),
  ...(isWarning === true ? { isWarning } : {})
})

const decodeUpdate = Decoder.make(Update)
const decodeResult = Decoder.make(Result)

/** The progress of a call, or the error text for a frame that does not fit. */
export const readUpdate = (frame: unknown): Either.Either<ToolOutput, string> =>
  Either.map(decodeUpdate(frame), ({ partialResult }) => toOutput(partialResult))

/** The answer to a call, or the error text for a frame that does not fit. */
export const readResult = (frame: unknown): Either.Either<Effect.Effect<ToolOutput, ToolFailure>, string> =>
  Either.map(decodeResult(frame), ({ isError, result }) => {
    const output = toOutput(result)
    return isError === true ? toFailure(output) : Effect.succeed(output)
  })

const nothingSaid = "Host tool execution failed"

/** Keeps the images of a failed call. A failure without text gets one. */
const toFailure = ({ content, details }: ToolOutput): ToolFailure => {
  const message = plainText(content)
  const silent = message.trim() === ""
  return new ToolFailure({
    message: silent ? nothingSaid : message,
    content: silent ? [text(nothingSaid), ...content.filter(({ type }) => type !== "text")] : content,
    ...defined({ details })
  })
}

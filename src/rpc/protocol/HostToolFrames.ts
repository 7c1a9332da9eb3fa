/** The frames of host tools (protocol.md 4.14, 11.1): definitions, results, progress. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { described, InputContent, JsonObject, optional, plainText, text } from "../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../domain/conversation/Message.ts"
import { defined } from "../../domain/Values.ts"
import type { HostToolDefinition } from "../../services/host/HostTools.ts"
import { ToolFailure } from "../../services/Tools.ts"
import * as Decoder from "../decoding/Decoder.ts"

/** Only for the reference. `readDefinition` decodes the input, because the protocol prescribes the text of each refusal. */
export const Definition = Schema.Struct({
  name: Schema.String,
  label: optional(Schema.String).annotations({ description: "A name for people; default: `name`." }),
  description: Schema.String,
  parameters: described(JsonObject, "JSON Schema of an object."),
  hidden: optional(Schema.Boolean).annotations({ description: "Registered, but not offered to the model." }),
  timeoutMs: optional(Schema.Finite).annotations({
    description: "The longest time without progress; default: no limit."
  })
}).annotations({ identifier: "HostToolDefinition", description: "A tool that the host runs." })

export const AnyDefinition = Schema.Unknown.annotations({ jsonSchema: { $ref: "#/$defs/HostToolDefinition" } })

const given = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

const readDefinition = (input: unknown, index: number): Either.Either<HostToolDefinition, string> => {
  const fields = Predicate.isReadonlyRecord(input) ? input : {}
  const { hidden, parameters, timeoutMs } = fields
  const [name, label, description] = [given(fields["name"]), given(fields["label"]), given(fields["description"])]
  if (name === "") return Either.left(`Host tool at index ${index} must provide a non-empty name`)
  const must = (what: string) => Either.left(`Host tool "${name}" must provide a ${what}`)
  if (description === "") return must("non-empty description")
  if (!Predicate.isReadonlyRecord(parameters)) return must("JSON Schema object")
  const isTime = typeof timeoutMs === "number" && Number.isFinite(timeoutMs) && timeoutMs > 0
  if (timeoutMs !== undefined && !isTime) return must("positive timeoutMs")
  return Either.right({
    name,
    label: label === "" ? name : label,
    description,
    parameters,
    ...(hidden === true ? { hidden } : {}),
    ...(isTime ? { timeoutMs } : {})
  })
}

/** All definitions, or the error text of the first bad one. */
export const readDefinitions = (
  input: ReadonlyArray<unknown>
): Either.Either<ReadonlyArray<HostToolDefinition>, string> => Either.all(input.map(readDefinition))

const Output = Schema.Struct({
  content: described(Schema.Array(InputContent), "What the model reads."),
  details: optional(Schema.Unknown).annotations({ description: "Data for the host, which the model does not see." }),
  isWarning: optional(Schema.Boolean).annotations({
    description: "The call succeeded, but people should look at its result."
  })
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

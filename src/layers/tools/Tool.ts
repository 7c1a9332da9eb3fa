/** Makes a Tool from a parameter schema and a function that gets the decoded arguments. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { text } from "../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../domain/conversation/Message.ts"
import { explain } from "../../domain/Values.ts"
import type { ToolDefinition } from "../../services/model/ModelClient.ts"
import type { Preview, Tool, ToolContext } from "../../services/Tools.ts"
import { ToolFailure } from "../../services/Tools.ts"

export interface Spec<A, I, R = never> {
  readonly name: string
  /** For the model: what the tool does, its limits, when to use it. */
  readonly description: string
  /** A Schema.Struct that needs nothing to be decoded. */
  readonly parameters: Schema.Schema<A, I> & { readonly fields: Schema.Struct.Fields }
  /** Rewrites other spellings of the arguments, which models do not see, into those of `parameters`. */
  readonly prepare?: (args: JsonObject) => JsonObject
  readonly concurrency?: Tool["concurrency"]
  readonly abortedText?: string
  /** What the call would do to files. */
  readonly preview?: (args: A, toolCallId: string) => Effect.Effect<Preview | undefined, ToolFailure, R>
  readonly run: (args: A, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailure, R>
}

// The description belongs to the field: on the schema itself it would replace the words of its error texts.
export const required = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

export const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

/** Without the identifiers of Schema.NonEmptyString and Schema.Int, which would become `$defs`. */
export const NonEmptyText = Schema.String.pipe(Schema.nonEmptyString())
export const PositiveInt = Schema.Number.pipe(Schema.int(), Schema.positive())

const toJsonSchema = <A, I>(schema: Schema.Schema<A, I>): JsonObject => {
  const { $schema: _, ...parameters } = JSONSchema.make(schema)
  return parameters
}

export const make = <A, I>(spec: Spec<A, I>): Tool => {
  const { abortedText = "Operation aborted", concurrency = "shared", description, name, parameters, prepare } = spec
  const decodeUnknown = Schema.decodeUnknownEither(parameters, { errors: "all" })
  const decode = (args: JsonObject) =>
    Either.mapLeft(
      decodeUnknown(prepare === undefined ? args : prepare(args)),
      (problem) => new ToolFailure({ message: `Invalid arguments for ${name}: ${explain(problem)}` })
    )
  let definition: ToolDefinition | undefined
  return {
    get definition() {
      definition ??= { name, description, parameters: toJsonSchema(parameters) }
      return definition
    },
    concurrency,
    abortedText,
    preview: (args, toolCallId) =>
      Effect.flatMap(
        Effect.suspend(() => decode(args)),
        (decoded) => spec.preview?.(decoded, toolCallId) ?? Effect.succeed(undefined)
      ),
    run: (args, context) =>
      Effect.suspend(() => {
        const decoded = decode(args)
        return Either.isRight(decoded) ? spec.run(decoded.right, context) : decoded.left
      })
  }
}

/** A tool whose calls use services, which are given to it once. */
export const makeWith = <A, I, R>(services: Context.Context<R>, spec: Spec<A, I, R>): Tool => {
  const { preview, run, ...rest } = spec
  const own: Spec<A, I> = {
    ...rest,
    ...(preview === undefined ? {} : { preview: (args, id) => Effect.provide(preview(args, id), services) }),
    run: (args, context) => Effect.provide(run(args, context), services)
  }
  return make(own)
}

/** A result of one text; `details` are left out when there are none. */
export const textOutput = (value: string, details: JsonObject = {}): ToolOutput => ({
  content: [text(value)],
  ...(Object.keys(details).length === 0 ? {} : { details })
})

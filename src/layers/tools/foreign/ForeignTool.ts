/**
 * Makes a Tool from a definition that foreign code gives. Nothing in it is trusted: the schema is cleaned and checked,
 * arguments are mended and checked, and so is the result.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import * as Text from "../../../domain/Text.ts"
import { defined } from "../../../domain/Values.ts"
import { keepingProgress, type Tool, type ToolContext, ToolFailure, ToolRefused } from "../../../services/Tools.ts"
import * as ArgumentCheck from "../host/ArgumentCheck.ts"
import * as SchemaCheck from "../host/SchemaCheck.ts"
import * as ForeignValue from "../../machine/foreign/ForeignValue.ts"
import { coerce } from "./Coercion.ts"
import * as ForeignResult from "./ForeignResult.ts"

const isData = (value: unknown) => value !== undefined && typeof value !== "function" && typeof value !== "symbol"

const copyOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter(isData).map(copyOf)
  return Predicate.isReadonlyRecord(value) ? copyOfObject(value) : value
}

const copyOfObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => isData(member))
      .map(([name, member]) => [name, copyOf(member)])
  )

/** Providers want the type, which tools without parameters leave out. */
const typed = (schema: JsonObject): JsonObject => ("type" in schema ? schema : { type: "object", ...schema })

/**
 * The schema of arguments as plain data, or what is wrong with it: builders of schemas leave symbols and functions in their
 * objects. Unknown keywords stay.
 */
const plainSchema = (given: unknown = {}): Either.Either<JsonObject, string> => {
  if (!Predicate.isReadonlyRecord(given)) return Either.left("it must be a JSON Schema object")
  // First of all, because a schema that contains itself has no end.
  const endless = JsonValue.problemOf(given)
  if (endless !== undefined) return Either.left(endless)
  return Either.flatMap(Either.try({ try: () => typed(copyOfObject(given)), catch: ForeignValue.shown }), (schema) => {
    const problem = SchemaCheck.problemOf(schema)
    return problem === undefined ? Either.right(schema) : Either.left(problem)
  })
}

export interface ForeignContext extends Pick<ToolContext, "toolCallId"> {
  /** Reports progress: a result so far. One that cannot be read is not shown. */
  readonly progress: (partial: unknown) => Effect.Effect<void>
}

export interface ForeignDefinition {
  readonly name: unknown
  readonly label?: unknown
  /** For the model. The label, or the name, where there is none. */
  readonly description?: unknown
  /** JSON Schema, plain or as an object of TypeBox. Without it, the tool takes no arguments. */
  readonly parameters?: unknown
  /** One line for the system prompt. */
  readonly promptSnippet?: unknown
  readonly promptGuidelines?: unknown
  readonly concurrency?: Tool["concurrency"]
  readonly abortedText?: string
  readonly source?: SourceInfo
  /** Rewrites the arguments before they are checked. It may throw. */
  readonly prepareArguments?: (args: JsonObject) => unknown
  /** The result is a text, or an object with `content`, and perhaps `details`, `isError`, `terminate` and `usage`. */
  readonly execute: (args: JsonObject, context: ForeignContext) => Effect.Effect<unknown, ToolFailure>
}

/** What all providers accept. */
const namePattern = /^[\w-]{1,64}$/

const longestSnippet = 500
const longestGuideline = 1000
const mostGuidelines = 50

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** One line, whatever its author wrote: another line would look like another tool or rule. */
const line = (value: string, longest: number) => Text.clip(value.trim().replaceAll(/\s+/g, " "), longest)

const promptOf = ({ promptGuidelines, promptSnippet }: ForeignDefinition): NonNullable<Tool["prompt"]> => {
  const given: ReadonlyArray<unknown> = Array.isArray(promptGuidelines) ? promptGuidelines : [promptGuidelines]
  const guidelines = given.filter(isText).slice(0, mostGuidelines)
  return {
    ...(isText(promptSnippet) ? { snippet: line(promptSnippet, longestSnippet) } : {}),
    ...(guidelines.length === 0 ? {} : { guidelines: guidelines.map((text) => line(text, longestGuideline)) })
  }
}

type Runs = Required<Pick<Tool, "preview" | "run">>

const runsOf = (name: string, parameters: JsonObject, { execute, prepareArguments }: ForeignDefinition): Runs => {
  const invalid = (problem: string) => new ToolFailure({ message: `Invalid arguments for ${name}: ${problem}` })

  const prepare = (args: JsonObject): Either.Either<JsonObject, ToolFailure> => {
    if (prepareArguments === undefined) return Either.right(args)
    return Either.flatMap(
      Either.try({ try: () => prepareArguments(args), catch: (cause) => invalid(ForeignValue.textOf(cause)) }),
      (prepared) =>
        Predicate.isReadonlyRecord(prepared)
          ? Either.right(prepared)
          : Either.left(invalid("the tool could not prepare them"))
    )
  }

  const check = Effect.fnUntraced(function* (given: JsonObject) {
    // The code of others may change its arguments, which are those of the message.
    const args = coerce(parameters, yield* prepare(copyOfObject(given)))
    const problem = ArgumentCheck.problemOf(parameters, args)
    return problem === undefined ? args : yield* invalid(problem)
  })

  const run = Effect.fn("ForeignTool.run")(function* (given: JsonObject, context: ToolContext) {
    const args = yield* check(given)
    const result = yield* keepingProgress(context, ({ progress, toolCallId }) => {
      const report = (partial: unknown) => {
        const output = ForeignResult.progress(partial)
        return output === undefined ? Effect.void : progress(output)
      }
      // A bug in the code of others is no reason to end the run.
      return Effect.catchAllDefect(
        Effect.suspend(() => execute(args, { toolCallId, progress: report })),
        (defect) => new ToolFailure({ message: ForeignValue.textOf(defect) })
      )
    })
    return yield* ForeignResult.read(name, result)
  })
  return { preview: (given) => Effect.as(check(given), undefined), run }
}

export const fromDefinition = (definition: ForeignDefinition): Either.Either<Tool, ToolRefused> => {
  const { abortedText, concurrency = "shared", description, label, name, source } = definition
  const refused = (message: string) =>
    Either.left(new ToolRefused({ reason: "definition", name: Text.clip(ForeignValue.shown(name), 100), message }))
  if (typeof name !== "string" || !namePattern.test(name))
    return refused(
      `A tool needs a name of 1 to 64 letters, digits, "_" and "-", not ${Text.clip(ForeignValue.shown(name), 100)}`
    )
  const schema = plainSchema(definition.parameters)
  if (Either.isLeft(schema)) return refused(`Tool "${name}" has a JSON Schema that cannot be used: ${schema.left}`)
  const parameters = schema.right
  const prompt = promptOf(definition)
  return Either.right({
    definition: { name, description: isText(description) ? description : isText(label) ? label : name, parameters },
    ...(isText(label) ? { label } : {}),
    ...(Object.keys(prompt).length === 0 ? {} : { prompt }),
    ...defined({ source }),
    concurrency,
    origin: "extension",
    abortedText: abortedText ?? "Operation aborted",
    ...runsOf(name, parameters, definition)
  })
}

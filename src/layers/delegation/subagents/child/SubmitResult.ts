/** The tool `submit_result`, with which a subagent hands in what it found and ends its run (protocol.md 14.3). */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type JsonObject, text } from "../../../../domain/conversation/Content.ts"
import * as Json from "../../../../domain/Json.ts"
import { type Tool, type ToolAnswer, ToolFailure } from "../../../../services/Tools.ts"
import type { OutputSchema } from "./OutputSchema.ts"

export const name = "submit_result"

export type Submitted =
  | { readonly _tag: "Result"; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly error: string }

export interface SubmitOptions {
  /** Completed by the first call that is accepted. */
  readonly submitted: Deferred.Deferred<Submitted>
  readonly schema?: OutputSchema
}

const description = [
  "Hand in the result of your task and end it. Call this exactly once, as the last thing you do.",
  "Give `result`, or `error` if the task cannot be done: what is missing and what you tried."
].join(" ")

const parametersFor = (schema: OutputSchema | undefined): JsonObject => ({
  type: "object",
  properties: {
    result: schema?.asResult ?? {
      type: "string",
      description: "The result, complete: nothing else that you wrote is read."
    },
    error: { type: "string", description: "Why the task cannot be done. Not together with a result." }
  },
  additionalProperties: false
})

/** A run ends if all calls of the turn say so, a refused second one, too. */
const again = new ToolFailure({
  message: "A result was submitted before, and it counts. Do not call submit_result again.",
  terminate: true
})

const refuse = (message: string) => new ToolFailure({ message })

const isGiven = (args: JsonObject, key: string) => Object.hasOwn(args, key) && args[key] !== undefined

/** Some models write data as a text of JSON. */
const resultOf = Effect.fnUntraced(function* (value: unknown, schema: OutputSchema | undefined) {
  if (schema === undefined) return value
  const problem = schema.problemOf(value)
  if (problem === undefined) return value
  const parsed = typeof value === "string" ? Json.parseBounded(value) : Either.left(problem)
  if (Either.isRight(parsed) && schema.problemOf(parsed.right) === undefined) return parsed.right
  return yield* refuse(
    `The result does not fit its schema: ${problem} Correct it, and call submit_result again with the whole result.`
  )
})

const read = Effect.fnUntraced(function* (args: JsonObject, schema: OutputSchema | undefined) {
  const { error } = args
  const hasError = isGiven(args, "error") && error !== null && error !== ""
  // Some models fill in every member.
  const hasResult = isGiven(args, "result") && !(hasError && args["result"] === null)
  if (hasError && hasResult) return yield* refuse("Give either result or error, not both.")
  if (hasError && typeof error !== "string")
    return yield* refuse("Invalid arguments for submit_result: error must be a text.")
  if (typeof error === "string" && hasError) return { _tag: "Failed", error } satisfies Submitted
  if (!hasResult)
    return yield* refuse("Invalid arguments for submit_result: give result, or error if the task cannot be done.")
  return { _tag: "Result", value: yield* resultOf(args["result"], schema) } satisfies Submitted
})

export const make = ({ schema, submitted }: SubmitOptions): Tool => ({
  definition: { name, description, parameters: parametersFor(schema) },
  concurrency: "exclusive",
  abortedText: "Operation aborted",
  run: Effect.fnUntraced(function* (args) {
    if (yield* Deferred.isDone(submitted)) return yield* again
    const outcome: Submitted = yield* read(args, schema)
    if (!(yield* Deferred.succeed(submitted, outcome))) return yield* again
    const answer: ToolAnswer = {
      content: [text(outcome._tag === "Result" ? "Result submitted." : "Failure submitted.")],
      terminate: true
    }
    return answer
  })
})

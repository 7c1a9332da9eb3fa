/** `--output-schema`: the model hands in its answer with the tool submit_result, and the answer fits the schema. */
import type * as Scope from "effect/Scope"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { PromptEnd } from "../../../domain/conversation/AgentEvent.ts"
import * as Json from "../../../domain/Json.ts"
import type { Outcome } from "../../../services/host/Presentation.ts"
import type { SessionTools, Tool, ToolRefused } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import { invalid } from "../cli/arguments/OptionTable.ts"
import * as Conversation from "../../delegation/subagents/child/Conversation.ts"
import * as OutputSchema from "../../delegation/subagents/child/OutputSchema.ts"
import * as SubmitResult from "../../delegation/subagents/child/SubmitResult.ts"

/** The schema that the option names or spells out. */
export const schemaOf = Effect.fnUntraced(function* (given: string, cwd: string) {
  const refuse = (why: string) => invalid(`--output-schema: ${why}`)
  const isText = given.trimStart().startsWith("{")
  const text = isText
    ? given
    : yield* Effect.mapError(ReadText.read(yield* OwnFiles, LocalPaths.absolute(cwd, given)), ({ message }) =>
        refuse(`${message}. Give the path of a JSON Schema, or the schema itself`)
      )
  const parsed = yield* Either.mapLeft(Json.parseBounded(text), (why) => refuse(`it is not JSON: ${why}`))
  if (!Predicate.isReadonlyRecord(parsed)) return yield* refuse("it is not a JSON object")
  return yield* Either.mapLeft(OutputSchema.make(parsed), refuse)
})

const guidelines = [
  "Your answer is read by a program. When you are done, call submit_result once with the complete answer as `result`; nothing else that you write is read. Nobody answers questions."
]

const unfit = (message: string): Outcome => ({ _tag: "Unfit", message })

/** Asks, and reminds a model that stops without an answer. `tools` are those of the session. */
export const ask = Effect.fnUntraced(function* <E>(
  schema: OutputSchema.OutputSchema,
  tools: SessionTools,
  talker: Conversation.Talker<E>,
  text: string
): Effect.fn.Return<Outcome, E | ToolRefused, Scope.Scope> {
  const submitted = yield* Deferred.make<SubmitResult.Submitted>()
  const tool: Tool = { ...SubmitResult.make({ submitted, schema }), prompt: { guidelines } }
  yield* tools.register(tool)
  let end: PromptEnd | undefined
  const converse = (message: string) =>
    Effect.tap(talker.converse(message), (ended) => Effect.sync(() => (end = ended)))
  const answer = yield* Conversation.toResult({ ...talker, converse }, text, submitted, true)
  if (answer.exitCode === 0) return { _tag: "Submitted", value: "data" in answer ? answer.data : answer.output }
  const message = answer.error ?? "the run failed"
  const isDone = yield* Deferred.isDone(submitted)
  if (end?.status !== "completed" && !isDone) return { _tag: "Failed", message }
  return unfit(isDone ? `the model says that it cannot answer: ${message}` : neverFits)
})

const neverFits = "the model gave no answer that fits the schema, though it was reminded"

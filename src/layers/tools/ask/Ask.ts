/** The tool `ask`: questions to the user, one after the other, through the user interface of the host. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Ui } from "../../../services/host/HostUi.ts"
import { type Tool as AnyTool, ToolFailure } from "../../../services/Tools.ts"
import * as AskUser from "./AskUser.ts"
import * as Questions from "./Questions.ts"
import * as Tool from "../Tool.ts"

export interface AskToolOptions {
  readonly ui: Ui
  /** How long a question is shown before an answer is presumed; for ever when zero. */
  readonly askTimeoutSeconds: number
}

const mostQuestions = 20
const mostOptions = 100

const atLeastOne = <A, I>(item: Schema.Schema<A, I>, most: number) =>
  Schema.Array(item).pipe(Schema.minItems(1), Schema.maxItems(most))

const Option = Schema.Struct({ label: Tool.required(Tool.NonEmptyText, "The option as the user reads it.") })

const Question = Schema.Struct({
  id: Tool.required(Tool.NonEmptyText, "A short name by which the result tells the questions apart."),
  question: Tool.required(Tool.NonEmptyText, "What the user is asked."),
  options: Tool.required(
    atLeastOne(Option, mostOptions),
    "Two to five options as a rule. A way to type another answer is added, so do not offer one."
  ),
  multi: Tool.optional(Schema.Boolean, "Whether the user may choose several options. Default: false."),
  recommended: Tool.optional(
    Schema.Number.pipe(Schema.int(), Schema.nonNegative()),
    "Place of the option that you recommend, counted from 0. It is chosen when the user does not answer in time."
  )
})

/** After a question that the user cancels, the others are not asked. */
const askAll = Effect.fnUntraced(function* (
  options: AskUser.AskOptions,
  questions: ReadonlyArray<Questions.AskedQuestion>
) {
  const answered: Array<readonly [Questions.AskedQuestion, Questions.Answer]> = []
  let isCancelled = false
  for (const question of questions) {
    const answer: Questions.Answer = isCancelled ? { _tag: "Cancelled" } : yield* AskUser.ask(options, question)
    isCancelled ||= answer._tag === "Cancelled"
    answered.push([question, answer])
  }
  return answered
})

const cannotAsk = new ToolFailure({
  message:
    "Nobody can be asked: the host has no user interface. Decide yourself, and say in your answer what you assumed."
})

export const make = ({ askTimeoutSeconds, ui }: AskToolOptions): AnyTool => ({
  ...Tool.make({
    name: "ask",
    description: [
      "Ask the user to choose, when the task can be done in ways that differ and neither the project nor the conversation tells which one is wanted.",
      "Ask everything that you need to know in one call. Do not ask for what you can find out with other tools, and do not ask for permission.",
      "The user may also type an answer of their own, cancel, or not answer in time; the result says which."
    ].join(" "),
    parameters: Schema.Struct({
      questions: Tool.required(atLeastOne(Question, mostQuestions), "What to ask, in this order.")
    }),
    concurrency: "exclusive",
    run: Effect.fnUntraced(function* ({ questions }) {
      if (!(yield* ui.isPresent)) return yield* cannotAsk
      const answered = yield* askAll({ ui, timeoutMs: askTimeoutSeconds * 1000 }, questions)
      return Tool.textOutput(Questions.render(answered, askTimeoutSeconds), Questions.details(answered))
    })
  }),
  isOffered: ui.isPresent
})

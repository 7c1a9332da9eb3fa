/** Shows one question to the user and waits for the answer. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Ui } from "../../../services/host/HostUi.ts"
import * as Questions from "./Questions.ts"

export interface AskOptions {
  readonly ui: Pick<Ui, "select" | "editor">
  /** How long each question is shown; for ever when zero. */
  readonly timeoutMs: number
}

const cancelled: Questions.Answer = { _tag: "Cancelled" }

type Choice =
  | { readonly _tag: "Value"; readonly value: string }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Cancelled" }

/** One `select`, which tells a user who cancels from one who does not answer. */
const choose = ({ timeoutMs, ui }: AskOptions, title: string, options: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    let isLate = false
    const onTimeout = Effect.sync(() => void (isLate = true))
    const deadline = timeoutMs > 0 ? { timeoutMs, onTimeout } : {}
    return Effect.map(
      ui.select({ title, options, ...deadline }),
      Option.match({
        onNone: (): Choice => (isLate ? { _tag: "TimedOut" } : { _tag: "Cancelled" }),
        onSome: (value): Choice => ({ _tag: "Value", value })
      })
    )
  })

/** What the user types in place of an option. There is no time limit while typing. */
const type = ({ ui }: AskOptions, { question }: Questions.AskedQuestion, options: ReadonlyArray<string>) =>
  Effect.map(
    ui.editor({ title: question, promptStyle: true }),
    Option.match({
      onNone: () => cancelled,
      onSome: (text): Questions.Answer => ({ _tag: "Typed", text, options })
    })
  )

const askOne = Effect.fnUntraced(function* (options: AskOptions, question: Questions.AskedQuestion) {
  const shown = Questions.shownLabels(question)
  const choice = yield* choose(options, question.question, [...shown, Questions.other])
  if (choice._tag === "Cancelled") return cancelled
  if (choice._tag === "TimedOut") {
    const answer: Questions.Answer = { _tag: "TimedOut", options: Questions.presumed(question) }
    return answer
  }
  const at = shown.indexOf(choice.value)
  if (at < 0 && choice.value === Questions.other) return yield* type(options, question, [])
  // A host may answer with none of the options, or with one as the model wrote it.
  const answer: Questions.Answer = { _tag: "Chosen", options: [question.options[at]?.label ?? choice.value] }
  return answer
})

/** Shows the list again after each choice, until the user is done. */
const askSeveral = Effect.fnUntraced(function* (options: AskOptions, question: Questions.AskedQuestion) {
  const labels = Questions.labelsOf(question)
  const chosen = new Set<number>()
  while (true) {
    const selected = labels.filter((_, at) => chosen.has(at))
    const shown = Questions.boxes(question, chosen)
    const choice = yield* choose(options, question.question, [...shown, Questions.done, Questions.other])
    if (choice._tag === "Cancelled") return cancelled
    if (choice._tag === "TimedOut") {
      const presumed = selected.length > 0 ? selected : Questions.presumed(question)
      const answer: Questions.Answer = { _tag: "TimedOut", options: presumed }
      return answer
    }
    const at = shown.indexOf(choice.value)
    if (at >= 0) {
      if (!chosen.delete(at)) chosen.add(at)
      continue
    }
    if (choice.value === Questions.other) return yield* type(options, question, selected)
    const more = choice.value === Questions.done ? [] : [choice.value]
    const answer: Questions.Answer = { _tag: "Chosen", options: [...selected, ...more] }
    return answer
  }
})

export const ask = (options: AskOptions, question: Questions.AskedQuestion): Effect.Effect<Questions.Answer> =>
  question.multi === true ? askSeveral(options, question) : askOne(options, question)

/** The questions that a model asks, as their user sees them, and the answers as the model reads them (protocol.md 10.1). */
import type { JsonObject } from "../../../domain/conversation/Content.ts"

export interface AskedQuestion {
  readonly id: string
  readonly question: string
  readonly options: ReadonlyArray<{ readonly label: string }>
  readonly multi?: boolean
  /** The place of an option, counted from 0. */
  readonly recommended?: number
}

/** How the user has answered. A question that was never shown is cancelled, too. */
export type Answer =
  | { readonly _tag: "Chosen"; readonly options: ReadonlyArray<string> }
  | { readonly _tag: "Typed"; readonly text: string; readonly options: ReadonlyArray<string> }
  | { readonly _tag: "TimedOut"; readonly options: ReadonlyArray<string> }
  | { readonly _tag: "Cancelled" }

export const other = "Other (type your own)"
export const done = "Done"
const recommendedSuffix = " (Recommended)"

export const labelsOf = ({ options }: AskedQuestion): ReadonlyArray<string> => options.map(({ label }) => label)

/** The labels as they are shown, in the order of the options. */
export const shownLabels = ({ options, recommended }: AskedQuestion): ReadonlyArray<string> =>
  options.map(({ label }, at) =>
    at === recommended && !label.endsWith(recommendedSuffix) ? label + recommendedSuffix : label
  )

/** The same with a box before each label, for questions with several answers. */
export const boxes = (question: AskedQuestion, chosen: ReadonlySet<number>): ReadonlyArray<string> =>
  shownLabels(question).map((label, at) => `${chosen.has(at) ? "[x]" : "[ ]"} ${label}`)

/** What is chosen for a user who does not answer. */
export const presumed = (question: AskedQuestion): ReadonlyArray<string> => {
  const labels = labelsOf(question)
  return [labels[question.recommended ?? 0] ?? labels[0] ?? ""].filter((label) => label !== "")
}

const optionsOf = (answer: Answer) => (answer._tag === "Cancelled" ? [] : answer.options)

const detailsOf = (question: AskedQuestion, answer: Answer): JsonObject => ({
  question: question.question,
  options: labelsOf(question),
  multi: question.multi === true,
  selectedOptions: optionsOf(answer),
  ...(answer._tag === "Typed" ? { customInput: answer.text } : {})
})

/** One question has its details at the top; several have a list. */
export const details = (answered: ReadonlyArray<readonly [AskedQuestion, Answer]>): JsonObject => {
  const [first, ...more] = answered
  return first !== undefined && more.length === 0
    ? detailsOf(...first)
    : { results: answered.map(([question, answer]) => ({ id: question.id, ...detailsOf(question, answer) })) }
}

const said = (answer: Answer, seconds: number): string => {
  const chosen = optionsOf(answer).join(", ")
  switch (answer._tag) {
    case "Chosen":
      return chosen === "" ? "The user selected none of the options" : `The user selected: ${chosen}`
    case "Typed":
      return `The user wrote: ${answer.text}${chosen === "" ? "" : `\nand selected: ${chosen}`}`
    case "TimedOut":
      return `The user did not answer within ${seconds} seconds. Go on with: ${chosen}`
    case "Cancelled":
      return "The user gave no answer: the question was cancelled"
  }
}

/** The result as the model reads it. `seconds` is how long each question was shown. */
export const render = (answered: ReadonlyArray<readonly [AskedQuestion, Answer]>, seconds: number): string => {
  const [first, ...more] = answered
  if (first !== undefined && more.length === 0) return said(first[1], seconds)
  return answered.map(([{ id }, answer]) => `${id}: ${said(answer, seconds)}`).join("\n")
}

/** Questions to the person, one after the other, in the place of the prompt. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SelectQuestion, Ui } from "../../../../services/host/HostUi.ts"
import type { Live } from "../screen/Painter.ts"
import type { Style } from "../screen/Style.ts"
import * as Dialog from "./Dialog.ts"
import type { Input } from "./Keys.ts"

interface Open {
  dialog: Dialog.Dialog
  /** None: cancelled. */
  readonly answer: Deferred.Deferred<Option.Option<string>>
}

export interface Dialogs {
  readonly ui: Pick<Ui, "select" | "confirm" | "input" | "editor">
  /** A choice of heddle itself. */
  readonly choose: (question: SelectQuestion, manner: Dialog.ChoiceManner) => Effect.Effect<Option.Option<string>>
  readonly press: (input: Input) => void
  /** Ends all questions without an answer. */
  readonly cancelAll: () => void
  /** The question that is shown; undefined without one. */
  readonly live: (room: Dialog.RoomOptions) => Live | undefined
  readonly isOpen: () => boolean
}

export interface DialogsOptions {
  readonly style: Style
  /** Something has to be drawn. */
  readonly changed: () => void
  /** A question is over, with these words. */
  readonly over: (title: string, answer: string) => void
}

const inWords = ({ asked }: Dialog.Dialog, answer: Option.Option<string>): string => {
  if (Option.isNone(answer)) return "(cancelled)"
  if (asked._tag !== "Confirm") return answer.value
  return answer.value === Dialog.yes ? "yes" : "no"
}

export const make = ({ changed, over, style }: DialogsOptions): Dialogs => {
  const open: Array<Open> = []

  /** False where the question was over before. */
  const close = (question: Open, words: string): boolean => {
    const at = open.indexOf(question)
    if (at < 0) return false
    open.splice(at, 1)
    over(question.dialog.asked.question.title, words)
    changed()
    return true
  }
  const settle = (question: Open, answer: Option.Option<string>) => {
    if (close(question, inWords(question.dialog, answer))) Deferred.unsafeDone(question.answer, Effect.succeed(answer))
  }

  /** An interrupt withdraws the question. */
  const ask = (asked: Dialog.Asked) =>
    Effect.acquireUseRelease(
      Effect.map(Deferred.make<Option.Option<string>>(), (answer) => {
        const question: Open = { dialog: Dialog.make(asked), answer }
        open.push(question)
        changed()
        return question
      }),
      ({ answer }) => Deferred.await(answer),
      (question) => Effect.sync(() => void close(question, "(withdrawn)"))
    )

  return {
    ui: {
      select: (question) => ask({ _tag: "Select", question }),
      confirm: (question) =>
        Effect.flatMap(
          ask({ _tag: "Confirm", question }),
          Option.match({
            onNone: () => Effect.as(question.onUnanswered ?? Effect.void, false),
            onSome: (answer) => Effect.succeed(answer === Dialog.yes)
          })
        ),
      input: (question) => ask({ _tag: "Text", question }),
      editor: (question) => ask({ _tag: "Text", question })
    },
    choose: (question, manner) => ask({ _tag: "Select", question, manner }),
    press: (input) => {
      const [question] = open
      if (question === undefined) return
      const step = Dialog.press(question.dialog, input)
      if ("answer" in step) settle(question, step.answer)
      else question.dialog = step.dialog
    },
    cancelAll: () => {
      for (const question of open.slice()) settle(question, Option.none())
    },
    live: (room) => {
      const [question] = open
      if (question === undefined) return undefined
      return { ...Dialog.live(question.dialog, style, room), invitation: Dialog.plain(question.dialog, style) }
    },
    isOpen: () => open.length > 0
  }
}

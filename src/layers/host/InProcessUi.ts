/** A HostUi of functions, for a program that embeds the agent and asks its user itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { defined } from "../../domain/Values.ts"
import * as Dialog from "../../services/host/Dialog.ts"
import { dialogMethods, HostUi, type Question, type Ui } from "../../services/host/HostUi.ts"
import { Ids } from "../../services/Ids.ts"
import * as HeadlessUi from "./HeadlessUi.ts"

/** What the program can do. A question that it has no function for gets its default. */
export type UiFunctions = Partial<Ui>

export const make = (functions: UiFunctions) =>
  Effect.map(Ids, (ids): Ui => {
    const headless = HeadlessUi.make()
    const dialog =
      <Q extends Question, A>(fallback: A, ask: (question: Q) => Effect.Effect<A>) =>
      (question: Q) =>
        Effect.suspend(() => Dialog.open({ id: ids.next("dialog"), question, fallback }, ask(question)))
    const { confirm, editor, input, select } = functions
    return {
      ...headless,
      isPresent: Effect.succeed(dialogMethods.some((method) => functions[method] !== undefined)),
      ...functions,
      ...defined({
        select: select && dialog(Option.none(), select),
        confirm: confirm && dialog(false, confirm),
        input: input && dialog(Option.none(), input),
        editor: editor && dialog(Option.none(), editor)
      })
    }
  })

export const layer = (functions: UiFunctions) => Layer.effect(HostUi, make(functions))

/** Choosing the model and how hard it thinks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { isThinkingLevel, label, supportedLevels } from "../../../../domain/model/Model.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { Controls } from "../../../../services/session/modules/Controls.ts"
import { Startup } from "../../../../services/session/Startup.ts"
import { Sessions } from "../../../../services/session/Sessions.ts"
import * as ModelSelection from "../../../session/modules/controls/ModelSelection.ts"
import { type Command, completions } from "./Command.ts"
import type { Talk } from "./Talk.ts"

const current = Effect.flatMap(Sessions, ({ current }) => current)
const controls = Effect.map(current, Context.get(Controls))

const pick = Effect.fnUntraced(function* (talk: Talk) {
  const { available } = yield* ModelCatalog
  const { model } = (yield* controls).values()
  const options = (yield* available).map(label)
  return yield* talk.ui.select({ title: "Which model?", options, chosen: model && label(model) })
})

const choose = Effect.fnUntraced(function* (pattern: string, talk: Talk) {
  const catalog = yield* ModelCatalog
  const session = yield* current
  yield* Context.get(session, Startup).started
  const { setModel, setThinkingLevel, values } = Context.get(session, Controls)
  const usable = new Set((yield* catalog.available).map(label))
  const found = ModelSelection.select(yield* catalog.all, { pattern }, (model) => usable.has(label(model)))
  if (Either.isLeft(found)) return talk.notify("error", `${found.left}. /model without a name lets you choose.`)
  const { model, thinkingLevel } = found.right
  const before = values().model
  yield* setModel(model.provider, model.id)
  if (thinkingLevel !== undefined) yield* setThinkingLevel(thinkingLevel)
  // Otherwise the event says it.
  if (before !== undefined && label(before) === label(model)) talk.notify("info", `Model: ${label(model)}`)
})

const model: Command = {
  name: "model",
  hint: "[name]",
  description: "Choose the model; a part of its name is enough",
  complete: (prefix) =>
    Effect.flatMap(ModelCatalog, ({ available }) =>
      Effect.map(available, (models) => completions(models.map(label), prefix))
    ),
  run: Effect.fnUntraced(function* (args, talk) {
    const wanted = args === "" ? yield* pick(talk) : Option.some(args)
    if (Option.isSome(wanted)) yield* choose(wanted.value, talk)
  })
}

const inForce = Effect.map(controls, ({ values }) => values())
const levels = Effect.map(inForce, ({ model }) => supportedLevels(model))

const thinking: Command = {
  name: "thinking",
  hint: "[level]",
  description: "Choose how hard the model thinks",
  complete: (prefix) => Effect.map(levels, (found) => completions(found, prefix)),
  run: Effect.fnUntraced(function* (args, talk) {
    const { model, thinkingLevel: chosen } = yield* inForce
    const supported = supportedLevels(model)
    if (supported.length < 2) return talk.notify("info", "This model has no thinking levels.")
    const title = "How hard is the model to think?"
    const wanted = args === "" ? yield* talk.ui.select({ title, options: supported, chosen }) : Option.some(args)
    if (Option.isNone(wanted)) return
    if (!isThinkingLevel(wanted.value)) {
      return talk.notify("error", `There is no level "${wanted.value}". This model has ${supported.join(", ")}.`)
    }
    const level = yield* (yield* controls).setThinkingLevel(wanted.value)
    const clamped = level === wanted.value ? "" : ` (the model does not have ${wanted.value})`
    talk.notify("info", `Thinking: ${level}${clamped}`)
  })
}

export const commands: ReadonlyArray<Command> = [model, thinking]

/** Finds models by the patterns that users type (protocol.md 1.1 `--model`, `--models`). Pure. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import { isThinkingLevel, label, type Model, type ThinkingLevel } from "../../../../domain/model/Model.ts"
import { defined } from "../../../../domain/Values.ts"

export interface ScopedModel {
  readonly model: Model
  readonly thinkingLevel?: ThinkingLevel
}

const globMatch = (pattern: string, candidate: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "i"
  ).test(candidate)

/** The default: the first available model, and one of the provider `last` only if there is no other. */
export const firstChoice = (available: ReadonlyArray<Model>, last: string): Model | undefined =>
  available.find(({ provider }) => provider !== last) ?? available[0]

/** `name:high` asks for a thinking level; an id may contain colons itself, so only a known level counts. */
export const splitLevel = (pattern: string): readonly [string, ThinkingLevel | undefined] => {
  const at = pattern.lastIndexOf(":")
  const suffix = at < 0 ? "" : pattern.slice(at + 1)
  return isThinkingLevel(suffix) ? [pattern.slice(0, at), suffix] : [pattern, undefined]
}

/** Exact id, `provider/id`, glob, then case-insensitive substring; the first rule that matches anything decides. */
export const matching = (models: ReadonlyArray<Model>, pattern: string): ReadonlyArray<Model> => {
  const wanted = pattern.toLowerCase()
  const rules: ReadonlyArray<(model: Model) => boolean> = [
    (model) => model.id === pattern || label(model) === pattern,
    (model) => /[*?]/.test(pattern) && (globMatch(pattern, model.id) || globMatch(pattern, label(model))),
    (model) => label(model).toLowerCase().includes(wanted) || model.name.toLowerCase().includes(wanted)
  ]
  for (const rule of rules) {
    const found = models.filter(rule)
    if (found.length > 0) return found
  }
  return []
}

export interface ModelChoice {
  readonly provider?: string | undefined
  readonly pattern?: string | undefined
}

/** The model that a choice names in full. Most hosts do so, and then no keys are looked up. */
export const exact = (models: ReadonlyArray<Model>, { pattern, provider }: ModelChoice): ScopedModel | undefined => {
  if (pattern === undefined) return undefined
  const found = models.filter(
    (model) => (provider ?? model.provider) === model.provider && (model.id === pattern || label(model) === pattern)
  )
  return found.length === 1 && found[0] !== undefined ? { model: found[0] } : undefined
}

const mostNamed = 20

/** Those that can be used come first. */
const naming = (models: ReadonlyArray<Model>, isUsable: (model: Model) => boolean): string => {
  const [others, usable] = Arr.partition(models, isUsable)
  const first = usable.slice(0, mostNamed).map(label)
  const more = others.slice(0, mostNamed - first.length).map(label)
  const left = models.length - first.length - more.length
  const groups = [first.join(", "), more.join(", ")].filter((names) => names !== "")
  return `${groups.join("; without a key: ")}${left > 0 ? ` and ${left} more` : ""}`
}

/** The model that a choice names, usable ones first, or a text that says what would have matched. */
export const select = (
  models: ReadonlyArray<Model>,
  choice: ModelChoice,
  isUsable: (model: Model) => boolean
): Either.Either<ScopedModel, string> => {
  const candidates = choice.provider === undefined ? models : models.filter((m) => m.provider === choice.provider)
  const [pattern, thinkingLevel] = splitLevel(choice.pattern ?? "*")
  const found = matching(candidates, pattern)
  const model = found.find(isUsable) ?? found[0]
  if (model === undefined) {
    return Either.left(`No model matches "${pattern}". Known models: ${naming(candidates, isUsable)}`)
  }
  return Either.right({ model, ...defined({ thinkingLevel }) })
}

/** The list `cycle_model` goes through; patterns that match nothing add nothing. */
export const scope = (models: ReadonlyArray<Model>, patterns: ReadonlyArray<string>): ReadonlyArray<ScopedModel> => {
  const scoped = new Map<string, ScopedModel>()
  for (const entry of patterns) {
    const [pattern, thinkingLevel] = splitLevel(entry)
    for (const model of matching(models, pattern)) {
      if (scoped.has(label(model))) continue
      scoped.set(label(model), { model, ...defined({ thinkingLevel }) })
    }
  }
  return [...scoped.values()]
}

/** The entry after the current model, from the start where that is not in the list; none among fewer than two. */
export const next = (list: ReadonlyArray<ScopedModel>, current: Model | undefined): ScopedModel | undefined => {
  if (list.length < 2) return undefined
  const at = current === undefined ? -1 : list.findIndex(({ model }) => label(model) === label(current))
  return list[(at + 1) % list.length]
}

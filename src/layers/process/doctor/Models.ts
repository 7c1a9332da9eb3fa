/** Settings, keys and models: what of the user's files is ignored, and which model a session would start with. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { label } from "../../../domain/model/Model.ts"
import { keyAdvice } from "../../../domain/model/ProviderKeys.ts"
import { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import * as InitialModel from "../../agent/model/InitialModel.ts"
import * as Catalog from "../../models/Catalog.ts"
import * as KeyRing from "../../models/KeyRing.ts"
import * as Offline from "../../providers/offline/Offline.ts"
import { type Check, ok, problem, warning } from "./Check.ts"

/** Warnings that the files of the user cause say themselves what to do, if anything can be done. */
export const ofWarning = (text: string): Check => {
  const [message = "", command] = text.split("; run: ")
  if (command !== undefined) return warning("keys", message, command)
  if (text.startsWith("settings: ")) return warning("settings", text.slice("settings: ".length), "heddle config")
  if (text.includes("models file")) return warning("models", text, "correct the file; docs/models.md describes it")
  if (text.startsWith("ignored keys: ")) return problem("keys", text, "heddle auth set <provider> writes the file anew")
  return warning("settings", text, "heddle config")
}

/** Where each key comes from; never the key. A command of models.json that prints a key is not run. */
const keys = Effect.fnUntraced(function* (options: KeyRing.KeyRingOptions) {
  const { providers } = yield* Catalog.Catalog
  const locate = yield* KeyRing.makeLocate(options)
  const found: Array<string> = []
  const checks: Array<Check> = []
  for (const provider of providers.keys()) {
    const located = yield* locate(provider)
    if (Option.isNone(located)) continue
    const { key, source } = located.value
    const usable = source.startsWith("auth.json") ? yield* Effect.either(key) : Either.right(undefined)
    if (Either.isRight(usable)) found.push(`${provider} (${source})`)
    else checks.push(problem("keys", usable.left.message, `heddle auth set ${provider}`))
  }
  if (found.length > 0) return [...checks, ok("keys", found.join(", "))]
  const none = `no keys are found, so only the scripted model ${label(Offline.guide)} answers`
  return [...checks, warning("keys", none, "heddle auth set anthropic (or another provider)")]
})

const model = Effect.gen(function* () {
  const catalog = yield* ModelCatalog
  const known = (yield* catalog.all).length
  const usable = (yield* catalog.available).length
  const chosen = yield* Effect.either(InitialModel.resolve({}))
  const fix = "heddle --list-models, then set defaultModel in settings.json"
  if (Either.isLeft(chosen)) return problem("models", chosen.left.message, fix)
  if (Option.isNone(chosen.right)) return problem("models", "no model can be used", fix)
  const { model: first } = chosen.right.value
  const summary = `${label(first)} is the default; ${usable} of ${known} models can be used`
  if (yield* catalog.isAvailable(first)) return ok("models", summary)
  return problem("models", `${label(first)} is the default, but has no key`, keyAdvice(first.provider))
})

export const checks = (options: KeyRing.KeyRingOptions) =>
  Effect.zipWith(keys(options), model, (found, one): ReadonlyArray<Check> => [...found, one])

/** The first model of a session: `--model`, that of a resumed session, of the settings, or any (protocol.md 16.3). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { label, type Model } from "../../../../domain/model/Model.ts"
import { defined } from "../../../../domain/Values.ts"
import { Credentials } from "../../../../services/model/Credentials.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { Settings } from "../../../../services/Settings.ts"
import { Catalog } from "../../../models/catalog/Catalog.ts"
import { unknownModel } from "../../../models/catalog/CatalogMerge.ts"
import * as Offline from "../../../models/offline/Offline.ts"
import * as ModelSelection from "./ModelSelection.ts"

/** The command line names a model or provider that does not exist. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", { message: Schema.String }) {}

type Choice = ModelSelection.ModelChoice

interface ModelRef {
  readonly provider: string
  readonly modelId: string
}

const isEmpty = ({ pattern, provider }: Choice) => provider === undefined && pattern === undefined

/** A model of a provider that serves unlisted ones. A name with a slash is a full id, never a part of another. */
const openModel = Effect.fnUntraced(function* (choice: Choice) {
  const { find, providers } = yield* Catalog
  const [name, thinkingLevel] = ModelSelection.splitLevel(choice.pattern ?? "")
  const slash = name.indexOf("/")
  const provider = providers.get(choice.provider ?? name.slice(0, Math.max(slash, 0)))
  if (provider?.open !== true) return Option.none()
  const id = name.startsWith(`${provider.id}/`) ? name.slice(provider.id.length + 1) : name
  if (id === "" || /[*?]/.test(id) || find(provider.id, id) !== undefined) return Option.none()
  return Option.some({ entry: unknownModel(provider, id), thinkingLevel, isFull: id.includes("/") })
})

/** The model a choice names; one that was not known joins the catalogue. */
export const named = Effect.fnUntraced(function* (
  models: ReadonlyArray<Model>,
  choice: Choice,
  isUsable: (model: Model) => boolean = () => true
) {
  const catalog = yield* Catalog
  const { provider } = choice
  const known = new Set([...catalog.providers.keys(), ...models.map((model) => model.provider)])
  if (provider !== undefined && !known.has(provider)) {
    const names = [...known].join(", ")
    return yield* new UnknownModel({
      message: `Unknown provider: ${provider}. Known providers: ${names}. Others are added in models.json (docs/models.md).`
    })
  }
  const open = yield* openModel(choice)
  const selected = ModelSelection.select(models, choice, isUsable)
  if (Either.isRight(selected) && !(Option.isSome(open) && open.value.isFull)) return selected.right
  if (Option.isSome(open)) {
    const { entry, thinkingLevel } = open.value
    yield* catalog.add([entry])
    const found: ModelSelection.ScopedModel = { model: entry.model, ...defined({ thinkingLevel }) }
    return found
  }
  if (provider !== undefined && !models.some((model) => model.provider === provider)) {
    return yield* new UnknownModel({
      message: `No models of ${provider} are known. Name one with --model <id>, or list them in models.json (docs/models.md).`
    })
  }
  return yield* new UnknownModel({ message: Either.isLeft(selected) ? selected.left : "" })
})

/** Models of providers whose only key came with the project go last, so that the project does not change the default. */
const usersFirst = Effect.fnUntraced(function* (models: ReadonlyArray<Model>) {
  const { isOnlyFromProject } = yield* Credentials
  if (isOnlyFromProject === undefined) return models
  const providers = [...new Set(models.map(({ provider }) => provider))]
  const last = new Set(yield* Effect.filter(providers, isOnlyFromProject))
  const [own, others] = Arr.partition(models, ({ provider }) => last.has(provider))
  return [...own, ...others]
})

const unasked = Effect.fnUntraced(function* (available: ReadonlyArray<Model>) {
  const model = ModelSelection.firstChoice(available, Offline.id)
  if (model?.provider === Offline.id) {
    yield* Effect.logInfo(
      `no API key found: using ${label(model)}, a scripted model that needs none. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run: heddle auth set <provider>`
    )
  }
  return Option.map(Option.fromNullable(model), (model): ModelSelection.ScopedModel => ({ model }))
})

/** None if the model is gone or has no key. The session then continues with another one. */
const leftWith = Effect.fnUntraced(function* (before: ModelRef) {
  const catalog = yield* ModelCatalog
  const found = yield* catalog.find(before.provider, before.modelId)
  const usable = Option.isSome(found) && (yield* catalog.isAvailable(found.value))
  if (!usable) {
    yield* Effect.logWarning(
      `the session was left with ${before.provider}/${before.modelId}, which cannot be used now: another model takes over`
    )
  }
  return usable ? Option.map(found, (model): ModelSelection.ScopedModel => ({ model })) : Option.none()
})

export const resolve = Effect.fnUntraced(function* (asked: Choice, before?: ModelRef) {
  const catalog = yield* ModelCatalog
  const settings = yield* Settings
  if (before !== undefined && isEmpty(asked)) {
    const left = yield* leftWith(before)
    if (Option.isSome(left)) return left
  }
  const exact = ModelSelection.exact(yield* catalog.all, asked)
  if (exact !== undefined) return Option.some(exact)
  const available = yield* usersFirst(yield* catalog.available)
  const usable = new Set(available.map(label))
  const find = Effect.fnUntraced(function* (choice: Choice) {
    const models = yield* usersFirst(yield* catalog.all)
    return yield* named(models, choice, (model) => usable.has(label(model)))
  })
  if (!isEmpty(asked)) return Option.some(yield* find(asked))
  const preferred = { provider: settings.defaultProvider, pattern: settings.defaultModel }
  if (isEmpty(preferred)) return yield* unasked(available)
  return yield* find(preferred).pipe(
    Effect.asSome,
    Effect.catchTag("UnknownModel", ({ message }) =>
      Effect.zipRight(
        Effect.logWarning(`the settings defaultProvider and defaultModel name no model: ${message}`),
        unasked(available)
      )
    )
  )
})

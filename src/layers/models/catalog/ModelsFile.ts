/**
 * The user's models.json (protocol.md 16.1), decoded entry by entry: an invalid entry is reported with its path and left
 * out. Pure. Values may be secrets, so no problem repeats one.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import * as SimilarNames from "../../tools/files/SimilarNames.ts"

const Positive = Schema.Finite.pipe(Schema.positive({ description: "a number greater than 0" }))
const Price = Schema.Finite.pipe(Schema.nonNegative({ description: "a number, 0 or greater" }))
const Texts = Schema.Record({ key: Schema.String, value: Schema.String })
const Address = Schema.String.pipe(Schema.pattern(/^https?:\/\/\S+$/, { description: "an http or https address" }))

const compatFields = {
  supportsStore: optional(Schema.Boolean),
  supportsDeveloperRole: optional(Schema.Boolean),
  supportsReasoningEffort: optional(Schema.Boolean),
  supportsUsageInStreaming: optional(Schema.Boolean),
  maxTokensField: optional(Schema.Literal("max_tokens", "max_completion_tokens")),
  requiresToolResultName: optional(Schema.Boolean),
  requiresAssistantAfterToolResult: optional(Schema.Boolean),
  requiresThinkingAsText: optional(Schema.Boolean),
  thinkingFormat: optional(Schema.String),
  supportsStrictMode: optional(Schema.Boolean)
}

const overrideFields = {
  name: optional(Schema.String),
  reasoning: optional(Schema.Boolean),
  input: optional(Schema.Array(Schema.Literal("text", "image"))),
  cost: optional(
    Schema.Struct({
      input: optional(Price),
      output: optional(Price),
      cacheRead: optional(Price),
      cacheWrite: optional(Price)
    })
  ),
  contextWindow: optional(Positive),
  maxTokens: optional(Positive),
  headers: optional(Texts),
  compat: optional(Schema.Struct(compatFields)),
  thinkingLevelMap: optional(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }))
}
const modelFields = {
  ...overrideFields,
  id: Schema.NonEmptyString,
  api: optional(Schema.String),
  baseUrl: optional(Address)
}
const providerFields = {
  baseUrl: optional(Address),
  api: optional(Schema.NonEmptyString),
  apiKey: optional(Schema.NonEmptyString),
  headers: optional(Texts),
  authHeader: optional(Schema.Boolean),
  auth: optional(Schema.Literal("apiKey", "none")),
  compat: optional(Schema.Struct(compatFields))
}

/** The keys that mean something, for registrations, whose other keys are left out without a word. */
export const keys = {
  provider: Object.keys(providerFields),
  model: Object.keys(modelFields),
  compat: Object.keys(compatFields)
}

const Override = Schema.Struct(overrideFields)
const CustomModel = Schema.Struct(modelFields)
const ProviderSettings = Schema.Struct(providerFields)
export type Override = typeof Override.Type
export type CustomModel = typeof CustomModel.Type

export interface CustomProvider {
  readonly id: string
  readonly settings: typeof ProviderSettings.Type
  readonly models: ReadonlyArray<CustomModel>
  readonly overrides: ReadonlyArray<readonly [string, Override]>
}

export interface ModelsFile {
  readonly providers: ReadonlyArray<CustomProvider>
  /** One sentence each, with the path inside the file. */
  readonly problems: ReadonlyArray<string>
}

export const empty: ModelsFile = { providers: [], problems: [] }

const decodeProvider = Schema.decodeUnknownEither(ProviderSettings)
const decodeModel = Schema.decodeUnknownEither(CustomModel)
const decodeOverride = Schema.decodeUnknownEither(Override)

const join = (path: string, keys: ReadonlyArray<PropertyKey>): string =>
  keys.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`), path)

/** One problem for each path. Removes the actual value that the formatter adds, because it may be a key. */
const explain = (path: string, error: ParseResult.ParseError): ReadonlyArray<string> => {
  const problems = new Map<string, string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const location = join(path, issue.path)
    const message = issue.message.replace(/,? actual [\s\S]*$/, "")
    const before = problems.get(location)
    problems.set(location, before === undefined ? message : `${before} or ${message.replace(/^Expected /, "")}`)
  }
  return [...problems].map(([location, message]) => `${location}: ${message}`)
}

/** Unknown keys are most often misspelt, or belong to another program that reads the same file. */
const unknownKeys = (path: string, value: unknown, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  (Predicate.isRecord(value) ? Object.keys(value) : [])
    .filter((key) => !known.includes(key))
    .map((key) => {
      const similar = SimilarNames.find(key, known)[0]
      return `${path}.${key}: unknown key, ignored${similar === undefined ? "" : `; did you mean ${similar}?`}`
    })

const compatOf = (value: unknown): unknown => (Predicate.isRecord(value) ? value["compat"] : undefined)

export const decode = (document: unknown): ModelsFile => {
  const problems: Array<string> = []
  const read = <A>(
    path: string,
    value: unknown,
    decoded: Either.Either<A, ParseResult.ParseError>,
    known: ReadonlyArray<string>
  ): ReadonlyArray<A> => {
    if (!Predicate.isRecord(value)) {
      problems.push(`${path}: Expected an object`)
      return []
    }
    problems.push(
      ...unknownKeys(path, value, known),
      ...unknownKeys(`${path}.compat`, compatOf(value), Object.keys(compatFields))
    )
    if (Either.isRight(decoded)) return [decoded.right]
    problems.push(...explain(path, decoded.left))
    return []
  }
  const members = (path: string, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
    if (Predicate.isRecord(value)) return Object.entries(value)
    if (value !== undefined) problems.push(`${path}: Expected an object`)
    return []
  }
  const list = (path: string, value: unknown): ReadonlyArray<unknown> => {
    if (Array.isArray(value)) return value
    if (value !== undefined) problems.push(`${path}: Expected an array`)
    return []
  }
  const readProvider = (id: string, value: unknown): ReadonlyArray<CustomProvider> => {
    const path = `providers.${id}`
    const { modelOverrides, models, ...settings } = Predicate.isRecord(value) ? value : {}
    const own = Predicate.isRecord(value) ? settings : value
    return read(path, own, decodeProvider(own), Object.keys(providerFields)).map((decoded) => ({
      id,
      settings: decoded,
      models: list(`${path}.models`, models).flatMap((model, index) =>
        read(`${path}.models[${index}]`, model, decodeModel(model), Object.keys(modelFields))
      ),
      overrides: members(`${path}.modelOverrides`, modelOverrides).flatMap(([modelId, override]) =>
        read(`${path}.modelOverrides.${modelId}`, override, decodeOverride(override), Object.keys(overrideFields)).map(
          (fits) => [modelId, fits] as const
        )
      )
    }))
  }
  if (!Predicate.isRecord(document)) return { providers: [], problems: ['Expected an object with the key "providers"'] }
  const { providers: entries, ...rest } = document
  if (entries === undefined) problems.push('the key "providers" is missing')
  problems.push(...unknownKeys("top level", rest, ["providers", "$schema"]))
  const providers = members("providers", entries).flatMap(([id, value]) => readProvider(id, value))
  return { providers, problems }
}

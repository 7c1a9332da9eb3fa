/** Models and thinking levels (protocol.md 16.1, 16.2). */
import * as Schema from "effect/Schema"
import { described, optional } from "../conversation/Content.ts"
import { Tokens } from "./Usage.ts"

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export const ThinkingLevel = Schema.Literal(...thinkingLevels).annotations({
  identifier: "ThinkingLevel",
  description: "How long a model thinks before it answers."
})
export type ThinkingLevel = typeof ThinkingLevel.Type
const levels = new Set<string>(thinkingLevels)
export const isThinkingLevel = (value: unknown): value is ThinkingLevel =>
  typeof value === "string" && levels.has(value)

export const Model = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  api: described(Schema.String, "The wire format of the provider."),
  provider: Schema.String,
  baseUrl: Schema.String,
  reasoning: described(Schema.Boolean, "Whether the model can think."),
  input: Schema.Array(Schema.Literal("text", "image")),
  cost: described(Tokens, "USD per million tokens; 0 if unknown."),
  costUnknown: optional(
    Schema.Literal(true),
    "Nobody has said what the model costs. A free model has a `cost` of 0 without this."
  ),
  contextWindow: described(Schema.Finite, "How many tokens the model can read at once."),
  maxTokens: described(Schema.Finite, "The longest answer, in tokens."),
  thinkingLevelMap: optional(
    Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }),
    "What the provider is sent for a level; `null` means that the model does not have the level."
  )
}).annotations({ identifier: "Model", description: "A model of a provider." })
export type Model = typeof Model.Type

/** A model has `xhigh` and `max` only if its map names them. */
const supports = (model: Model, level: ThinkingLevel): boolean => {
  const mapped = model.thinkingLevelMap?.[level]
  if (mapped !== undefined) return mapped !== null
  return level !== "xhigh" && level !== "max"
}

export const supportedLevels = (model: Model | undefined): ReadonlyArray<ThinkingLevel> =>
  model?.reasoning === true ? thinkingLevels.filter((level) => supports(model, level)) : ["off"]

/** The level if the model has it, else the next higher one, else the next lower one. */
export const clampLevel = (model: Model | undefined, level: ThinkingLevel): ThinkingLevel => {
  const supported = supportedLevels(model)
  const wanted = thinkingLevels.indexOf(level)
  const higher = supported.find((candidate) => thinkingLevels.indexOf(candidate) >= wanted)
  return higher ?? supported[supported.length - 1] ?? "off"
}

/** The default request. */
export const defaultLevel: ThinkingLevel = "medium"

export const label = (model: Model): string => `${model.provider}/${model.id}`

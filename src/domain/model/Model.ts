/** Models and thinking levels (protocol.md 16.1, 16.2). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { Tokens } from "./Usage.ts"
import { lazy, type Type } from "../Lazy.ts"

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export const ThinkingLevel = Schema.Literal(...thinkingLevels).annotations({ identifier: "ThinkingLevel" })
export type ThinkingLevel = typeof ThinkingLevel.Type
const levels = new Set<string>(thinkingLevels)
export const isThinkingLevel = (value: unknown): value is ThinkingLevel =>
  typeof value === "string" && levels.has(value)

export const Model = lazy(() =>
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    api: Schema.String,
    provider: Schema.String,
    baseUrl: Schema.String,
    reasoning: Schema.Boolean,
    input: Schema.Array(Schema.Literal("text", "image")),
    cost: Tokens(),
    /** Nobody has said what the model costs: `cost` is 0 because it must be a number. A free model has a `cost` of 0 without this. */
    costUnknown: optional(Schema.Literal(true)),
    contextWindow: Schema.Finite,
    maxTokens: Schema.Finite,
    /** A string is sent to the provider for the level; null means that the model does not have the level. */
    thinkingLevelMap: optional(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }))
  }).annotations({ identifier: "Model" })
)
export type Model = Type<typeof Model>

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

/** What is asked for where nobody says anything else. */
export const defaultLevel: ThinkingLevel = "medium"

export const label = (model: Model): string => `${model.provider}/${model.id}`

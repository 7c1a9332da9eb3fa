/** Maps thinking levels to the parameters of each provider (protocol.md 16.2). */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import { clampLevel, type Model, type ThinkingLevel } from "../../../../domain/model/Model.ts"
import { defined } from "../../../../domain/Values.ts"
import { type SettingsValues, smallestThinkingBudget } from "../../../../services/Settings.ts"

/** Tokens to think with, for models that take a number. */
export type Budgets = (level: Exclude<ThinkingLevel, "off">) => number

export const budgets =
  (settings: SettingsValues): Budgets =>
  (level) =>
    settings[`thinkingBudgets.${level}`]

const efforts = ["low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof efforts)[number]

export type AnthropicThinking =
  | { readonly style: "none" }
  | { readonly style: "disabled" }
  | { readonly style: "adaptive"; readonly effort: Effort }
  | { readonly style: "budget"; readonly budget: number }

/** Claude models of generation 4.6 and later decide themselves how much to think. */
export const isAdaptive = (modelId: string): boolean => {
  const found = /claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(modelId)
  if (found === null) return /claude-mythos/.test(modelId)
  const [, major, minor = "0"] = found
  return Number(major) * 100 + Number(minor) >= 406 && Number(major) < 1000
}

export const anthropic = (model: Model, level: ThinkingLevel, budgetOf: Budgets): AnthropicThinking => {
  if (!model.reasoning) return { style: "none" }
  const wanted = clampLevel(model, level)
  if (wanted === "off") return { style: "disabled" }
  if (isAdaptive(model.id)) {
    const mapped = model.thinkingLevelMap?.[wanted] ?? (wanted === "minimal" ? "low" : wanted)
    return { style: "adaptive", effort: efforts.find((effort) => effort === mapped) ?? "high" }
  }
  const [limit, full] = [model.maxTokens, budgetOf(wanted)]
  const budget = limit > full ? full : Math.max(0, limit - smallestThinkingBudget)
  return budget < smallestThinkingBudget ? { style: "disabled" } : { style: "budget", budget }
}

const openAiEfforts = ["none", "minimal", ...efforts] as const
export type OpenAiEffort = (typeof openAiEfforts)[number]

/** The `effort` for OpenAI. Undefined when thinking is off, unless the model has a value for that, too. */
export const openAi = (model: Model, level: ThinkingLevel): string | undefined => {
  if (!model.reasoning) return undefined
  const wanted = clampLevel(model, level)
  return model.thinkingLevelMap?.[wanted] ?? (wanted === "off" ? undefined : wanted)
}

export const asOpenAiEffort = (effort: string | undefined): OpenAiEffort | undefined =>
  openAiEfforts.find((known) => known === effort)

/** The parameters for other chat servers (`Compat.thinkingFormat`). */
export const chat = (format: string, model: Model, level: ThinkingLevel): JsonObject => {
  if (!model.reasoning) return {}
  const effort = openAi(model, level)
  const on = effort !== undefined && effort !== "none"
  switch (format) {
    case "openrouter":
      return { reasoning: effort === undefined ? { effort: "none" } : { effort } }
    case "deepseek":
    case "zai":
      return { thinking: { type: on ? "enabled" : "disabled" } }
    case "qwen":
      return { enable_thinking: on }
    case "qwen-chat-template":
      return { chat_template_kwargs: { enable_thinking: on } }
    default:
      return defined({ reasoning_effort: effort })
  }
}

/**
 * Models that come with the program, by provider. The first of each is the default: the newest of middle size and price,
 * never the most expensive one where there are several. Limits in tokens, prices
 * in USD per million (input, output, cache read, cache write) of prompts without a surcharge for length.
 * Read from the vendors' model and price pages; each group says as of when. What could not be confirmed is left out.
 */
import type { Model } from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"

export type BuiltInModel = Pick<Model, "id" | "name" | "reasoning" | "input" | "cost" | "contextWindow" | "maxTokens"> &
  Partial<Pick<Model, "thinkingLevelMap" | "costUnknown">>

type Levels = NonNullable<Model["thinkingLevelMap"]>
type Prices = readonly [input: number, output: number, cacheRead: number, cacheWrite: number]
type Limits = readonly [contextWindow: number, maxTokens: number]

const text: Model["input"] = ["text"]
const images: Model["input"] = ["text", "image"]

const row = (
  id: string,
  name: string,
  [contextWindow, maxTokens]: Limits,
  [input, output, cacheRead, cacheWrite]: Prices,
  accepts: Model["input"],
  levels?: Levels
): BuiltInModel => ({
  id,
  name,
  reasoning: levels !== undefined,
  input: accepts,
  cost: { input, output, cacheRead, cacheWrite },
  contextWindow,
  maxTokens,
  ...defined({ thinkingLevelMap: levels })
})

/** The levels are sent as budgets or by their own names. */
const usual: Levels = {}
/** Effort of the Claude 5 generation. */
const claude: Levels = { minimal: "low", xhigh: "xhigh", max: "max" }
const claudeAlways: Levels = { ...claude, off: null }
/** Effort of the GPT-6 generation: `none` switches thinking off where the model can. */
const gpt: Levels = { off: "none", minimal: null, xhigh: "xhigh", max: "max" }
const gptAlways: Levels = { ...gpt, off: null }
const threeLevels: Levels = { off: null, minimal: null }
const highOrMax: Levels = { minimal: null, low: "low", medium: null, max: "max" }
const onOrOff: Levels = { off: "none", minimal: null, low: null, medium: null }

const million: Limits = [1_000_000, 128_000]
const gptMillion: Limits = [1_050_000, 128_000]
const geminiMillion: Limits = [1_048_576, 65_536]

/** As of 2026-11-16: platform.claude.com/docs/en/models. Cache writes are those of the 5-minute cache. */
const anthropic: ReadonlyArray<BuiltInModel> = [
  row("claude-sonnet-5-5", "Claude Sonnet 5.5", million, [2, 10, 0.1, 2.5], images, claudeAlways),
  row("claude-opus-5-5", "Claude Opus 5.5", million, [4, 20, 0.2, 5], images, claudeAlways),
  row("claude-haiku-5-5", "Claude Haiku 5.5", million, [0.1, 0.5, 0.01, 0.125], images, claude),
  row("claude-fable-5-1", "Claude Fable 5.1", million, [10, 50, 0.25, 12.5], images, claudeAlways),
  row("claude-opus-5", "Claude Opus 5", million, [5, 25, 0.5, 6.25], images, claude),
  row("claude-sonnet-5", "Claude Sonnet 5", million, [2, 10, 0.2, 2.5], images, claude),
  row("claude-haiku-4-5", "Claude Haiku 4.5", [200_000, 64_000], [1, 5, 0.1, 1.25], images, usual)
]

/** As of 2026-11-16: developers.openai.com/api/docs/models. Prices of prompts up to 272k tokens. */
const openai: ReadonlyArray<BuiltInModel> = [
  row("gpt-6.1-sol", "GPT-6.1 Sol", gptMillion, [2, 10, 0.1, 2.5], images, gptAlways),
  row("gpt-6-astra", "GPT-6 Astra", gptMillion, [10, 50, 1, 12.5], images, gptAlways),
  row("gpt-6.1-terra", "GPT-6.1 Terra", gptMillion, [1, 5, 0.05, 1.25], images, gpt),
  row("gpt-6-sol", "GPT-6 Sol", gptMillion, [2, 10, 0.2, 2.5], images, gpt),
  row("gpt-6-luna", "GPT-6 Luna", gptMillion, [0.1, 0.5, 0.01, 0.125], images, gpt)
]

/** As of 2026-10-07: ai.google.dev/gemini-api/docs/pricing. The price of 3.8 Flash holds until the end of 2026. */
const google: ReadonlyArray<BuiltInModel> = [
  row("gemini-3.8-flash", "Gemini 3.8 Flash", geminiMillion, [0.75, 3.75, 0.075, 0], images, threeLevels),
  row("gemini-3.1-pro-preview", "Gemini 3.1 Pro (preview)", geminiMillion, [2, 12, 0.2, 0], images, threeLevels),
  row("gemini-2.5-pro", "Gemini 2.5 Pro", geminiMillion, [1.25, 10, 0.125, 0], images, threeLevels),
  row("gemini-2.5-flash", "Gemini 2.5 Flash", geminiMillion, [0.3, 2.5, 0.03, 0], images, {
    off: "none",
    minimal: null
  })
]

/** As of 2026-09-21: docs.x.ai/developers/models. Prices of prompts up to 200k tokens.
 * No limit of output is stated for Grok 4.7; this one is ours. */
const xai: ReadonlyArray<BuiltInModel> = [
  row("grok-4.7", "Grok 4.7", [500_000, 64_000], [2, 6, 0.5, 0], images, { ...threeLevels, xhigh: "xhigh" }),
  row("grok-4.3", "Grok 4.3", [1_000_000, 30_000], [1.25, 2.5, 0.2, 0], images, threeLevels)
]

/** As of 2026-10-17: api-docs.deepseek.com/quick_start/pricing, outside of peak hours (twice as much in them). */
const deepseek: ReadonlyArray<BuiltInModel> = [
  row("deepseek-v4-pro", "DeepSeek V4 Pro", [1_000_000, 384_000], [0.66, 1.98, 0.022, 0], text, highOrMax),
  row("deepseek-flash", "DeepSeek V4.1 Flash", [1_000_000, 384_000], [0.15, 0.6, 0.003, 0], images, highOrMax)
]

/** As of 2026-10-06: docs.mistral.ai/models. The price of Large 4 is its list price; the preview costs half of it. */
const mistral: ReadonlyArray<BuiltInModel> = [
  row("mistral-large-4", "Mistral Large 4", [524_288, 262_144], [1.36, 4.18, 0.14, 0], images, onOrOff)
]

/** As of 2026-11-16, at the vendors' own prices. OpenRouter has hundreds more: name any of them with --model. */
const openrouter: ReadonlyArray<BuiltInModel> = [
  row("anthropic/claude-sonnet-5.5", "Claude Sonnet 5.5", million, [2, 10, 0.1, 2.5], images, claudeAlways),
  row("anthropic/claude-opus-5.5", "Claude Opus 5.5", million, [4, 20, 0.2, 5], images, claudeAlways),
  row("openai/gpt-6.1-sol", "GPT-6.1 Sol", gptMillion, [2, 10, 0.1, 2.5], images, gptAlways),
  row("openai/gpt-6.1-terra", "GPT-6.1 Terra", gptMillion, [1, 5, 0.05, 1.25], images, gpt),
  row("google/gemini-3.8-flash", "Gemini 3.8 Flash", geminiMillion, [0.75, 3.75, 0.075, 0], images, threeLevels)
]

/** As of 2026-08-29: console.groq.com/docs/models. */
const groq: ReadonlyArray<BuiltInModel> = [
  row("openai/gpt-oss-120b", "GPT-OSS 120B", [131_072, 65_536], [0.15, 0.6, 0.075, 0], text, threeLevels),
  row("openai/gpt-oss-20b", "GPT-OSS 20B", [131_072, 65_536], [0.075, 0.3, 0.0375, 0], text, threeLevels),
  row("llama-3.3-70b-versatile", "Llama 3.3 70B", [131_072, 32_768], [0.59, 0.79, 0, 0], text)
]

/** As of 2026-10: inference-docs.cerebras.ai/models. */
const cerebras: ReadonlyArray<BuiltInModel> = [
  row("gpt-oss-120b", "GPT-OSS 120B", [131_072, 32_768], [0.35, 0.75, 0, 0], text, threeLevels)
]

/** As of 2026-09-23: api.together.xyz/v1/models. */
const together: ReadonlyArray<BuiltInModel> = [
  row("zai-org/GLM-5.3", "GLM 5.3", [1_048_575, 262_144], [1.4, 4.4, 0.26, 0], text, { ...highOrMax, off: null })
]

/** As of 2026-09-26: docs.fireworks.ai/serverless/pricing. */
const fireworks: ReadonlyArray<BuiltInModel> = [
  row("accounts/fireworks/models/glm-5p3", "GLM 5.3", [1_048_573, 262_144], [1.4, 4.4, 0.26, 0], text, {
    ...highOrMax,
    off: null
  }),
  row(
    "accounts/fireworks/models/deepseek-v4-pro-0813",
    "DeepSeek V4 Pro 0813",
    [1_048_576, 384_000],
    [1.32, 3.96, 0.044, 0],
    text,
    highOrMax
  )
]

export const builtInModels: Readonly<Record<string, ReadonlyArray<BuiltInModel>>> = {
  anthropic,
  openai,
  google,
  xai,
  deepseek,
  mistral,
  openrouter,
  groq,
  cerebras,
  together,
  fireworks
}

/** The providers that come with the program. The first one with a key gives the initial model, so order matters. */
import type { Compat } from "../providers/Protocol.ts"
import type { Endpoint } from "./ProviderEntry.ts"

/** The flags that most servers which imitate OpenAI's chat completions share. */
const chat: Compat = { supportsStore: false, supportsDeveloperRole: false, maxTokensField: "max_tokens" }

const hosted = (id: string, baseUrl: string, more: Partial<Endpoint> = {}): Endpoint => ({
  id,
  baseUrl,
  api: "openai-completions",
  keyless: false,
  open: false,
  compat: chat,
  addressVariables: [],
  ...more
})

/** A server on this machine: its models come from models.json, from discovery, or are named with --model. */
const local = (id: string, port: number, addressVariables: ReadonlyArray<string> = []): Endpoint =>
  hosted(id, `http://127.0.0.1:${port}/v1`, {
    keyless: true,
    open: true,
    compat: { ...chat, supportsReasoningEffort: false, supportsStrictMode: false },
    addressVariables
  })

export const builtInProviders: ReadonlyArray<Endpoint> = [
  hosted("anthropic", "https://api.anthropic.com", {
    api: "anthropic-messages",
    compat: {},
    addressVariables: ["ANTHROPIC_BASE_URL"]
  }),
  hosted("openai", "https://api.openai.com/v1", {
    api: "openai-responses",
    compat: {},
    addressVariables: ["OPENAI_BASE_URL"]
  }),
  hosted("google", "https://generativelanguage.googleapis.com/v1beta/openai", {
    compat: { ...chat, supportsStrictMode: false }
  }),
  hosted("xai", "https://api.x.ai/v1"),
  hosted("deepseek", "https://api.deepseek.com", { compat: { ...chat, thinkingFormat: "deepseek" } }),
  hosted("mistral", "https://api.mistral.ai/v1", {
    compat: { ...chat, requiresToolResultName: true, requiresThinkingAsText: true }
  }),
  hosted("openrouter", "https://openrouter.ai/api/v1", {
    open: true,
    compat: { ...chat, thinkingFormat: "openrouter" }
  }),
  hosted("groq", "https://api.groq.com/openai/v1"),
  hosted("cerebras", "https://api.cerebras.ai/v1"),
  hosted("together", "https://api.together.xyz/v1", { open: true }),
  hosted("fireworks", "https://api.fireworks.ai/inference/v1", { open: true }),
  hosted("zai", "https://api.z.ai/api/paas/v4", { open: true }),
  hosted("huggingface", "https://router.huggingface.co/v1", { open: true }),
  hosted("vercel-ai-gateway", "https://ai-gateway.vercel.sh/v1", { open: true }),
  // Each Azure resource has its own address, and its owner chooses the names of deployments.
  hosted("azure-openai", "", {
    api: "openai-responses",
    open: true,
    compat: {},
    addressVariables: ["AZURE_OPENAI_BASE_URL"]
  }),
  local("ollama", 11434),
  local("lm-studio", 1234),
  local("vllm", 8000),
  local("llama.cpp", 8080)
]

/** The environment variables that hold the keys of each provider, preferred ones first (protocol.md 16.3). */

const variables: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["anthropic", ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"]],
  ["openai", ["OPENAI_API_KEY"]],
  ["google", ["GEMINI_API_KEY"]],
  ["openrouter", ["OPENROUTER_API_KEY"]],
  ["groq", ["GROQ_API_KEY"]],
  ["cerebras", ["CEREBRAS_API_KEY"]],
  ["xai", ["XAI_API_KEY"]],
  ["mistral", ["MISTRAL_API_KEY"]],
  ["deepseek", ["DEEPSEEK_API_KEY"]],
  ["zai", ["ZAI_API_KEY"]],
  ["together", ["TOGETHER_API_KEY"]],
  ["fireworks", ["FIREWORKS_API_KEY"]],
  ["huggingface", ["HF_TOKEN"]],
  ["azure-openai", ["AZURE_OPENAI_API_KEY"]],
  ["vercel-ai-gateway", ["AI_GATEWAY_API_KEY"]]
])

export const keyVariables = (provider: string): ReadonlyArray<string> => variables.get(provider) ?? []

export const keyVariableNames: ReadonlyArray<string> = [...variables.values()].flat()

/** Tells the user how to set a key. It names the last variable, which is the usual one. */
export const keyAdvice = (provider: string): string => {
  const variable = keyVariables(provider).at(-1)
  return variable === undefined
    ? `Give it an apiKey in models.json, or run: heddle auth set ${provider}`
    : `Set ${variable}, or run: heddle auth set ${provider}`
}

/**
 * Which reason an error has: by the provider's code first, then by HTTP status, then by the transport, and only for
 * opaque answers by whole words of their text (protocol.md 8).
 */
import type { ModelFailureReason } from "../../../../services/model/ModelClient.ts"
import type { ErrorFacts } from "./ErrorFacts.ts"

const kinds: Readonly<Record<string, ModelFailureReason>> = {
  context_length_exceeded: "context_overflow",
  model_context_window_exceeded: "context_overflow",
  request_too_large: "context_overflow",
  insufficient_quota: "quota",
  billing_error: "quota",
  billing_hard_limit_reached: "quota",
  billing_not_active: "quota",
  usage_limit_reached: "quota",
  enforced_spend_limit_reached: "quota",
  insufficient_balance: "quota",
  overloaded_error: "overloaded",
  overloaded: "overloaded",
  engine_overloaded: "overloaded",
  unavailable: "overloaded",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  ramp_limit_exceeded: "rate_limit",
  resource_exhausted: "rate_limit",
  requests: "rate_limit",
  tokens: "rate_limit",
  authentication_error: "authentication",
  invalid_api_key: "authentication",
  permission_error: "authentication",
  permission_denied: "authentication",
  not_found_error: "not_found",
  model_not_found: "not_found",
  deployment_not_found: "not_found",
  timeout_error: "timeout",
  deadline_exceeded: "timeout",
  api_error: "server",
  server_error: "server",
  internal_server_error: "server",
  content_filter: "refusal",
  content_policy_violation: "refusal",
  bio_policy: "refusal",
  misalignment_policy_violation: "refusal"
}

const overflow = [
  /prompt is too long/i, // Anthropic
  /input is too long/i, // Bedrock
  /exceeds? the (maximum )?context (window|length)/i, // OpenAI, Ollama
  /maximum context length (is|of) \d+/i, // OpenAI-compatible servers, OpenRouter
  /input token count.*exceeds the maximum/i, // Gemini
  /maximum prompt length is \d+/i, // xAI
  /reduce the length of the messages/i, // Groq
  /exceeds the available context size/i, // llama.cpp
  /greater than the context length/i, // LM Studio
  /context (window|length) (was |is )?exceeded/i,
  /too large for model with \d+ maximum context length/i, // Mistral
  /input length and `?max_tokens`? exceed context limit/i
]
const exhausted = /\b(credit balance is too low|exceeded your current quota|insufficient (quota|balance|credits))\b/i

const words: ReadonlyArray<readonly [RegExp, ModelFailureReason]> = [
  [/\b(overloaded|service unavailable|temporarily unavailable|at capacity)\b/i, "overloaded"],
  [/\b(rate.?limit(ed|s)?|too many requests)\b/i, "rate_limit"],
  [/\b(invalid api key|incorrect api key|unauthorized)\b/i, "authentication"],
  [/\b(gateway time-?out|request timed out|read timeout)\b/i, "timeout"],
  [/\b(internal server error|bad gateway|upstream (connect )?error)\b/i, "server"],
  [/\b(connection (reset|closed|refused)|socket hang up|network error)\b/i, "connection"]
]

const ofStatus = (status: number): ModelFailureReason => {
  if (status === 401 || status === 403 || status === 407) return "authentication"
  if (status === 402) return "quota"
  if (status === 404) return "not_found"
  if (status === 408) return "timeout"
  // A lock that another request holds.
  if (status === 409) return "server"
  if (status === 413) return "context_overflow"
  if (status === 429) return "rate_limit"
  if (status === 503 || status === 529) return "overloaded"
  return status >= 500 ? "server" : "invalid_request"
}

const certificate = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|EPROTO/

const ofTransport = (code: string): ModelFailureReason => {
  if (code === "ETIMEDOUT") return "timeout"
  if (code === "ERR_INVALID_URL" || code === "ERR_REDIRECT" || certificate.test(code)) return "configuration"
  if (code === "ERR_HTTP_STATUS") return "protocol"
  return "connection"
}

const byCode = (facts: ErrorFacts): ModelFailureReason | undefined => {
  for (const kind of facts.kinds) {
    const reason = kinds[kind]
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Whether the status blames the request. Only then can the text mean an overflow of the context. */
const blamesRequest = ({ status }: ErrorFacts) => status === undefined || (status < 500 && status !== 429)

/** A quota that is renewed within this time counts as a rate limit. */
const shortHintMs = 60_000

export const classify = (facts: ErrorFacts, retryAfterMs?: number): ModelFailureReason => {
  const coded = byCode(facts)
  if (coded === "context_overflow") return coded
  if (blamesRequest(facts) && overflow.some((pattern) => pattern.test(facts.text))) return "context_overflow"
  if (coded === "quota" || exhausted.test(facts.text)) {
    return facts.status === 429 && retryAfterMs !== undefined && retryAfterMs <= shortHintMs ? "rate_limit" : "quota"
  }
  // Gateways report every error as a server error; a status that blames the request is more exact.
  const isVague = coded === "server" && facts.status !== undefined && facts.status < 500
  if (coded !== undefined && !isVague) return coded
  if (facts.status !== undefined) return ofStatus(facts.status)
  if (facts.transport !== undefined) return ofTransport(facts.transport)
  return words.find(([pattern]) => pattern.test(facts.text))?.[1] ?? "protocol"
}

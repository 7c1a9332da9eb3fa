/** Turns every error of a call into a `ModelFailure`: a reason for the program, a text for people. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hidden } from "../../../../domain/model/BaseUrl.ts"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import { ModelFailure, type ModelFailureReason, type ModelRequest } from "../../../../services/model/ModelClient.ts"
import { AnswerTooLarge } from "../../../machine/http/SafeFetch.ts"
import type { SourceFailed } from "../../../machine/engine/Source.ts"
import type { Connection } from "../../providers/Protocol.ts"
import type { Stop } from "../stream/Machine.ts"
import { SdkMissing } from "../stream/SdkClients.ts"
import * as Watchdog from "../stream/Watchdog.ts"
import { classify } from "./Classify.ts"
import * as ErrorFacts from "./ErrorFacts.ts"
import { retryAfterMs } from "./RetryHints.ts"
import * as WebPage from "./WebPage.ts"

/** Name and password in an address. */
const userInfo = /\/\/[^/\s?#]+@/g

/** Patterns of keys, because a server may quote part of our key, or another key. */
const keyLike = [
  /\b(sk|pk|rk|gsk|xai|csk|hf|key|tok|AIza)[-_][A-Za-z0-9_\-.*]{5,}[A-Za-z0-9*]/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{5,}[A-Za-z0-9=]/gi,
  /\b[A-Za-z0-9]{3,}\*{4,}[A-Za-z0-9]*/g
]

/** Shorter values would also remove common words. */
const shortest = 6

/** Removes keys from text that people see. */
const redact = (text: string, connection: Connection): string => {
  const values = [...Option.toArray(connection.apiKey), ...Object.values(connection.headers)].map(Redacted.value)
  let clean = text.replaceAll(userInfo, `//${hidden}@`)
  for (const value of values) if (value.length >= shortest) clean = clean.replaceAll(value, hidden)
  for (const pattern of keyLike) clean = clean.replaceAll(pattern, hidden)
  return clean
}

export type Input = SourceFailed | Watchdog.Expired | Stop

export interface Context {
  readonly request: ModelRequest
  readonly connection: Connection
  readonly contentType: string
  readonly silent: boolean
  /** Hides every secret that heddle knows. */
  readonly mask: (text: string) => string
  readonly now: number
}

interface Found {
  readonly reason: ModelFailureReason
  readonly message: string
  readonly httpStatus?: number
  readonly retryAfterMs?: number
}

const longest = 2000

const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

const advice = (reason: ModelFailureReason, context: Context): string => {
  const { baseUrl, id, provider } = context.request.model
  switch (reason) {
    case "authentication":
      return `Check the API key of ${provider}: \`heddle auth list\` shows where it comes from.`
    case "quota":
      return `Check the plan and the billing of ${provider}, or choose another model.`
    case "not_found":
      return `Check the model id ${id} and the base URL ${baseUrl}.`
    default:
      return ""
  }
}

const connectionText = (facts: ErrorFacts.ErrorFacts, reason: ModelFailureReason, context: Context): string => {
  const { baseUrl, provider } = context.request.model
  if (!context.silent) return `The connection to ${provider} broke off: ${facts.text}`
  return reason === "configuration"
    ? `Cannot use the base URL ${baseUrl} of ${provider}: ${facts.text}`
    : `Cannot reach ${provider} at ${baseUrl}: ${facts.text}`
}

const pageText = (status: number | undefined, page: string, { connection, request }: Context): string => {
  const { baseUrl, provider } = request.model
  const shown = page === "" ? "" : ` ("${page}")`
  return status !== undefined && status >= 500
    ? `${provider} answered ${status} with a web page${shown}: a gateway in front of ${baseUrl} failed.`
    : `${provider} answered with a web page${shown} instead of the API${status === undefined ? "" : ` (${status})`}: ` +
        `the base URL ${baseUrl} is probably wrong. Change ${connection.addressPlaces}.`
}

const ofFacts = (facts: ErrorFacts.ErrorFacts, context: Context): Found => {
  const { provider } = context.request.model
  const hint = retryAfterMs(facts.header, context.now)
  const reason = classify(facts, hint)
  const rest = defined({ httpStatus: facts.status, retryAfterMs: hint })
  if (facts.status !== undefined && WebPage.isPage(facts.text, facts.header("content-type") ?? "")) {
    const wrongAddress = reason === "invalid_request" || reason === "not_found"
    const message = pageText(facts.status, WebPage.summary(facts.text), context)
    return { reason: wrongAddress ? "configuration" : reason, message, ...rest }
  }
  if (facts.transport !== undefined && facts.status === undefined)
    return { reason, message: connectionText(facts, reason, context), ...rest }
  const status = facts.status === undefined ? "" : ` (${facts.status})`
  const head = reason === "authentication" ? `Authentication failed for ${provider}${status}` : `${provider}${status}`
  return { reason, message: `${head}: ${sentence(facts.text)} ${advice(reason, context)}`.trim(), ...rest }
}

const ofSilence = (context: Context): Found | undefined => {
  const { baseUrl, provider } = context.request.model
  const type = context.contentType.split(";")[0]?.trim() ?? ""
  if (!context.silent || type === "" || type === "text/event-stream") return undefined
  if (type === "text/html") return { reason: "configuration", message: pageText(undefined, "", context) }
  return {
    reason: "protocol",
    message: `${provider} answered with ${type} instead of a stream of events: the server at ${baseUrl} does not speak ${context.request.model.api}.`
  }
}

const tooLarge = {
  answer: "in one answer, so heddle stopped reading. The setting providers.maxAnswerBytes allows more.",
  event: "without a complete event, so heddle stopped reading."
} as const

const ofSource = ({ cause, stage }: SourceFailed, context: Context): Found => {
  const { provider } = context.request.model
  if (cause instanceof AnswerTooLarge)
    return {
      reason: "protocol",
      message: `${provider} sent more than ${cause.limit} bytes ${tooLarge[cause.what]}`
    }
  if (cause instanceof SdkMissing) return { reason: "configuration", message: cause.message }
  if (stage !== "take") return ofFacts(ErrorFacts.fromThrown(cause), context)
  return { reason: "protocol", message: `${provider} sent an event of unknown form: ${String(cause)}` }
}

const find = (input: Input, context: Context): Found => {
  const { provider } = context.request.model
  if ("deadline" in input) return { reason: "timeout", message: `${provider} ${Watchdog.describe(input)}` }
  if ("stage" in input) return ofSource(input, context)
  if ("error" in input) return ofFacts(ErrorFacts.fromBody(input.error), context)
  if (input.reason === "stream_ended")
    return ofSilence(context) ?? { reason: input.reason, message: `${provider}: ${input.message}` }
  return input
}

export const make = (input: Input, context: Context): ModelFailure => {
  const found = find(input, context)
  const clean = redact(context.mask(found.message), context.connection)
  const { id, provider } = context.request.model
  return new ModelFailure({
    ...found,
    message: Text.clip(clean, longest),
    provider,
    model: id
  })
}

/** Reads the fields of an SDK error, not its class: the SDKs' classes differ, their fields hardly do. */
import * as Predicate from "effect/Predicate"
import { defined } from "../../../../domain/Values.ts"

export interface ErrorFacts {
  readonly status?: number
  /** The provider's error codes: `code`, `type`, Anthropic's error type. */
  readonly kinds: ReadonlyArray<string>
  readonly text: string
  readonly header: (name: string) => string | undefined
  /** The error code of the system or of the TLS library. */
  readonly transport?: string
}

const field = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const noHeader = () => undefined

/** More than anybody reads. The patterns that look at a text take longer the longer it is, some by its square. */
const longestText = 8192

/** Anthropic wraps its body in `error`, OpenAI's SDK has unwrapped it already, proxies do either. */
const unwrap = (body: unknown): unknown => (Predicate.isRecord(field(body, "error")) ? field(body, "error") : body)

const statusLike = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 400 && value < 600 ? value : undefined

const kindsOf = (body: unknown): ReadonlyArray<string> =>
  [
    field(body, "code"),
    field(body, "type"),
    field(body, "status"),
    field(field(body, "details"), "error_code")
  ].flatMap((kind) => textOf(kind)?.toLowerCase() ?? [])

const headersOf = (error: unknown): ErrorFacts["header"] => {
  const headers = field(error, "headers")
  return headers instanceof Headers ? (name) => headers.get(name) ?? undefined : noHeader
}

/** The innermost cause holds the error of the socket. */
const transportOf = (error: unknown, depth = 0): string | undefined => {
  if (depth > 4 || !Predicate.isObject(error)) return undefined
  const deeper = transportOf(field(error, "cause"), depth + 1)
  if (deeper !== undefined) return deeper
  if (field(error, "name") === "TimeoutError") return "ETIMEDOUT"
  return /^[A-Z][A-Z0-9_]+$/.test(String(field(error, "code"))) ? String(field(error, "code")) : undefined
}

const deepestMessage = (error: unknown, depth = 0): string | undefined =>
  depth > 4 || !Predicate.isObject(error)
    ? undefined
    : (deepestMessage(field(error, "cause"), depth + 1) ?? textOf(field(error, "message")))

/** Bun's names for what is wrong with an answer, in words. */
const bunWords: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(Zlib|Brotli|Zstd)\w*Error$/i, "the answer cannot be decompressed"],
  [/^(Malformed_HTTP_Response|InvalidHTTPResponse|InvalidContentLength)$/, "the answer is not HTTP"],
  [/^ResponseHeadersTooLarge$/, "the answer has too many headers"]
]

const inWords = (text: string) => bunWords.find(([pattern]) => pattern.test(text))?.[1] ?? text

/**
 * Removes the status that SDKs put in front of the text, which `Failures` adds itself, and what Bun puts behind it: the
 * address, which may hold a password, and advice for programmers.
 */
const essence = (text: string) =>
  inWords(
    text
      .replace(/^[45]\d\d /, "")
      .replace(/( fetching "[^"]*")?\.? For more information, pass `verbose.*$/, "")
      .trim()
  )

const ofBody = (body: unknown, rest: Omit<ErrorFacts, "kinds" | "text">, fallback: string): ErrorFacts => {
  const inner = unwrap(body)
  const message = textOf(field(inner, "message")) ?? textOf(inner) ?? textOf(field(body, "detail"))
  const status = rest.status ?? statusLike(field(inner, "code")) ?? statusLike(field(inner, "status"))
  return {
    ...rest,
    ...defined({ status }),
    kinds: kindsOf(inner),
    text: (message ?? essence(fallback)).slice(0, longestText)
  }
}

/** An error that came as an event of the stream. */
export const fromBody = (body: unknown): ErrorFacts =>
  ofBody(body, { header: noHeader }, "The server reported an error without saying which")

/** An error that an SDK threw. */
export const fromThrown = (error: unknown): ErrorFacts => {
  const status = statusLike(field(error, "status"))
  const transport = status === undefined ? transportOf(error) : undefined
  const rest = { ...defined({ status, transport }), header: headersOf(error) }
  return ofBody(field(error, "error"), rest, deepestMessage(error) ?? String(error))
}

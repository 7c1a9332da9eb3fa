/**
 * The policy of all requests, as a `fetch`: that is the form in which the SDKs take it. A server decides about nothing but
 * its answer: a redirect takes keys and prompts to no other origin, and no body is read without a bound.
 */
import * as Data from "effect/Data"

export type Fetch = (address: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Kept of the body of an error. The rest is not read. */
export const errorBodyBytes = 64 * 1024

/** Enough for a server that corrects slashes and versions in a path. */
const mostRedirects = 3

/** `code` is read like the error codes of sockets. */
export class RedirectRefused extends Data.TaggedError("RedirectRefused")<{ readonly reason: string }> {
  readonly code = "ERR_REDIRECT"
  override get message() {
    return this.reason
  }
}

export class UnknownStatus extends Data.TaggedError("UnknownStatus")<{ readonly status: number }> {
  readonly code = "ERR_HTTP_STATUS"
  override get message() {
    return `the server answered with the status ${this.status}, which no API uses`
  }
}

export class AnswerTooLarge extends Data.TaggedError("AnswerTooLarge")<{
  readonly limit: number
  readonly what: "answer" | "event"
}> {
  override get message() {
    return `the ${this.what} is larger than ${this.limit} bytes`
  }
}

/**
 * Reads until `take` has had enough, and then lets go of the connection. Counting what comes out is enough against
 * compressed bodies: fetch inflates in small steps, and only while the body is read.
 */
export const readBody = async (response: Response, take: (piece: Uint8Array) => boolean): Promise<void> => {
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const piece = await reader.read()
    if (piece.done) return
    if (!take(piece.value)) return reader.cancel()
  }
}

const decode = (pieces: ReadonlyArray<Uint8Array>) => new TextDecoder().decode(Buffer.concat(pieces))

/** Fails with `AnswerTooLarge`. */
export const readText = async (response: Response, limit: number): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  await readBody(response, (piece) => {
    size += piece.length
    pieces.push(piece)
    return size <= limit
  })
  if (size > limit) throw new AnswerTooLarge({ limit, what: "answer" })
  return decode(pieces)
}

const cutError = async (response: Response): Promise<Response> => {
  const { headers, status, statusText } = response
  const pieces: Array<Uint8Array> = []
  let left = errorBodyBytes
  await readBody(response, (piece) => {
    pieces.push(piece.subarray(0, left))
    left -= piece.length
    return left > 0
  })
  return new Response(decode(pieces), { headers, status, statusText })
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/** Bun sends name and password of an address along; a same-origin redirect need not repeat them. */
const withCredentials = (to: URL, from: URL): URL => {
  to.username = from.username
  to.password = from.password
  return to
}

/** Addresses such as `file:` have no origin. */
const nameOf = ({ origin, protocol }: URL) => (origin === "null" ? protocol : origin)

const redirectTarget = (from: URL, response: Response, method: string): URL => {
  const location = response.headers.get("location") ?? ""
  const to = URL.parse(location, from.href)
  const refuse = (reason: string) => new RedirectRefused({ reason })
  if (location === "" || to === null) throw refuse(`${from.origin} redirects to no address`)
  if (to.origin !== from.origin) {
    throw refuse(
      `${from.origin} redirects to another origin, ${nameOf(to)}. Nothing was sent there; if it is right, set it as the base URL`
    )
  }
  if (method !== "GET" && response.status < 307) {
    throw refuse(`${from.origin} redirects to ${to.pathname} with status ${response.status}, which drops the request`)
  }
  return withCredentials(to, from)
}

const send = async (over: Fetch, address: string, init: RequestInit, redirectsLeft: number): Promise<Response> => {
  const response = await over(address, { ...init, redirect: "manual" })
  if (response.ok) return response
  const { status } = response
  if (isRedirect(status)) {
    await response.body?.cancel()
    const from = new URL(address)
    const to = redirectTarget(from, response, (init.method ?? "GET").toUpperCase())
    if (redirectsLeft === 0) throw new RedirectRefused({ reason: `${from.origin} redirects again and again` })
    return send(over, to.href, init, redirectsLeft - 1)
  }
  if (status >= 400 && status < 600) return cutError(response)
  await response.body?.cancel()
  throw new UnknownStatus({ status })
}

/**
 * Rejects with `RedirectRefused` or `UnknownStatus`. The body of an error is short; that of an answer is the caller's to
 * bound. Both SDKs give everything but the address in `init`, whatever their types allow.
 */
export const make =
  (over: Fetch): Fetch =>
  (address, init = {}) =>
    send(over, address instanceof Request ? address.url : String(address), init, mostRedirects)

export const safeFetch = make((address, init) => fetch(address, init))

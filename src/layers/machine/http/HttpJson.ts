/** One small GET whose answer is JSON. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Http from "./Http.ts"
import { AnswerTooLarge, type Fetch, readText, RedirectRefused } from "./SafeFetch.ts"

/** The reason completes "the server …" and repeats nothing of what it sent. */
export class HttpFailed extends Data.TaggedError("HttpFailed")<{ readonly reason: string }> {}

const largest = 8 * 1024 * 1024

const failed = (reason: string) => new HttpFailed({ reason })

const reasonOf = (cause: unknown): HttpFailed => {
  if (cause instanceof AnswerTooLarge) return failed("answered with more than 8 MB")
  return failed(cause instanceof RedirectRefused ? `cannot be used: ${cause.message}` : "cannot be reached")
}

const ask = (fetch: Fetch, address: string, headers: Readonly<Record<string, string>>) =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(address, { headers: { accept: "application/json", ...headers }, signal })
      return { status: answer.status, ok: answer.ok, text: answer.ok ? await readText(answer, largest) : "" }
    },
    catch: reasonOf
  })

export const get = (address: string, headers: Readonly<Record<string, string>>): Effect.Effect<unknown, HttpFailed> =>
  Http.fetch.pipe(
    Effect.flatMap((fetch) => ask(fetch, address, headers)),
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }) => failed(`answered with status ${status}`)
    ),
    Effect.flatMap(({ text }) =>
      Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: () => failed("did not answer with JSON")
      })
    )
  )

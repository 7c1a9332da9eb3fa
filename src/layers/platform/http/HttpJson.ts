/** One small GET whose answer is JSON. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The reason completes "the server …" and repeats nothing of what it sent. */
export class HttpFailed extends Data.TaggedError("HttpFailed")<{ readonly reason: string }> {}

const largest = 8 * 1024 * 1024

const failed = (reason: string) => new HttpFailed({ reason })

export const get = (address: string, headers: Readonly<Record<string, string>>): Effect.Effect<unknown, HttpFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(address, { headers: { accept: "application/json", ...headers }, signal })
      return { status: answer.status, ok: answer.ok, text: answer.ok ? await answer.text() : "" }
    },
    catch: () => failed("cannot be reached")
  }).pipe(
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }) => failed(`answered with status ${status}`)
    ),
    Effect.filterOrFail(
      ({ text }) => text.length <= largest,
      () => failed("answered with more than 8 MB")
    ),
    Effect.flatMap(({ text }) =>
      Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: () => failed("did not answer with JSON")
      })
    )
  )

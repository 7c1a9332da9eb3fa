/** An `HttpClient` as a `fetch`, because the SDKs know no other form. */
import { RequestInit as FetchOptions } from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { Fetch } from "./SafeFetch.ts"

/** heddle gets lists of models, and posts text. */
const requestOf = (address: string, init: RequestInit) => {
  const headers = Object.fromEntries(new Headers(init.headers))
  if (typeof init.body !== "string") return HttpClientRequest.get(address, { headers })
  return HttpClientRequest.post(address, { headers, body: HttpBody.text(init.body, headers["content-type"]) })
}

/** A response has no body with these. */
const withoutBody = new Set([101, 204, 205, 304])

const isAborted = (signal: AbortSignal) =>
  Effect.async<void>((resume) => {
    const stop = () => resume(Effect.void)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
  })

/** The signal ends the body, too: a client ties its connection to the reading. */
const responseOf = (
  { headers, status, stream }: HttpClientResponse,
  signal: AbortSignal,
  run: Runtime.Runtime<never>
) =>
  new Response(
    withoutBody.has(status)
      ? null
      : Stream.toReadableStreamRuntime(Stream.interruptWhen(stream, isAborted(signal)), run),
    { headers, status }
  )

/** The policy looks at redirects itself, and deadlines are its users'. */
const options = { redirect: "manual", timeout: false } as const

export const make = (client: HttpClient.HttpClient): Effect.Effect<Fetch> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = Runtime.runPromise(runtime)
    const fetch: Fetch = async (address, init = {}) => {
      const signal = init.signal ?? new AbortController().signal
      const asked = client.execute(requestOf(String(address), init)).pipe(
        Effect.map((answer) => responseOf(answer, signal, runtime)),
        Effect.provideService(FetchOptions, options),
        Effect.either
      )
      const answer = await run(asked, { signal })
      if (Either.isRight(answer)) return answer.right
      // What went wrong below says more: that a connection was refused, for example.
      throw answer.left.cause ?? answer.left
    }
    return fetch
  })

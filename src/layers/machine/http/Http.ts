/** What heddle sends its requests with: one policy, over the `HttpClient` that a program provides or over the engine's own fetch. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SafeFetch from "./SafeFetch.ts"

/** Effect's own tag. Its package is not loaded for it: a program that provides a client has it. */
const Client = Context.GenericTag<HttpClient.HttpClient>("@effect/platform/HttpClient")

export const fetch: Effect.Effect<SafeFetch.Fetch> = Effect.flatMap(
  Effect.serviceOption(Client),
  Option.match({
    onNone: () => Effect.succeed(SafeFetch.safeFetch),
    onSome: (client) =>
      Effect.promise(() => import("./ClientFetch.ts")).pipe(
        Effect.flatMap(({ make }) => make(client)),
        Effect.map(SafeFetch.make)
      )
  })
)

/** Stands for Extensions.ts in the build for Node (scripts/buildLib.ts), which lacks the means to load extensions. */
import * as Effect from "effect/Effect"
import { Declared } from "../workspace/settings/Declared.ts"
import * as Discovery from "./discovery/Discovery.ts"
import * as Required from "./Required.ts"
import type { Extensions, make as makeExtensions } from "./Extensions.ts"

const message = "extensions need Bun, and this program runs on Node"

export const make = Effect.fnUntraced(function* (...[options]: Parameters<typeof makeExtensions>) {
  yield* Effect.logWarning(`Extensions are not loaded: ${message}.`)
  const isRequiring = Discovery.isRequiring(options, yield* Declared)
  return {
    contributor: { name: "no extensions", join: () => Effect.void },
    claimedFlags: Effect.succeed(new Map()),
    checkRequired: isRequiring ? Effect.fail(Required.failure([{ path: "extensions", message }])) : Effect.void
  } satisfies Extensions
})

/** Stands for Extensions.ts in the build for Node (scripts/buildLib.ts), which lacks the means to load extensions. */
import * as Effect from "effect/Effect"
import type { Extensions, make as makeExtensions } from "./Extensions.ts"

const none: Extensions = {
  contributor: { name: "no extensions", join: () => Effect.void },
  claimedFlags: Effect.succeed(new Map())
}

export const make: (...options: Parameters<typeof makeExtensions>) => Effect.Effect<Extensions> = () =>
  Effect.as(Effect.logWarning("Extensions are not loaded: they need Bun, and this program runs on Node."), none)

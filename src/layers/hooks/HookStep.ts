/** The part of the hooks of a session in its runs: they are asked about tool calls and about results (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import type { RunStep } from "../../services/session/RunStep.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

/** `flush` returns when hooks have seen every event so far: they see a call start before they are asked about it. */
export const make = (hooks: HookRegistry, flush: Effect.Effect<void>): RunStep => ({
  callMoment: () => (hooks.has("toolCall") || hooks.has("toolResult") ? "run" : "never"),
  call: (call) =>
    hooks.has("toolCall") ? Effect.zipRight(flush, Asking.toolCall(hooks, call)) : Effect.succeed(undefined),
  result: (call, result) => Asking.toolResult(hooks, call, result)
})

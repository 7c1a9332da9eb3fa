/**
 * What becomes of a message before it is accepted: the session's contributors have joined, and their hooks may change the
 * message or deal with it themselves (protocol.md 3.1).
 */
import * as Effect from "effect/Effect"
import type { MessageInput } from "../../../services/Agent.ts"
import type { Input } from "../../../services/hooks/HookPoints.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { Startup } from "../../hooks/Startup.ts"
import type { EventRelay } from "../events/EventRelay.ts"

interface Dependencies {
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  readonly startup: Startup
}

/** `Handled`: nothing is left to be said to the model. */
export type Heard<I> = { readonly _tag: "Handled" } | { readonly _tag: "Said"; readonly input: I }

export type Hearing = ReturnType<typeof make>

export const make = ({ hooks, relay, startup }: Dependencies) => ({
  /** Whether a message can be taken as it is, at once. */
  isPlain: ({ literal }: MessageInput) => literal === true || (startup.isOver() && !hooks.has("input")),
  hear: <I extends MessageInput>(input: I, from: Pick<Input, "source" | "whenBusy">): Effect.Effect<Heard<I>> =>
    Effect.gen(function* () {
      yield* startup.started
      if (!hooks.has("input")) return { _tag: "Said", input }
      yield* relay.flush
      const heard = yield* Asking.input(hooks, { text: input.text, images: input.images ?? [], ...from })
      if (heard.isHandled) return { _tag: "Handled" }
      return { _tag: "Said", input: { ...input, text: heard.text, images: heard.images } }
    })
})

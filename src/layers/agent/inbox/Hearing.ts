/**
 * What becomes of a message before it is accepted: the session's contributors have joined, a slash command takes its
 * place, hooks change it or deal with it, and a command that stands for a text is replaced by it (protocol.md 3.1).
 */
import * as Effect from "effect/Effect"
import type { PromptEnd } from "../../../domain/conversation/AgentEvent.ts"
import type { CommandNotQueueable, MessageInput } from "../../../services/Agent.ts"
import type { SlashCommandFailed } from "../../../services/Commands.ts"
import type { Input } from "../../../services/hooks/HookPoints.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { Startup } from "../../hooks/Startup.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import type { RunState } from "../run/RunState.ts"
import type { Carried, SlashCommands } from "./SlashCommands.ts"

interface Dependencies {
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  readonly startup: Startup
  readonly loading: Loading
  readonly slash: SlashCommands
  readonly state: RunState
}

/** The commands that files stand for. Only a message that begins with a slash waits for them. */
export interface Loading {
  /** Contributors have joined, and the commands are registered, when this returns. */
  readonly load: Effect.Effect<void>
  readonly isLoaded: () => boolean
}

/** `Handled`: a command or a hook has dealt with the message, and nothing is left to be said to the model. */
export type Heard<I> =
  | { readonly _tag: "Handled"; readonly command: Carried }
  | { readonly _tag: "Said"; readonly input: I }

type From = Pick<Input, "source" | "whenBusy">

const completed: PromptEnd = { status: "completed" }
const byHook: Carried = { end: () => completed, whenEnded: (report) => report(completed) }

export type Hearing = ReturnType<typeof make>

export const make = ({ hooks, loading, relay, slash, startup, state }: Dependencies) => {
  /** The message as the hooks have left it, and its text in place of the name of a template. */
  const listen = <I extends MessageInput>(input: I, from: From): Effect.Effect<Heard<I>, SlashCommandFailed> =>
    Effect.gen(function* () {
      if (!hooks.has("input")) return { _tag: "Said", input: yield* slash.expand(input) }
      yield* relay.flush
      const { images = [], nesting = 0, text } = input
      const nested = nesting === 0 ? {} : { nesting }
      const heard = yield* Asking.input(hooks, { text, images, ...from, ...nested })
      if (heard.isHandled) return { _tag: "Handled", command: byHook }
      return { _tag: "Said", input: yield* slash.expand({ ...input, text: heard.text, images: heard.images }) }
    })

  return {
    /** Whether a message can be taken as it is, at once. */
    isPlain: ({ literal, text }: MessageInput) =>
      literal === true ||
      // Refused in any case, and the fibers of a session that was left do not run.
      state.isClosing() ||
      (startup.isOver() && !hooks.has("input") && !text.startsWith("/")),
    started: loading.load,
    isStarted: () => startup.isOver() && loading.isLoaded(),
    /** In the fiber of whoever sends the message: the command may change the session, and close all that it owns. */
    carryOut: (input: MessageInput, begun: () => void) => slash.carryOut(input, begun),
    listen,
    /** For a message that is to be queued, which cannot be a command. */
    hearQueued: <I extends MessageInput>(
      input: I,
      from: From
    ): Effect.Effect<Heard<I>, SlashCommandFailed | CommandNotQueueable> =>
      loading.load.pipe(Effect.zipRight(slash.queueable(input)), Effect.zipRight(listen(input, from)))
  }
}

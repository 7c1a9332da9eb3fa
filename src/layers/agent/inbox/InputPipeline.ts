/**
 * What prepares the text of a message before it is decided: the session's contributors have joined, a slash command takes its
 * place, hooks change it or deal with it, and a command that stands for a text is replaced by it (protocol.md 3.1).
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PromptEnd } from "../../../domain/conversation/AgentEvent.ts"
import type { CommandNotQueueable, MessageInput, PromptWithdrawn } from "../../../services/Agent.ts"
import type { SlashCommandFailed } from "../../../services/Commands.ts"
import type { Input } from "../../../services/hooks/HookPoints.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { Startup } from "../../hooks/Startup.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import type { Withdrawal } from "../run/RunFiber.ts"
import type { Messages } from "./Messages.ts"
import type { Carried, SlashCommands } from "./SlashCommands.ts"

interface Dependencies {
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  readonly startup: Startup
  readonly loading: Loading
  readonly slash: SlashCommands
  readonly messages: Messages
  /** Waits for a part of the preparation, in which an abort withdraws the message. */
  readonly preparing: Withdrawal
}

/** The commands that files stand for. Only a message that begins with a slash waits for them. */
export interface Loading {
  /** Contributors have joined, and the commands are registered, when this returns. */
  readonly load: Effect.Effect<void>
  readonly isLoaded: () => boolean
}

/** `Handled`: a command or a hook has dealt with the message, and nothing is left to be said to the model. */
export type Prepared<I> =
  | { readonly _tag: "Handled"; readonly command: Carried }
  | { readonly _tag: "Said"; readonly input: I }

type From = Pick<Input, "source" | "whenBusy">

const completed: PromptEnd = { status: "completed" }
const byHook: Carried = { end: () => completed, whenEnded: (report) => report(completed) }
const handled = <I>(command: Carried): Prepared<I> => ({ _tag: "Handled", command })

export type InputPipeline = ReturnType<typeof make>

export const make = ({ hooks, loading, messages, preparing, relay, slash, startup }: Dependencies) => {
  const started = Effect.suspend(() => (startup.isOver() && loading.isLoaded() ? Effect.void : preparing(loading.load)))

  /** The message as the hooks have left it, and its text in place of the name of a template. */
  const listen = <I extends MessageInput>(input: I, from: From): Effect.Effect<Prepared<I>, SlashCommandFailed> =>
    Effect.gen(function* () {
      if (!hooks.has("input")) return { _tag: "Said", input: yield* slash.expand(input) }
      yield* relay.flush
      const { images = [], nesting = 0, text } = input
      const nested = nesting === 0 ? {} : { nesting }
      const heard = yield* Asking.input(hooks, { text, images, ...from, ...nested })
      if (heard.isHandled) return handled(byHook)
      return { _tag: "Said", input: yield* slash.expand({ ...input, text: heard.text, images: heard.images }) }
    })

  return {
    /** Whether a message can be taken as it is, at once. */
    isPlain: ({ literal, text }: MessageInput) =>
      literal === true ||
      // Refused in any case, and the fibers of a session that was left do not run.
      messages.state().isClosing ||
      (startup.isOver() && !hooks.has("input") && !text.startsWith("/")),
    /**
     * `begun` is called when a command begins in the place of the message; it runs in the fiber of whoever sends the message,
     * because it may change the session, and close all that the session owns.
     */
    prepare: <I extends MessageInput>(
      input: I,
      from: From,
      begun: () => void
    ): Effect.Effect<Prepared<I>, SlashCommandFailed | PromptWithdrawn> =>
      started.pipe(
        Effect.zipRight(slash.carryOut(input, begun)),
        Effect.flatMap(
          Option.match({
            onNone: () => preparing(listen(input, from)),
            onSome: (command) => Effect.succeed(handled<I>(command))
          })
        )
      ),
    /** The same for a message that is to be queued, which cannot be a command. */
    prepareQueued: <I extends MessageInput>(
      input: I,
      from: From
    ): Effect.Effect<Prepared<I>, SlashCommandFailed | CommandNotQueueable | PromptWithdrawn> =>
      preparing(loading.load.pipe(Effect.zipRight(slash.queueable(input)), Effect.zipRight(listen(input, from))))
  }
}

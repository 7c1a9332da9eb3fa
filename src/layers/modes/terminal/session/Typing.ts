/** What keys do: they edit the line, answer dialogs, complete, submit, interrupt and leave. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HostGone } from "../../../../services/host/Transport.ts"
import type { Sessions } from "../../../../services/session/Sessions.ts"
import * as Completion from "../input/Completion.ts"
import type { Dialogs } from "../input/Dialogs.ts"
import * as Keys from "../input/Keys.ts"
import type { PromptLine } from "../input/PromptLine.ts"
import type { Screen } from "../screen/Screen.ts"
import type { Transcript } from "../view/Transcript.ts"
import type { Services } from "./Command.ts"
import * as Conversation from "./Conversation.ts"
import * as Interrupts from "./Interrupts.ts"

export interface TypingParts extends Conversation.ConversationOptions {
  readonly line: PromptLine
  readonly dialogs: Dialogs
  readonly transcript: Transcript
  readonly screen: typeof Screen.Service
  readonly clock: Clock.Clock
  readonly leave: () => void
  /** Keeps a prompt for later sessions. */
  readonly remember: (text: string) => Effect.Effect<void>
  readonly submit: (text: string) => void
  readonly isBusy: () => boolean
  readonly changed: () => void
  /** Runs beside the loop. */
  readonly aside: <R extends Services>(effect: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
}

/** Terminals send the characters of a sequence at once. */
const escapeDelay = "50 millis"

/** Completes a command, its argument or the path of a file. */
const completeLine = Effect.fnUntraced(function* ({ commands, cwd, line }: TypingParts) {
  const { cursor, text } = line.editor()
  const services = yield* Effect.context<Services>()
  const own = commands.all.map(({ complete: find, description, name }) => ({
    name,
    description,
    ...(find === undefined ? {} : { complete: (prefix: string) => Effect.provide(find(prefix), services) })
  }))
  const known = Effect.map(Conversation.sessionCommands, (others) => [...own, ...others])
  const found = yield* Completion.find(text, cursor, { cwd, commands: Effect.provide(known, services) })
  const current = line.editor()
  // The person may have typed on meanwhile.
  if (found !== undefined && current.text === text && current.cursor === cursor) line.offer(found)
})

export const make = (parts: TypingParts) => {
  const { aside, changed, clock, dialogs, isBusy, leave, line, screen, transcript } = parts
  const interrupts = Interrupts.make()
  let pending = Keys.nothing

  const interrupt = Effect.suspend(() => {
    const meaning = interrupts.press({ now: clock.unsafeCurrentTimeMillis(), isBusy: isBusy() })
    if (meaning === "leave") leave()
    else dialogs.cancelAll()
    if (meaning === "clear") line.set("")
    return meaning === "abort" ? aside(Conversation.abort(parts.giveBack)) : Effect.void
  })

  const special: Readonly<Record<string, Effect.Effect<void, HostGone, Sessions>>> = {
    "ctrl+c": interrupt,
    "ctrl+l": screen.clear,
    "ctrl+z": screen.suspend,
    "ctrl+o": Effect.sync(() => screen.print(transcript.lastOutput()))
  }

  const press = (input: Keys.Input): Effect.Effect<void, HostGone, Services> => {
    const action = input._tag === "Key" ? special[input.id] : undefined
    if (action !== undefined) return action
    interrupts.reset()
    if (dialogs.isOpen()) return Effect.sync(() => dialogs.press(input))
    const request = line.press(input)
    if (request?._tag === "Submit") {
      line.remember(request.text)
      parts.submit(request.text)
      return aside(parts.remember(request.text))
    }
    if (request?._tag === "Complete") return aside(Effect.map(completeLine(parts), changed))
    if (request?._tag === "Leave") leave()
    return Effect.void
  }

  const take = ([inputs, rest]: Keys.Decoded) => {
    pending = rest
    const due = Effect.delay(
      Effect.sync(() => void screen.inbox.unsafeOffer({ _tag: "KeyDue" })),
      escapeDelay
    )
    const all = Effect.forEach(inputs, press, { discard: true })
    return rest.rest === "" || rest.pasted !== undefined ? all : Effect.zipRight(all, aside(due))
  }

  return {
    typed: (text: string) => take(Keys.decode(pending, text)),
    /** Takes what may be the beginning of a sequence as the key that it is alone. */
    keyDue: Effect.suspend(() => take(Keys.flush(pending))),
    /** Whether the next Ctrl-C leaves. */
    isLeaving: interrupts.isArmed
  }
}

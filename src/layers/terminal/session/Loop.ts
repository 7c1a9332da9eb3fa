/** The loop of a session on the terminal: takes what is typed and what happens, and draws. Nothing else draws. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { MessageQueue } from "../../../domain/conversation/MessageQueue.ts"
import type { EventSink } from "../../../services/Agent.ts"
import * as Backpressure from "../../../services/fibers/Backpressure.ts"
import type { HostGone } from "../../../services/host/Transport.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import * as Completion from "../input/Completion.ts"
import * as Keys from "../input/Keys.ts"
import type { PromptLine } from "../input/PromptLine.ts"
import { type Happening, Screen } from "../screen/Screen.ts"
import type { Transcript } from "../view/Transcript.ts"
import type { Services } from "./Command.ts"
import type { Commands } from "./Commands.ts"
import * as Conversation from "./Conversation.ts"
import * as Interrupts from "./Interrupts.ts"
import type { Jobs } from "./Jobs.ts"
import * as Status from "./Status.ts"
import * as View from "./View.ts"

/** What Tab does: completes a command, its argument or the path of a file. */
interface TabParts {
  readonly cwd: string
  readonly line: PromptLine
  readonly commands: Commands
}

const completeLine = Effect.fnUntraced(function* ({ commands, cwd, line }: TabParts) {
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

export type JobServices = Services | Screen

export interface LoopParts extends View.Sources, Conversation.ConversationOptions {
  readonly jobs: Jobs<JobServices>
  readonly leave: () => void
  /** Keeps a prompt for later sessions. */
  readonly remember: (text: string) => Effect.Effect<void>
  readonly showStored: Effect.Effect<void, never, Sessions | Screen>
}

/** Frames are this far apart at least; people see no more. */
const frame = "16 millis"
const tick = "1 second"
/** Terminals send the characters of a sequence at once. */
const escapeDelay = "50 millis"
/** Events that may wait before the run does. */
const eventLead = 2000

/** What a happening adds to the scrollback. */
const rowsOf = (happening: Happening, transcript: Transcript): ReadonlyArray<string> => {
  if (happening._tag === "Event") return transcript.event(happening.event)
  if (happening._tag === "Said") return transcript.notice(happening)
  return happening._tag === "Printed" ? transcript.print(happening.rows) : []
}

export const make = Effect.fnUntraced(function* (parts: LoopParts) {
  const { cwd, dialogs, jobs, leave, line, transcript } = parts
  const screen = yield* Screen
  const sessions = yield* Sessions
  const clock = yield* Effect.clock
  const background = yield* FiberSet.make<void>()
  const interrupts = Interrupts.make()
  const { inbox } = screen
  const { caughtUp, ready } = Backpressure.make(Backpressure.sizeOf(inbox), eventLead)
  let pending = Keys.nothing
  let figures = Status.none
  let queue: MessageQueue | undefined
  let runningSince: number | undefined

  const isBusy = () => runningSince !== undefined || jobs.isBusy()
  const changed = () => void inbox.unsafeOffer({ _tag: "Changed" })
  const aside = <R>(effect: Effect.Effect<void, never, R>) => Effect.asVoid(FiberSet.run(background, effect))
  const refresh = Effect.map(Status.read(sessions), (read) => {
    figures = read
    changed()
  })

  const apply = (event: AgentEvent) => {
    if (event._tag === "RunStarted") runningSince ??= clock.unsafeCurrentTimeMillis()
    if (event._tag === "RunSettled") runningSince = undefined
    if (event._tag === "QueueChanged") queue = event.queue
    screen.print(transcript.event(event))
    if (event._tag !== "SessionChanged") return Status.isChangedBy(event) ? aside(refresh) : Effect.void
    queue = undefined
    screen.print(transcript.notice({ level: "info", text: `Session ${event.sessionId}` }))
    return aside(Effect.zipRight(refresh, parts.showStored))
  }

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

  const submit = (text: string) => jobs.add(Conversation.submit(text, parts))

  const press = (input: Keys.Input): Effect.Effect<void, HostGone, JobServices> => {
    const action = input._tag === "Key" ? special[input.id] : undefined
    if (action !== undefined) return action
    interrupts.reset()
    if (dialogs.isOpen()) return Effect.sync(() => dialogs.press(input))
    const request = line.press(input)
    if (request?._tag === "Submit") {
      line.remember(request.text)
      submit(request.text)
      return aside(parts.remember(request.text))
    }
    if (request?._tag === "Complete") return aside(Effect.map(completeLine(parts), changed))
    if (request?._tag === "Leave") leave()
    return Effect.void
  }

  const typed = ([inputs, rest]: Keys.Decoded) => {
    pending = rest
    const due = Effect.delay(
      Effect.sync(() => void inbox.unsafeOffer({ _tag: "KeyDue" })),
      escapeDelay
    )
    const all = Effect.forEach(inputs, press, { discard: true })
    return rest.rest === "" || rest.pasted !== undefined ? all : Effect.zipRight(all, aside(due))
  }

  const handle = (happening: Happening): Effect.Effect<void, HostGone, JobServices> => {
    switch (happening._tag) {
      case "Typed":
        return typed(Keys.decode(pending, happening.text))
      case "KeyDue":
        return typed(Keys.flush(pending))
      case "Event":
        return apply(happening.event)
      case "Said":
      case "Printed":
        return Effect.sync(() => screen.print(rowsOf(happening, transcript)))
      case "Resized":
        return screen.resized
      case "Gone":
        return Effect.sync(leave)
      case "Changed":
        return Effect.void
    }
  }

  const state = (): View.State => ({
    cwd,
    style: screen.style,
    width: screen.width(),
    height: screen.height(),
    isMoving: screen.isMoving(),
    figures,
    queue,
    workingMs: isBusy()
      ? clock.unsafeCurrentTimeMillis() - (runningSince ?? clock.unsafeCurrentTimeMillis())
      : undefined,
    isLeaving: interrupts.isArmed()
  })

  const step = Effect.gen(function* () {
    const [happenings] = yield* inbox.takeAll
    for (const happening of happenings) yield* handle(happening)
    yield* caughtUp
    yield* screen.draw(View.live(state(), parts))
  })

  /** The seconds that a turn takes are shown while it does. */
  const ticking = Effect.forever(
    Effect.delay(
      Effect.sync(() => (isBusy() ? changed() : undefined)),
      tick
    )
  )

  const sink: EventSink = {
    offer: (event) => void inbox.unsafeOffer({ _tag: "Event", event }),
    ready
  }

  /** Ends where the terminal is gone. */
  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(ticking)
    yield* refresh
    return yield* Effect.forever(Effect.zipRight(step, Effect.sleep(frame)))
  }).pipe(Effect.catchTag("HostGone", () => Effect.void))

  /** Takes what happened at the end into the scrollback. */
  const settle = Effect.map(inbox.clear, (happenings) => {
    for (const happening of happenings) screen.print(rowsOf(happening, transcript))
    screen.print(transcript.live())
  })

  return { run, sink, settle, submit }
})

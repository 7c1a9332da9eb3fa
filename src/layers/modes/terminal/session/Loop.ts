/** The loop of a session on the terminal: takes what is typed and what happens, and draws. Nothing else draws. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import type { MessageQueue } from "../../../../domain/conversation/MessageQueue.ts"
import type { EventSink } from "../../../../services/Agent.ts"
import * as Backpressure from "../../../../services/fibers/Backpressure.ts"
import type { HostGone } from "../../../../services/host/Transport.ts"
import { Sessions } from "../../../../services/session/Sessions.ts"
import { type Happening, Screen } from "../screen/Screen.ts"
import type { Transcript } from "../view/Transcript.ts"
import type { Services } from "./Command.ts"
import * as Conversation from "./Conversation.ts"
import type { Jobs } from "./Jobs.ts"
import * as Status from "./Status.ts"
import * as Typing from "./Typing.ts"
import * as View from "./View.ts"

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
/** Events that may wait before the run does. */
const eventLead = 2000

/** What a happening adds to the scrollback. */
const rowsOf = (happening: Happening, transcript: Transcript): ReadonlyArray<string> => {
  if (happening._tag === "Event") return transcript.event(happening.event)
  if (happening._tag === "Notice") return transcript.notice(happening)
  return happening._tag === "Printed" ? transcript.print(happening.rows) : []
}

export const make = Effect.fnUntraced(function* (parts: LoopParts) {
  const { cwd, jobs, leave, transcript } = parts
  const screen = yield* Screen
  const sessions = yield* Sessions
  const clock = yield* Effect.clock
  const background = yield* FiberSet.make<void>()
  const { inbox } = screen
  const { caughtUp, ready } = Backpressure.make(Backpressure.sizeOf(inbox), eventLead)
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

  const submit = (text: string) => jobs.add(Conversation.submit(text, parts))
  const typing = Typing.make({ ...parts, screen, clock, isBusy, changed, aside, submit })

  const handle = (happening: Happening): Effect.Effect<void, HostGone, JobServices> => {
    switch (happening._tag) {
      case "Typed":
        return typing.typed(happening.text)
      case "KeyDue":
        return typing.keyDue
      case "Event":
        return apply(happening.event)
      case "Notice":
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

  const step = Effect.gen(function* () {
    const [happenings] = yield* inbox.takeAll
    for (const happening of happenings) yield* handle(happening)
    yield* caughtUp
    const now = clock.unsafeCurrentTimeMillis()
    const state: View.State = {
      cwd,
      style: screen.style,
      width: screen.width(),
      height: screen.height(),
      isMoving: screen.isMoving(),
      figures,
      queue,
      workingMs: isBusy() ? now - (runningSince ?? now) : undefined,
      isLeaving: typing.isLeaving()
    }
    yield* screen.draw(View.live(state, parts))
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

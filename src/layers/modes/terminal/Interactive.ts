/**
 * `heddle` on a terminal: a plain session in the scrollback. One loop takes what is typed and what happens, and draws.
 * It runs on the same services as rpc mode.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Agent } from "../../../services/Agent.ts"
import { Inbox } from "../../../services/session/Inbox.ts"
import { Session } from "../../../services/session/Session.ts"
import { Startup } from "../../../services/session/Startup.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Shell } from "../../../services/Shell.ts"
import * as Environment from "../../machine/processes/Environment.ts"
import * as Dialogs from "./input/Dialogs.ts"
import * as HistoryFile from "./input/HistoryFile.ts"
import * as PromptLine from "./input/PromptLine.ts"
import * as Rows from "./screen/Rows.ts"
import * as Screen from "./screen/Screen.ts"
import * as Style from "./screen/Style.ts"
import * as Commands from "./session/Commands.ts"
import * as Protection from "./view/Protection.ts"
import * as Jobs from "./session/Jobs.ts"
import * as Loop from "./session/Loop.ts"
import type { Talk } from "./session/Talk.ts"
import * as TerminalApprovals from "./session/TerminalApprovals.ts"
import * as TerminalUi from "./session/TerminalUi.ts"
import * as Messages from "./view/Messages.ts"
import * as Transcript from "./view/Transcript.ts"

/** How long the end may take when the person leaves, and after a signal (protocol.md 1.4). */
const limits = { person: "3 seconds", signal: "700 millis" } as const

/** Ends the run as by an abort. The conversation is stored. */
const windDown = Effect.fnUntraced(function* (cause: keyof typeof limits) {
  const sessions = yield* Sessions
  const shell = yield* Shell
  const leave = Effect.flatMap(sessions.current, (session) => Context.get(session, Inbox).leave)
  const steps = Effect.gen(function* () {
    yield* sessions.close
    const forget = yield* Effect.zipRight(shell.close, leave, { concurrent: true })
    yield* sessions.farewell
    yield* shell.endBackground(cause === "signal" ? cause : "end")
    yield* forget
  })
  yield* Effect.timeoutOption(Effect.interruptible(Effect.disconnect(steps)), limits[cause])
})

/** Undefined for a session that has nothing to come back to. */
const resumeHint = Effect.gen(function* () {
  const sessions = yield* Sessions
  const session = Context.get(yield* sessions.current, Session)
  const { file, sessionId } = yield* session.info
  const isStored = Option.isSome(file) && (yield* session.messageCount) > 0
  return isStored ? `Resume this session with: heddle --resume ${sessionId}` : undefined
})

const welcome = (version: string, style: Style.Style, width: number): ReadonlyArray<string> => [
  `${style.bold("heddle")} ${style.dim(version)}`,
  ...Rows.wrap("/help lists commands and keys · @file attaches a file · Ctrl-D leaves", width).map(style.dim)
]

export interface InteractiveOptions<E> {
  readonly cwd: string
  readonly agentDir: string
  /** Completes when an extension asks for the end, which comes when the session is idle. A failure ends it at once. */
  readonly quit?: Effect.Effect<void, E>
  /** The person picks one of the stored sessions at the start. */
  readonly picksSession?: boolean
}

/** Draws the screen before anything else is built, and shows what is logged there until the effect has ended. */
export const onScreen =
  ({ mask, version }: { readonly version: string; readonly mask: (text: string) => string }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Screen.Screen>> => {
    const shown = Effect.gen(function* () {
      const noColor = Option.getOrUndefined(yield* Environment.variable("NO_COLOR"))
      const term = Option.getOrUndefined(yield* Environment.variable("TERM"))
      const look = Style.lookOf({ noColor, term })
      return Screen.layer({ look, welcome: (style, width) => welcome(version, style, width) })
    })
    return Effect.provide(Screen.withLogs(mask)(effect), Layer.unwrapEffect(shown))
  }

/** Messages of a session that are shown when it is resumed. */
const mostShown = 12

/** The end of a stored conversation, so that the person sees where it was left. */
const showStored = (transcript: Transcript.Transcript) =>
  Effect.gen(function* () {
    const { print, style, width } = yield* Screen.Screen
    const sessions = yield* Sessions
    const session = Context.get(yield* sessions.current, Session)
    const messages = (yield* session.messageCount) === 0 ? [] : yield* session.messages
    if (messages.length === 0) return
    const earlier = messages.length - mostShown
    if (earlier > 0) print(transcript.notice({ level: "info", text: `(${earlier} earlier messages)` }))
    print(transcript.items(Messages.stored(messages.slice(-mostShown), style, width())))
  })

/** Returns when the person leaves. However it ends, the session is closed and the last rows are drawn. */
export const run = <E = never>(options: InteractiveOptions<E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const screen = yield* Screen.Screen
      const sessions = yield* Sessions
      const history = yield* HistoryFile.open(options.agentDir)
      const left = yield* Deferred.make<void>()
      const leave = () => void Deferred.unsafeDone(left, Effect.void)
      const changed = () => void screen.inbox.unsafeOffer({ _tag: "Changed" })
      const transcript = Transcript.make(screen.style, screen.width)
      const notify: Talk["notify"] = (level, text) => void screen.inbox.unsafeOffer({ _tag: "Notice", level, text })
      const line = PromptLine.make(history.entries, screen.style)
      const giveBack = (text: string) => {
        if (line.editor().text === "") line.set(text)
        changed()
      }
      const dialogs = Dialogs.make({
        style: screen.style,
        changed,
        over: (title, answer) => notify("info", `? ${title} ${answer}`)
      })
      const terminalUi = yield* TerminalUi.connect({ dialogs, notify, changed, setText: line.set })
      yield* TerminalApprovals.connect({ dialogs, style: screen.style, width: screen.width })
      const talk: Talk = {
        style: screen.style,
        width: screen.width,
        print: (rows) => void screen.inbox.unsafeOffer({ _tag: "Printed", rows }),
        notify,
        ui: terminalUi.ui
      }
      const commands = Commands.make({ leave, clear: Effect.ignore(screen.clear) })
      const jobs = yield* Jobs.make<Loop.JobServices>(changed)
      const loop = yield* Loop.make({
        ...options,
        line,
        dialogs,
        terminalUi,
        transcript,
        commands,
        jobs,
        talk,
        leave,
        giveBack,
        remember: history.add,
        showStored: showStored(transcript)
      })
      yield* sessions.attach(loop.sink)
      screen.print(Rows.wrap(yield* Protection.words, screen.width()).map(screen.style.dim))
      yield* showStored(transcript)
      if (options.picksSession === true) loop.submit("/resume")
      yield* Effect.forkScoped(Effect.flatMap(sessions.current, (session) => Context.get(session, Startup).started))
      const { quit = Effect.never } = options
      const idle = Effect.flatMap(sessions.current, (session) => Context.get(session, Agent).awaitIdle)
      const leaving = Effect.fnUntraced(function* (exit: Exit.Exit<void, E>) {
        if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) return
        dialogs.cancelAll()
        yield* windDown(Exit.isInterrupted(exit) ? "signal" : "person")
        yield* loop.settle
        const farewell = yield* resumeHint
        if (farewell !== undefined) screen.print(["", screen.style.dim(farewell)])
      })
      yield* loop.run.pipe(
        Effect.raceFirst(Deferred.await(left)),
        Effect.raceFirst(Effect.zipRight(quit, idle)),
        Effect.onExit(leaving)
      )
    })
  )

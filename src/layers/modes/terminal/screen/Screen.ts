/**
 * The screen of the interactive session: it is drawn before anything else is loaded, collects what is typed, and gives
 * the terminal back at the end. The loop in Interactive.ts is the only one that draws after that.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Mailbox from "effect/Mailbox"
import * as Text from "../../../../domain/Text.ts"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as ConsoleCapture from "../../../machine/stdio/ConsoleCapture.ts"
import * as StderrLogger from "../../../machine/stdio/StderrLogger.ts"
import * as TerminalDevice from "../../../machine/stdio/TerminalDevice.ts"
import * as Painter from "./Painter.ts"
import * as Style from "./Style.ts"
import type { HostGone } from "../../../../services/host/Transport.ts"

/** For terminals that cannot move their cursor: rows are written once, and the prompt again when others came in between. */
const plainPainter = (): Painter.Painter => {
  let asked = ""
  const lines = (rows: ReadonlyArray<string>) => rows.map((row) => `${Text.styled(row)}\n`).join("")
  return {
    frame: (final, { invitation = [] }) => {
      const question = invitation.map(Text.styled).join("\n")
      if (final.length === 0 && question === asked) return ""
      // Enter has ended the line of the prompt; other rows have to begin a new one.
      const before = asked === "" || final.length === 0 ? "" : "\n"
      asked = question
      return before + lines(final) + question
    },
    resized: () => undefined,
    close: (final) => `\n${lines(final)}`
  }
}

export type Happening =
  | { readonly _tag: "Typed"; readonly text: string }
  | { readonly _tag: "Event"; readonly event: AgentEvent }
  | { readonly _tag: "Notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
  /** Rows for the scrollback, as they are. */
  | { readonly _tag: "Printed"; readonly rows: ReadonlyArray<string> }
  | { readonly _tag: "Resized" }
  /** An escape character has waited for the rest of a sequence long enough. */
  | { readonly _tag: "KeyDue" }
  /** Something has changed that is to be drawn. */
  | { readonly _tag: "Changed" }
  /** The terminal is gone. */
  | { readonly _tag: "Gone" }

export class Screen extends Context.Tag("heddle/layers/modes/terminal/screen/Screen")<
  Screen,
  {
    readonly style: Style.Style
    /** One less than the terminal has: a full row would make some terminals begin another. */
    readonly width: () => number
    readonly height: () => number
    readonly inbox: Mailbox.Mailbox<Happening>
    /** Adds final rows to the next frame. */
    readonly print: (rows: ReadonlyArray<string>) => void
    readonly draw: (live: Painter.Live) => Effect.Effect<void, HostGone>
    readonly resized: Effect.Effect<void>
    /** The size of the window changes, or did so a moment ago. */
    readonly isMoving: () => boolean
    readonly clear: Effect.Effect<void, HostGone>
    readonly suspend: Effect.Effect<void>
  }
>() {}

export interface ScreenOptions {
  readonly look: Style.Look
  readonly welcome: (style: Style.Style, width: number) => ReadonlyArray<string>
}

/** After so long without another change the window has its size. */
const calm = "500 millis"
const clearAll = "\u001b[H\u001b[2J"
export const prompt = "> "

const make = Effect.fnUntraced(function* ({ look, welcome }: ScreenOptions) {
  const style = Style.make(look)
  const inbox = yield* Mailbox.make<Happening>()
  const device = yield* TerminalDevice.open({
    plain: look.plain,
    onResize: () => void inbox.unsafeOffer({ _tag: "Resized" })
  })
  const painter = look.plain ? plainPainter() : Painter.make()
  const calming = yield* FiberHandle.make<void>()
  let isMoving = false
  let final: Array<string> = []
  const width = () => Math.max(10, device.size().columns - 1)
  const write = (text: string) => (text === "" ? Effect.void : device.write(text))
  const draw = (live: Painter.Live) =>
    Effect.suspend(() => {
      const rows = final
      final = []
      return write(painter.frame(rows, live, device.size()))
    })
  const isCalm = Effect.sync(() => {
    isMoving = false
    inbox.unsafeOffer({ _tag: "Changed" })
  })
  const resized = Effect.suspend(() => {
    painter.resized()
    isMoving = true
    return Effect.asVoid(FiberHandle.run(calming, Effect.delay(isCalm, calm)))
  })
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.suspend(() => write(painter.close(final)))))
  yield* ConsoleCapture.open((text) => void inbox.unsafeOffer({ _tag: "Notice", level: "info", text }))
  final.push(...welcome(style, width()))
  yield* Effect.ignore(draw({ rows: ["", prompt, ""], cursor: { row: 1, column: prompt.length } }))
  const typing = Effect.gen(function* () {
    for (let done = false; !done;) {
      const [texts, isLast] = yield* device.input.takeAll
      // Where the system edits lines, they end with a line feed.
      for (const text of texts)
        inbox.unsafeOffer({ _tag: "Typed", text: look.plain ? text.replaceAll("\n", "\r") : text })
      done = isLast
    }
    inbox.unsafeOffer({ _tag: "Gone" })
  })
  yield* Effect.forkScoped(typing)
  return Screen.of({
    style,
    width,
    height: () => device.size().rows,
    inbox,
    print: (rows) => void final.push(...rows),
    draw,
    resized,
    isMoving: () => isMoving,
    clear: Effect.suspend(() => {
      painter.close([])
      return look.plain ? Effect.void : write(clearAll)
    }),
    suspend: Effect.zipRight(Effect.ignore(Effect.suspend(() => write(painter.close([])))), device.suspend)
  })
})

export const layer = (options: ScreenOptions) => Layer.scoped(Screen, make(options))

const levelOf = (level: LogLevel.LogLevel) => {
  if (LogLevel.greaterThanEqual(level, LogLevel.Error)) return "error"
  return LogLevel.greaterThanEqual(level, LogLevel.Warning) ? "warning" : "info"
}

/** What an effect logs is shown above the prompt, where it cannot be written over. */
export const withLogs =
  (mask: (text: string) => string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
    Effect.flatMap(Screen, ({ inbox }) => {
      const logger = Logger.make<unknown, void>((entry) => {
        inbox.unsafeOffer({ _tag: "Notice", level: levelOf(entry.logLevel), text: mask(StderrLogger.textOf(entry)) })
      })
      return Effect.locally(effect, FiberRef.currentLoggers, HashSet.make(logger))
    })

/**
 * The terminal of this process: keys in, text out, its size. Every key arrives as it is pressed, and nothing is echoed.
 * However the process ends, the terminal gets back the modes that it had.
 */
import { writeSync } from "node:fs"
import { ReadStream, WriteStream } from "node:tty"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import type { HostGone } from "../../../services/host/Transport.ts"
import * as Signals from "../processes/Signals.ts"
import { send } from "./SendText.ts"

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface TerminalDevice {
  /** What is typed. Ctrl-C is a character like others. It ends when the terminal goes away. */
  readonly input: Mailbox.ReadonlyMailbox<string>
  readonly write: (text: string) => Effect.Effect<void, HostGone>
  readonly size: () => Size
  /** Stops this process as Ctrl-Z does in a shell, and returns when it goes on. */
  readonly suspend: Effect.Effect<void>
}

export interface DeviceOptions {
  /** Lines as the system edits them, for terminals that cannot move their cursor. */
  readonly plain: boolean
  readonly onResize: () => void
}

/** Pasted text comes between two marks. */
const openModes = "\u001b[?2004h"
/** Also shows the cursor, and ends an update that was cut off. */
const closeModes = "\u001b[?2026l\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[0m"

const fallback: Size = { columns: 80, rows: 24 }
const interruptKey = "\u0003"

const writeNow = (text: string) => {
  try {
    writeSync(1, text)
  } catch {
    // The terminal is gone, or does not take more at the moment: nothing else can be done at the end.
  }
}

/** Switches between the modes that heddle needs and those that the terminal had. */
const makeModes = (keys: ReadStream, plain: boolean) => {
  let isOpen = false
  const open = () => {
    if (isOpen || plain) return
    isOpen = true
    keys.setRawMode(true)
    writeNow(openModes)
  }
  const close = () => {
    if (!isOpen) return
    isOpen = false
    writeNow(closeModes)
    keys.setRawMode(false)
  }
  return { open, close }
}

/** Bun keeps the size that a stream had first, unless it is made to look again. */
const lookAgain = (screen: WriteStream) => {
  const refresh: unknown = Reflect.get(screen, "_refreshSize")
  if (typeof refresh === "function") Reflect.apply(refresh, screen, [])
}

const sizeOf = (screen: WriteStream): Size => {
  const [columns = 0, rows = 0] = screen.getWindowSize()
  return columns > 0 && rows > 0 ? { columns, rows } : fallback
}

const listen = (target: NodeJS.EventEmitter, event: string, listener: (first: unknown) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => void target.on(event, listener)),
    () => Effect.sync(() => void target.off(event, listener))
  )

/** Until the scope closes. stdin and stdout must be terminals. */
export const open = Effect.fnUntraced(function* ({ onResize, plain }: DeviceOptions) {
  const keys = new ReadStream(0)
  const screen = new WriteStream(1)
  const sink = Bun.file(1).writer({ highWaterMark: 256 * 1024 })
  const input = yield* Mailbox.make<string>()
  const modes = makeModes(keys, plain)
  const decoder = new TextDecoder()
  const end = () => void input.unsafeDone(Exit.void)
  yield* Effect.acquireRelease(Effect.sync(modes.open), () => Effect.sync(modes.close))
  yield* listen(process, "exit", modes.close)
  yield* listen(process, "SIGWINCH", () => {
    lookAgain(screen)
    onResize()
  })
  yield* Signals.takeInterrupts(() => void input.unsafeOffer(interruptKey))
  yield* listen(keys, "data", (bytes) => {
    if (bytes instanceof Uint8Array) input.unsafeOffer(decoder.decode(bytes, { stream: true }))
  })
  yield* listen(keys, "end", end)
  yield* listen(keys, "error", end)
  yield* Effect.addFinalizer(() => Effect.sync(() => void keys.pause()))
  const suspend = Effect.async<void>((resume) => {
    process.once("SIGCONT", () => {
      modes.open()
      resume(Effect.void)
    })
    modes.close()
    process.kill(0, "SIGTSTP")
  })
  const device: TerminalDevice = { input, write: (text) => send(sink, text), size: () => sizeOf(screen), suspend }
  return device
})

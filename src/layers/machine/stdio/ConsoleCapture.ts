/**
 * Takes what other code in this process prints (console, process.stdout, process.stderr), so that it cannot tear the
 * screen. Afterwards it is written where it belongs. The streams are set without being looked at, which would open them.
 */
import { writeSync } from "node:fs"
import { WriteStream } from "node:tty"
import { formatWithOptions } from "node:util"
import * as Effect from "effect/Effect"
import * as Text from "../../../domain/Text.ts"
import { once } from "../../../domain/Values.ts"

const methods = ["log", "info", "debug", "warn", "error"] as const

type Take = (text: string) => void

/** A stream of the terminal in all but `write`. */
const disguise = (fd: number, write: (text: string) => void) => {
  const opened = once(() => new WriteStream(fd))
  const put = (chunk: string | Uint8Array) => {
    write(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk))
    return true
  }
  return new Proxy(
    {},
    {
      get: (_, key) => {
        if (key === "write") return put
        const member: unknown = Reflect.get(opened(), key)
        return typeof member === "function" ? member.bind(opened()) : member
      },
      has: (_, key) => Reflect.has(opened(), key)
    }
  )
}

/** Until the scope closes. */
export const open = (take: Take) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let isOpen = true
      const before = methods.map((method) => [method, console[method]] as const)
      const print = (...values: ReadonlyArray<unknown>) => take(formatWithOptions({ colors: false }, ...values))
      for (const method of methods) console[method] = print
      const writer = (fd: number) => (text: string) => void (isOpen ? take(text) : writeSync(fd, Text.printable(text)))
      Reflect.set(process, "stdout", disguise(1, writer(1)))
      Reflect.set(process, "stderr", disguise(2, writer(2)))
      return () => {
        isOpen = false
        for (const [method, original] of before) console[method] = original
      }
    }),
    (close) => Effect.sync(close)
  )

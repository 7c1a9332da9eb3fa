/**
 * Keeps stdin and stdout for frames. File descriptor 1 is moved aside and replaced by stderr, so that whatever else in
 * the process prints (console.log, a library, native code) cannot tear a frame. File descriptor 0 is moved aside and
 * replaced by an empty file, so that a program that inherits it cannot take frames away. Bun has no dup2; libc has.
 */
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"
import * as Effect from "effect/Effect"
import * as Engine from "../engine/Engine.ts"

const libc = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6"
const musl = `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`

const symbols = {
  dup: { args: ["i32"], returns: "i32" },
  dup2: { args: ["i32", "i32"], returns: "i32" }
} as const

const takeOver = (library: string) =>
  Effect.try(() => {
    const { dup, dup2 } = Engine.ffi().dlopen(library, symbols).symbols
    const [input, output] = [dup(0), dup(1)]
    const nothing = openSync(devNull, "r")
    if (input < 0 || output < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0) throw new Error("dup failed")
    closeSync(nothing)
    return { input: Bun.file(input), output }
  })

/** Everything that is asked of it is asked of stderr, which is opened only then. */
const stderrInDisguise = new Proxy(
  {},
  {
    get: (_, name) => {
      const member: unknown = Reflect.get(process.stderr, name)
      return typeof member === "function" ? member.bind(process.stderr) : member
    },
    set: (_, name, value) => Reflect.set(process.stderr, name, value),
    has: (_, name) => Reflect.has(process.stderr, name)
  }
)

/**
 * Bun keeps the descriptor of a stream that was looked at before. Looking at it here would cost a start 10 ms, and so
 * would defining the property anew; setting it does not.
 */
const divertStream = Effect.sync(() => Reflect.set(process, "stdout", stderrInDisguise))

/** Where libc cannot be reached, at least the console is diverted. */
const divertConsole = Effect.sync(() => {
  for (const method of ["log", "info", "debug"] as const) console[method] = console.error
  return { input: Bun.stdin, output: 1 }
})

/** Where frames come from, and the descriptor that they go to. */
export const acquire: Effect.Effect<{ readonly input: Bun.BunFile; readonly output: number }> = Effect.firstSuccessOf([
  takeOver(libc),
  takeOver(musl)
]).pipe(
  Effect.orElse(() => divertConsole),
  Effect.zipLeft(divertStream)
)

// Opens the terminal as heddle does, and then ends in the way that its argument names. Started by tests.
import { Effect } from "effect"
import * as TerminalDevice from "../../../src/layers/machine/stdio/TerminalDevice.ts"

const ends: Record<string, () => void> = {
  throw: () =>
    void setTimeout(() => {
      throw new Error("nobody catches this")
    }),
  reject: () => void Promise.reject(new Error("nobody catches this")),
  exit: () => process.exit(3)
}

const program = Effect.gen(function* () {
  const device = yield* TerminalDevice.open({ plain: false, onResize: () => undefined })
  yield* device.write("open \u001b[?25l")
  ends[process.argv[2] ?? ""]?.()
  return yield* Effect.never
})
Effect.runFork(Effect.scoped(program))

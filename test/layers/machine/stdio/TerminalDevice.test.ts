import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../../../support/host/HostProcess.ts"
import { open } from "../../../support/terminal/TerminalHost.ts"
import { assertSane } from "../../../support/terminal/Sessions.ts"

const device = join(root, "test/support/terminal/device.ts")

describe("the terminal", () => {
  const ends: ReadonlyArray<readonly [string, number]> = [
    ["throw", 1],
    ["reject", 1],
    ["exit", 3]
  ]
  for (const [end, code] of ends) {
    it.live(`gets its modes back when the process ends by ${end}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const host = yield* open({ command: [process.execPath, device, end] })
          assert.strictEqual(yield* Effect.promise(() => host.exited), code)
          assert.include(host.raw(), "\u001b[?2004h")
          assertSane(host)
        })
      )
    )
  }
})

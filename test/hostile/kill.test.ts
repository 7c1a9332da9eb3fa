/** What was acknowledged survives SIGKILL: queued messages, too, and exactly once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KillSweep from "../support/host/KillSweep.ts"

/** Spread over the script; `npm run torture` kills after every line. */
const kills = 8

it.live(
  "a process that is killed after any line loses nothing, doubles nothing and brings nothing back",
  () =>
    Effect.gen(function* () {
      const { faults, lines } = yield* KillSweep.killAt(Number.POSITIVE_INFINITY)
      assert.deepStrictEqual(faults, [])
      const at = Array.from({ length: kills }, (_, n) => Math.ceil(((n + 1) * lines) / (kills + 1)))
      assert.deepStrictEqual(yield* KillSweep.sweep(at), [])
    }),
  120_000
)

/** What holds the tools at the start, in words for the person at the terminal. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Approvals } from "../../../../services/Approvals.ts"
import { Sandbox, type SandboxInForce, Unheld } from "../../../../services/machine/Sandbox.ts"
import { Sessions } from "../../../../services/session/Sessions.ts"

const held = ({ mode, network }: SandboxInForce): string => {
  const where = mode === "read-only" ? "can write nothing here" : "can write in this folder only"
  return `sandbox: commands ${where}${network === "off" ? ", and reach no network" : ""}`
}

const modes = {
  ask: "you are asked about the rest",
  deny: "the rest is denied",
  off: "nothing is asked"
} as const

/** One sentence. */
export const words = Effect.gen(function* () {
  const sessions = yield* Sessions
  const mode = Context.get(yield* sessions.current, Approvals).mode()
  const sandbox = yield* Sandbox
  if (sandbox !== undefined) return `${held(sandbox)} · ${modes[mode]}`
  const unheld = yield* Unheld
  const none = unheld === undefined ? "no sandbox" : `no sandbox (${unheld})`
  const asked = mode === "ask" ? "you are asked before what is not known to be harmless" : modes[mode]
  return `${none} · ${asked}`
})

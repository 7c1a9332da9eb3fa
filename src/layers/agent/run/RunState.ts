/**
 * What a session's agent is doing, as one value. All transitions are here, and nothing else changes the state.
 *
 *   Idle ──accept──▶ Accepting ──begin──▶ Running ──end──▶ Ending ──settle──▶ Idle
 *    │                   │                   ▲                │
 *    │                   └──settle──▶ Idle   └─────goOn───────┘
 *    └──compact──▶ Compacting ──settle──▶ Idle
 *
 * After `close` every claim is refused, and what would return to Idle becomes Closed.
 */
import { AgentBusy, AgentClosing } from "../../../services/Agent.ts"

export type State =
  | { readonly _tag: "Idle" }
  /** A prompt is being checked and stored. */
  | { readonly _tag: "Accepting" }
  | { readonly _tag: "Running"; readonly runId: string }
  /** The model has nothing more to do; late records are stored, and queued messages may continue the run. */
  | { readonly _tag: "Ending"; readonly runId: string }
  /** The command `compact` keeps prompts away. */
  | { readonly _tag: "Compacting" }
  | { readonly _tag: "Closed" }

export type RunState = ReturnType<typeof make>

export const make = () => {
  let state: State = { _tag: "Idle" }
  let closing = false

  const claim = (next: State): AgentBusy | AgentClosing | undefined => {
    if (closing) return new AgentClosing()
    if (state._tag !== "Idle") return new AgentBusy()
    state = next
    return undefined
  }
  const settle = () => {
    state = { _tag: closing ? "Closed" : "Idle" }
  }

  return {
    current: () => state,
    /** A prompt or the command `compact` has claimed the session. */
    isBusy: () => state._tag !== "Idle" && state._tag !== "Closed",
    /** From the check of a prompt to the end of its run. */
    isPrompted: () => state._tag === "Accepting" || state._tag === "Running" || state._tag === "Ending",
    /** A queued message would be delivered by the run. */
    takesMessages: () => state._tag === "Running" || state._tag === "Ending",
    isClosing: () => closing,
    /** Answers why the claim is refused. */
    accept: () => claim({ _tag: "Accepting" }),
    compact: () => claim({ _tag: "Compacting" }),
    begin: (runId: string) => {
      state = { _tag: "Running", runId }
    },
    end: (runId: string) => {
      state = { _tag: "Ending", runId }
    },
    goOn: (runId: string) => {
      state = { _tag: "Running", runId }
    },
    settle,
    close: () => {
      closing = true
      if (state._tag === "Idle") settle()
    }
  }
}

/** What all subagents below one session share, at whatever depth they are: who runs, where transcripts are, who listens. */
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { SubagentInfo } from "../../../domain/subagents/Subagent.ts"
import type { UnknownSubagent } from "../../../services/delegation/Subagents.ts"

export interface LiveSubagent {
  readonly info: () => SubagentInfo
  readonly steer: (message: string) => Effect.Effect<void, UnknownSubagent>
}

export interface Family {
  /** By id, in the order of their start. */
  readonly live: Map<string, LiveSubagent>
  /** The session files of all subagents so far, by id. */
  readonly transcripts: Map<string, string>
  /** Publishes in the session at the top. */
  readonly publish: (event: AgentEvent) => void
  /** Whether events of subagents were requested. */
  forwards: boolean
}

export const make = (publish: (event: AgentEvent) => void): Family => ({
  live: new Map(),
  transcripts: new Map(),
  publish,
  forwards: false
})

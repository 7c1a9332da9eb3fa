/** What is published when the agent has come to another session: its place first, then its name. */
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { SessionInfo } from "../../../services/session/Session.ts"

export const events = ({ epoch, file, name, sessionId }: SessionInfo): ReadonlyArray<AgentEvent> => [
  {
    _tag: "SessionChanged",
    sessionId,
    epoch,
    ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) })
  },
  { _tag: "SessionNamed", ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) }) }
]

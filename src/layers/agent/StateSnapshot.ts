/** Reads the state of an agent for `get_state`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isPrompted, isSettled } from "../../domain/inbox/State.ts"
import type { AgentState } from "../../services/Agent.ts"
import type { Session } from "../../services/session/Session.ts"
import type { Contribution, ModuleState } from "../../services/session/SessionCore.ts"
import type { ControlValues } from "../../services/session/Controls.ts"
import type { Messages } from "./inbox/Messages.ts"
import type * as ManualCompaction from "./compaction/ManualCompaction.ts"

interface Sources {
  readonly controls: () => ControlValues
  readonly session: typeof Session.Service
  readonly messages: Messages
  readonly manual: ReturnType<typeof ManualCompaction.make>
  readonly contributions: () => ReadonlyArray<Contribution>
}

export const make = ({ contributions, controls, manual, messages, session }: Sources) =>
  Effect.gen(function* () {
    const isManual = yield* manual.isActive
    const { file, sessionId } = yield* session.info
    const { wantedLevel: _wanted, ...inForce } = controls()
    let ofModules: ModuleState = {}
    for (const contribution of contributions()) {
      if (contribution.state !== undefined) ofModules = { ...ofModules, ...(yield* contribution.state) }
    }
    const state = messages.state()
    const snapshot: AgentState = {
      ...inForce,
      sessionId,
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      isStreaming: isPrompted(state) && !isManual,
      isSettled: isSettled(state) && !isPrompted(state),
      messageCount: yield* session.messageCount,
      queue: state.queue,
      ...ofModules,
      isCompacting: isManual || ofModules.isCompacting === true
    }
    return snapshot
  })

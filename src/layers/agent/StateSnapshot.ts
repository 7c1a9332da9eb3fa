/** Reads the state of an agent for `get_state`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentState } from "../../services/Agent.ts"
import type { Session } from "../../services/session/Session.ts"
import type { Contribution, ModuleState } from "../../services/session/SessionCore.ts"
import type { ControlValues } from "../../services/session/Controls.ts"
import type { OpenPrompts } from "./inbox/OpenPrompts.ts"
import type { SessionQueue } from "./inbox/SessionQueue.ts"
import type * as ManualCompaction from "./compaction/ManualCompaction.ts"
import type { RunState } from "./run/RunState.ts"

interface Sources {
  readonly controls: () => ControlValues
  readonly session: typeof Session.Service
  readonly state: RunState
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
  readonly manual: ReturnType<typeof ManualCompaction.make>
  readonly contributions: () => ReadonlyArray<Contribution>
}

export const make = ({ controls, manual, prompts, contributions, queue, session, state }: Sources) =>
  Effect.gen(function* () {
    const isManual = yield* manual.isActive
    const { file, sessionId } = yield* session.info
    const { wantedLevel: _wanted, ...inForce } = controls()
    let ofModules: ModuleState = {}
    for (const contribution of contributions()) {
      if (contribution.state !== undefined) ofModules = { ...ofModules, ...(yield* contribution.state) }
    }
    const snapshot: AgentState = {
      ...inForce,
      sessionId,
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      isStreaming: state.isPrompted() && !isManual,
      isSettled: prompts.isSettled() && !state.isPrompted(),
      messageCount: yield* session.messageCount,
      queue: queue.current(),
      ...ofModules,
      isCompacting: isManual || ofModules.isCompacting === true
    }
    return snapshot
  })

/**
 * Subagents as hosts see them. The frames of pisces always come; those of the omp family, which have more, by subscription
 * (protocol.md 14.6, supplement 2.2, 5.1).
 */
import type { EventOf } from "../../domain/conversation/AgentEvent.ts"
import type { SubagentInfo } from "../../domain/subagents/Subagent.ts"

/** How much a host wants to hear of subagents (supplement 1.3): `progress` adds the frames of the omp family, `events` also those of the subagents' own sessions. */
export const levels = ["off", "progress", "events"] as const
export type Level = (typeof levels)[number]

export const isLevel = (value: unknown): value is Level => levels.some((level) => level === value)

type LifecycleStatus = "started" | "completed" | "failed" | "aborted"

/** The encoder leaves out absent members. */
const lifecycle = (info: SubagentInfo, status: LifecycleStatus) => ({
  type: "subagent_lifecycle",
  payload: {
    id: info.id,
    agent: info.agent,
    agentSource: info.agentSource,
    description: info.description,
    status,
    sessionFile: info.sessionFile,
    parentToolCallId: info.parentToolCallId,
    index: info.index
  }
})

const endStatus = ({ status }: SubagentInfo, exitCode: number): LifecycleStatus => {
  if (status === "completed" || status === "failed" || status === "aborted") return status
  return exitCode === 0 ? "completed" : "failed"
}

const progress = ({ agent, agentSource, assignment, index, parentToolCallId, sessionFile, ...info }: SubagentInfo) =>
  info.progress === undefined
    ? []
    : [
        {
          type: "subagent_progress",
          payload: {
            index,
            agent,
            agentSource,
            task: info.task ?? info.progress.task,
            assignment,
            parentToolCallId,
            progress: info.progress,
            sessionFile
          }
        }
      ]

type Step = EventOf<"SubagentStarted" | "SubagentEnded" | "SubagentProgressed">

export const toFrames = (event: Step, level: Level): ReadonlyArray<object> => {
  const isSubscribed = level !== "off"
  const { subagent } = event
  const { agent, id } = subagent
  switch (event._tag) {
    case "SubagentStarted": {
      const frame = { type: "subagent_start", id, agent, isolated: event.isolated }
      return isSubscribed ? [frame, lifecycle(subagent, "started")] : [frame]
    }
    case "SubagentEnded": {
      const { exitCode, verification } = event
      const frame = { type: "subagent_end", id, agent, exitCode, verification }
      return isSubscribed ? [frame, lifecycle(subagent, endStatus(subagent, exitCode))] : [frame]
    }
    case "SubagentProgressed":
      return isSubscribed ? progress(subagent) : []
  }
}

/**
 * Subagents and budgets as hosts see them. The frames of pisces always come; those of the omp family, which tell more, by
 * subscription (protocol.md 14.6, 15, supplement 2.2, 5.1).
 */
import type { AgentEvent, SubagentChange } from "../../domain/conversation/AgentEvent.ts"
import type { SubagentInfo } from "../../domain/subagents/Subagent.ts"
import type { Level } from "./Level.ts"

/** Those that SaidFrames.ts does not tell. */
export type LifeEvent = Exclude<SubagentChange, { readonly _tag: "SubagentSaid" }>
export type BudgetEvent = Extract<AgentEvent, { readonly _tag: "BudgetWarning" | "BudgetSpent" }>

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

export const toFrames = (event: LifeEvent, level: Level): ReadonlyArray<object> => {
  const isSubscribed = level !== "off"
  switch (event._tag) {
    case "SubagentStarted": {
      const { isolated, subagent } = event
      const frame = { type: "subagent_start", id: subagent.id, agent: subagent.agent, isolated }
      return isSubscribed ? [frame, lifecycle(subagent, "started")] : [frame]
    }
    case "SubagentEnded": {
      const { exitCode, subagent, verification } = event
      const frame = { type: "subagent_end", id: subagent.id, agent: subagent.agent, exitCode, verification }
      return isSubscribed ? [frame, lifecycle(subagent, endStatus(subagent, exitCode))] : [frame]
    }
    case "SubagentProgressed":
      return isSubscribed ? progress(event.subagent) : []
    default:
      return [verificationFrame(event)]
  }
}

type VerificationEvent = Exclude<LifeEvent, { readonly subagent: SubagentInfo }>

const verificationFrame = (event: VerificationEvent): object => {
  const { attempt, id } = event
  switch (event._tag) {
    case "VerificationStarted":
      return { type: "subagent_verification_start", id, attempt, profile: event.profile }
    case "VerificationCommandStarted":
      return { type: "subagent_verification_command_start", id, attempt, commandName: event.commandName }
    case "VerificationCommandEnded": {
      const { artifactId, commandName, durationMs, exitCode } = event
      return { type: "subagent_verification_command_end", id, attempt, commandName, exitCode, durationMs, artifactId }
    }
    case "VerificationEnded":
      return { type: "subagent_verification_end", id, attempt, status: event.status }
  }
}

export const budgetFrame = ({ _tag, id, scope, snapshot }: BudgetEvent): object => ({
  type: _tag === "BudgetWarning" ? "budget_warning" : "budget_exceeded",
  scope,
  ...(id === undefined ? {} : { id }),
  snapshot
})

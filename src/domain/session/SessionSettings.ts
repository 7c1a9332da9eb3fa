/** The model and the thinking level that a branch was left with (protocol.md 9.5). */
import type { ThinkingLevel } from "../model/Model.ts"
import type { SessionEntry } from "./SessionEntry.ts"
import { defined } from "../Values.ts"

export interface ModelName {
  readonly provider: string
  readonly modelId: string
}

export interface SessionSettings {
  readonly model?: ModelName
  readonly thinkingLevel?: ThinkingLevel
}

const modelOf = (entry: SessionEntry): ModelName | undefined => {
  if (entry.type === "model_change") return { provider: entry.provider, modelId: entry.modelId }
  if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.model === "") return undefined
  return { provider: entry.message.provider, modelId: entry.message.model }
}

/** The newest entry wins: a change, or an answer, which names its model. Absent if the branch has neither. */
export const settingsOf = (branch: ReadonlyArray<SessionEntry>): SessionSettings => {
  let model: ModelName | undefined
  let thinkingLevel: ThinkingLevel | undefined
  for (let at = branch.length - 1; at >= 0 && (model === undefined || thinkingLevel === undefined); at--) {
    const entry = branch[at]
    if (entry === undefined) continue
    model ??= modelOf(entry)
    if (entry.type === "thinking_level_change") thinkingLevel ??= entry.thinkingLevel
  }
  return defined({ model, thinkingLevel })
}

/** The model of a subagent: what the settings say of the agent, what the agent asks for, else that of its parent. */
import * as Effect from "effect/Effect"
import type { Model, ThinkingLevel } from "../../../../domain/model/Model.ts"
import { label } from "../../../../domain/model/Model.ts"
import type { AgentDefinition } from "../../../../domain/subagents/AgentDefinition.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as ModelSelection from "../../../session/modules/controls/ModelSelection.ts"

export interface ChosenModel {
  readonly model?: Model
  readonly thinkingLevel: ThinkingLevel
  /** The pattern that chose another model than the parent's. */
  readonly override?: string
}

interface Inherited {
  readonly model?: Model
  readonly thinkingLevel: ThinkingLevel
}

/**
 * A pattern such as `haiku` means a model of the provider that the parent uses. Only an agent of the user or of the
 * project may choose another provider: those that come with heddle do not know whom the user wants to pay.
 */
const find = (available: ReadonlyArray<Model>, pattern: string, agent: AgentDefinition, inherited: Inherited) => {
  const own = available.filter(({ provider }) => provider === inherited.model?.provider)
  const near = ModelSelection.matching(own, pattern)[0]
  return near ?? (agent.source === "bundled" ? undefined : ModelSelection.matching(available, pattern)[0])
}

/** The first pattern that names a model with a key decides. Names of roles that only other agents know match nothing. */
export const choose = Effect.fnUntraced(function* (agent: AgentDefinition, inherited: Inherited) {
  const catalog = yield* ModelCatalog
  const overridden = (yield* Settings)["task.agentModelOverrides"][agent.name]
  const patterns = overridden === undefined ? (agent.model ?? []) : [overridden]
  const available = patterns.length === 0 ? [] : yield* catalog.available
  for (const pattern of patterns) {
    const [name, level] = ModelSelection.splitLevel(pattern)
    const model = find(available, name, overridden === undefined ? agent : { ...agent, source: "user" }, inherited)
    if (model === undefined) continue
    const same = inherited.model !== undefined && label(model) === label(inherited.model)
    const chosen: ChosenModel = {
      model,
      thinkingLevel: agent.thinkingLevel ?? level ?? inherited.thinkingLevel,
      ...(same ? {} : { override: pattern })
    }
    return chosen
  }
  const chosen: ChosenModel = { ...inherited, thinkingLevel: agent.thinkingLevel ?? inherited.thinkingLevel }
  return chosen
})

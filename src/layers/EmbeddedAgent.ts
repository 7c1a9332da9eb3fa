/**
 * An agent inside a larger program: everything in memory, nothing read from the user's files or environment, nobody to
 * ask. What is left to provide is where models come from (ModelCatalog, ModelClient).
 */
import * as Layer from "effect/Layer"
import type { Model } from "../domain/model/Model.ts"
import type { HostTool } from "../services/host/HostTools.ts"
import type { SettingsValues } from "../services/Settings.ts"
import * as SessionAgent from "./agent/SessionAgent.ts"
import * as MemoryBudget from "./budget/MemoryBudget.ts"
import * as HtmlExport from "./export/HtmlExport.ts"
import * as HeadlessUi from "./host/HeadlessUi.ts"
import * as HostToolRegistry from "./host/HostToolRegistry.ts"
import * as LocalProcesses from "./platform/processes/LocalProcesses.ts"
import * as RandomIds from "./platform/RandomIds.ts"
import * as CurrentSession from "./session/CurrentSession.ts"
import * as StaticSettings from "./settings/StaticSettings.ts"
import * as LocalShell from "./tools/shell/LocalShell.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"

export interface EmbeddedAgentOptions {
  /** The folder the tools work in. */
  readonly cwd: string
  readonly model: Model
  readonly settings?: Partial<SettingsValues>
  readonly budget?: MemoryBudget.BudgetLimits
  /** Tools of the program itself, beside the built-in ones. */
  readonly hostTools?: ReadonlyArray<HostTool>
}

/** Their names are written in the program, so two of the same name are a bug in it. */
const hostTools = ({ hostTools: tools }: EmbeddedAgentOptions) =>
  tools === undefined ? HostToolRegistry.layer : Layer.orDie(HostToolRegistry.layerOf(tools))

/** Built anew for every use, so that two agents share nothing even when they are given the same value. */
export const layer = (options: EmbeddedAgentOptions) =>
  Layer.fresh(
    HtmlExport.layer(options).pipe(
      Layer.provideMerge(SessionAgent.layer({ cwd: options.cwd, model: options.model, scopedModels: [] })),
      Layer.provideMerge(ToolRegistry.layer({ cwd: options.cwd })),
      Layer.provideMerge(LocalShell.layer({ cwd: options.cwd })),
      Layer.provideMerge(MemoryBudget.layerResumed(options.budget ?? {})),
      Layer.provideMerge(CurrentSession.layerMemory(options)),
      Layer.provideMerge(Layer.mergeAll(hostTools(options), HeadlessUi.layer, LocalProcesses.layer, RandomIds.layer)),
      Layer.provideMerge(StaticSettings.layer(options.settings))
    )
  )

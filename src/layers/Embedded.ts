/**
 * An agent inside a program, all in memory, without files of the user. The program provides ModelCatalog and
 * ModelClient.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Model, ThinkingLevel } from "../domain/model/Model.ts"
import { defined } from "../domain/Values.ts"
import { Subagents } from "../services/delegation/Delegation.ts"
import { none } from "../services/delegation/Subagents.ts"
import { type HostTool, HostTools } from "../services/host/HostTools.ts"
import type { Ids } from "../services/Ids.ts"
import { SessionStore } from "../services/storage/SessionStore.ts"
import type { SettingsValues } from "../services/Settings.ts"
import * as SessionAgent from "./session/core/SessionAgent.ts"
import * as HostSessions from "./session/registry/HostSessions.ts"
import * as MemoryBudget from "./session/modules/budget/MemoryBudget.ts"
import * as HtmlExport from "./storage/export/HtmlExport.ts"
import * as HostToolRegistry from "./tools/host/HostToolRegistry.ts"
import * as InProcessApprover from "./host/InProcessApprover.ts"
import * as InProcessUi from "./host/InProcessUi.ts"
import * as SwitchedUi from "./host/SwitchedUi.ts"
import * as LocalFiles from "./machine/files/LocalFiles.ts"
import * as LocalProcesses from "./machine/processes/LocalProcesses.ts"
import * as RandomIds from "./machine/engine/RandomIds.ts"
import * as CurrentSession from "./session/core/CurrentSession.ts"
import * as MemorySessionStore from "./storage/sessions/MemorySessionStore.ts"
import type { AgentPlan } from "./session/SessionPlan.ts"
import { standard } from "./session/standard.ts"
import * as StaticSettings from "./workspace/settings/StaticSettings.ts"
import * as Delegation from "./delegation/subagents/Delegation.ts"
import * as LocalSubagents from "./delegation/subagents/LocalSubagents.ts"
import * as LocalShell from "./tools/shell/LocalShell.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"

export interface EmbeddedAgentOptions {
  /** The folder the tools work in. */
  readonly cwd: string
  readonly model: Model
  readonly thinkingLevel?: ThinkingLevel
  /** In place of the built-in instructions. */
  readonly systemPrompt?: string
  /** Behind the built-in instructions, or those of `systemPrompt`. */
  readonly appendSystemPrompt?: string
  /** Names of the built-in tools to offer. Default: all of them. */
  readonly tools?: ReadonlyArray<string>
  /** Where sessions are kept. Default: in memory. */
  readonly store?: Layer.Layer<SessionStore, never, Ids>
  /** Ids of sessions, runs and messages. Default: random ones. */
  readonly ids?: Layer.Layer<Ids>
  readonly settings?: Partial<SettingsValues>
  readonly budget?: MemoryBudget.BudgetLimits
  /** The modules of sessions, such as `standard.add(mine)`. Default: `standard`. */
  readonly plan?: AgentPlan
  /** Tools of the program itself, beside the built-in ones. */
  readonly hostTools?: ReadonlyArray<HostTool>
  /** Functions that ask the user of the program. */
  readonly ui?: InProcessUi.UiFunctions
  /**
   * Asked whether an effect may happen, such as a command or a change of a file. Which effects are asked about is in `settings`:
   * `{ "approvals.mode": "ask" }`. Without it they are denied, unless a host is served that can answer.
   */
  readonly approve?: InProcessApprover.Approve
  /** Lets the agent delegate to subagents. Without it, it has no tool `task`. */
  readonly subagents?: {
    /** Has the agents of the user in `agents`, and the worktrees of isolated tasks in `wt`. */
    readonly agentDir: string
  }
}

/** Their names are written in the program, so two of the same name are a bug in it. */
const hostTools = ({ hostTools: tools }: EmbeddedAgentOptions) =>
  tools === undefined ? Layer.sync(HostTools, HostToolRegistry.make) : Layer.orDie(HostToolRegistry.layerOf(tools))

/** Without functions of the program, a server that runs on these services asks its host. */
const ui = ({ approve, ids = RandomIds.layer, ui: functions }: EmbeddedAgentOptions) => {
  const dialogs = functions === undefined ? SwitchedUi.layer : Layer.provide(InProcessUi.layer(functions), ids)
  return approve === undefined ? dialogs : Layer.merge(dialogs, InProcessApprover.layer(approve))
}

const tools = ({ cwd, tools: names }: EmbeddedAgentOptions) => ToolRegistry.layer({ cwd, ...defined({ tools: names }) })

const agentOptions = ({
  appendSystemPrompt,
  cwd,
  model,
  plan = standard,
  systemPrompt,
  thinkingLevel
}: EmbeddedAgentOptions) => ({
  cwd,
  plan,
  model,
  scopedModels: [],
  ...defined({ thinkingLevel, replace: systemPrompt, append: appendSystemPrompt })
})

/** What a session needs beside models. It fails with `UnknownTool` if `tools` names one that does not exist. */
export const base = (options: EmbeddedAgentOptions) =>
  Layer.merge(tools(options), HtmlExport.layer(options)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(LocalShell.layer({ cwd: options.cwd }), options.store ?? MemorySessionStore.layer(options))
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        hostTools(options),
        ui(options),
        options.ids ?? RandomIds.layer,
        LocalFiles.layer,
        LocalProcesses.layer,
        StaticSettings.layer(options.settings),
        MemoryBudget.layer(options.budget ?? {})
      )
    )
  )

const subagents = ({ cwd, subagents: wanted }: EmbeddedAgentOptions) => {
  if (wanted === undefined) return Layer.succeed(Subagents, () => none)
  const folders = { cwd, agentDir: wanted.agentDir }
  return LocalSubagents.layer(folders).pipe(Layer.provide([Delegation.worktrees(folders), Delegation.verification]))
}

const newSession = Effect.orDie(Effect.flatMap(SessionStore, (store) => store.create({})))

/** One session. Each call makes a layer of its own: two agents share nothing, even when they are built together. */
export const layer = (options: EmbeddedAgentOptions) =>
  SessionAgent.layer(agentOptions(options)).pipe(
    Layer.provideMerge(CurrentSession.layer),
    Layer.provide(CurrentSession.layerLog(newSession)),
    Layer.provide(subagents(options)),
    Layer.provideMerge(base(options))
  )

/** Sessions that the program goes through, one after the other or side by side. */
export const layerSessions = (options: EmbeddedAgentOptions) =>
  HostSessions.layer({
    ...agentOptions(options),
    first: newSession,
    start: () => Effect.succeed(agentOptions(options))
  }).pipe(Layer.provide(subagents(options)), Layer.provideMerge(base(options)))

/** The modules of sessions, and the lists of them. A list is the order in which they are built and asked. */
import type { TagTypeId } from "effect/Context"
import type { SessionApprovals } from "../../services/Approvals.ts"
import type { SessionBudget } from "../../services/session/modules/Budget.ts"
import type { ParentSession } from "../../services/delegation/Delegation.ts"
import type { SessionSubagents } from "../../services/delegation/Subagents.ts"
import type { Contributor } from "../../services/hooks/Hooks.ts"
import type { Tools } from "../../services/Tools.ts"
import * as CompactionModule from "./modules/compaction/CompactionModule.ts"
import * as Controls from "./modules/controls/Controls.ts"
import * as InstructionsModule from "./modules/instructions/InstructionsModule.ts"
import * as ExtensionEntries from "./inbox/ExtensionEntries.ts"
import * as Retries from "./modules/retries/Retries.ts"
import * as ApprovalsModule from "./modules/approvals/ApprovalsModule.ts"
import * as BudgetModule from "./modules/budget/BudgetModule.ts"
import * as CommandsModule from "./modules/commands/CommandsModule.ts"
import * as HooksModule from "./modules/hooks/HooksModule.ts"
import * as SessionRules from "./modules/rules/SessionRules.ts"
import * as SubagentsModule from "../delegation/subagents/SubagentsModule.ts"
import * as TodosModule from "./modules/todos/TodosModule.ts"
import * as AskModule from "../tools/ask/AskModule.ts"
import * as ToolsModule from "../tools/ToolsModule.ts"
import * as SandboxModule from "./modules/sandbox/SandboxModule.ts"
import * as SessionPlan from "./SessionPlan.ts"

/** The types of modules have it in them, and declarations can name only what is imported here. */
export type Named = typeof TagTypeId

export const approvals = ApprovalsModule.module
export const ask = AskModule.module
export const budget = BudgetModule.module
export const commands = CommandsModule.module
export const compaction = CompactionModule.module
export const controls = Controls.module
export const extensionEntries = ExtensionEntries.module
export const hooks = HooksModule.module
export const instructions = InstructionsModule.module
export const retries = Retries.module
export const rules = SessionRules.module
export const sandbox = SandboxModule.module
export const subagents = SubagentsModule.module
export const todos = TodosModule.module
export const tools = ToolsModule.module

/** A session that a host is in. Of what is decided after a turn, and before the next one, each module has its say in this order. */
export const standard = SessionPlan.core
  .add(hooks)
  .add(approvals)
  .add(commands)
  .add(controls)
  .add(budget)
  .add(tools)
  .add(instructions)
  .add(retries)
  .add(compaction)
  .add(todos)
  .add(rules)
  .add(ask)
  .add(subagents)
  .add(extensionEntries)

/** Where a sandbox is in force. Without one no session pays for its module. */
export const sandboxed = standard.add(sandbox)

/** What the session of a subagent has from the one that has started it. */
export interface FromParent {
  readonly approvals: SessionApprovals
  readonly budget: SessionBudget
  readonly contributors: ReadonlyArray<Contributor>
  readonly subagents: (parent: ParentSession) => SessionSubagents
  readonly tools: typeof Tools.Service
}

/** The session of a subagent: it has no todo list, and no user to ask. */
export const child = ({ approvals: above, budget, contributors, subagents, tools }: FromParent) =>
  SessionPlan.core
    .add(HooksModule.of(contributors))
    .add(ApprovalsModule.of(above))
    .add(commands)
    .add(controls)
    .add(BudgetModule.of(budget))
    .add(ToolsModule.of(tools))
    .add(instructions)
    .add(retries)
    .add(compaction)
    .add(rules)
    .add(SubagentsModule.of(subagents))

/** The modules of sessions, and the lists of them. A list is the order in which they are built and asked. */
import * as BudgetModule from "../budget/BudgetModule.ts"
import * as CompactionModule from "../agent/compaction/CompactionModule.ts"
import * as Controls from "../agent/model/Controls.ts"
import * as Retries from "../agent/modules/Retries.ts"
import * as AskModule from "../tools/ask/AskModule.ts"
import * as SessionRules from "../rules/SessionRules.ts"
import * as ToolsModule from "../tools/ToolsModule.ts"
import * as TodosModule from "../todo/TodosModule.ts"
import * as SessionPlan from "./SessionPlan.ts"

export const budget = BudgetModule.module
export const ask = AskModule.module
export const compaction = CompactionModule.module
export const controls = Controls.module
export const retries = Retries.module
export const rules = SessionRules.module
export const todos = TodosModule.module
export const tools = ToolsModule.module

/** A session that a host is in. Of what is decided after a turn, and before the next one, each module has its say in this order. */
export const standard = SessionPlan.core
  .add(controls)
  .add(budget)
  .add(tools)
  .add(retries)
  .add(compaction)
  .add(todos)
  .add(rules)
  .add(ask)

/** The session of a subagent: it has no todo list, and no user to ask. */
export const child = SessionPlan.core.add(controls).add(budget).add(tools).add(retries).add(compaction).add(rules)

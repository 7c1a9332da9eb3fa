/** The modules of sessions, and the lists of them. A list is the order in which they are built and asked. */
import * as Retries from "../agent/modules/Retries.ts"
import * as AskModule from "../tools/ask/AskModule.ts"
import * as ToolsModule from "../tools/ToolsModule.ts"
import * as TodosModule from "../todo/TodosModule.ts"
import * as SessionPlan from "./SessionPlan.ts"

export const ask = AskModule.module
export const retries = Retries.module
export const todos = TodosModule.module
export const tools = ToolsModule.module

/** A session that a host is in. */
export const standard = SessionPlan.core.add(tools).add(retries).add(todos).add(ask)

/** The session of a subagent: nobody sees its list, and it asks nobody. */
export const child = SessionPlan.core.add(tools).add(retries)

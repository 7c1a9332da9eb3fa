/** All commands. Dispatch, docs/rpc.md and docs/rpc.schema.json are made from this list. */
import type { HostTools } from "../services/host/HostTools.ts"
import type { ModelCatalog } from "../services/model/ModelCatalog.ts"
import type { Sessions, SessionServices } from "../services/session/Sessions.ts"
import type { SessionExport } from "../services/storage/SessionExport.ts"
import type { Shell } from "../services/Shell.ts"
import type { Command } from "./Command.ts"
import * as approvals from "./approvals/commands.ts"
import * as bash from "./commands/bash.ts"
import * as budget from "./commands/budget.ts"
import * as compaction from "./commands/compaction.ts"
import * as messages from "./commands/messages.ts"
import * as fibers from "./commands/fibers.ts"
import * as hostTools from "./commands/hostTools.ts"
import * as listings from "./commands/listings.ts"
import * as model from "./commands/model.ts"
import * as prompting from "./commands/prompting.ts"
import * as protocol from "./commands/protocol.ts"
import * as queue from "./commands/queue.ts"
import * as session from "./commands/sessions/session.ts"
import * as sessionInfo from "./commands/sessions/sessionInfo.ts"
import * as sessionList from "./commands/sessions/sessionList.ts"
import * as sessionTree from "./commands/sessions/sessionTree.ts"
import * as state from "./commands/state.ts"
import * as slash from "./slash/commands.ts"
import * as subagents from "./subagents/commands.ts"
import * as todos from "./todos/commands.ts"

/** The services of the process that handlers use. */
export type ProcessServices = HostTools | ModelCatalog | SessionExport | Sessions | Shell

/** Those, and the services of the session that a command is for. */
export type CommandServices = ProcessServices | SessionServices

export const commands: ReadonlyArray<Command<CommandServices>> = [
  ...prompting.commands,
  ...queue.commands,
  ...state.commands,
  ...messages.commands,
  ...session.commands,
  ...sessionTree.commands,
  ...sessionInfo.commands,
  ...sessionList.commands,
  ...model.commands,
  ...compaction.commands,
  ...budget.commands,
  ...bash.commands,
  ...approvals.commands,
  ...hostTools.commands,
  ...todos.commands,
  ...subagents.commands,
  ...fibers.commands,
  ...slash.commands,
  ...listings.commands,
  ...protocol.commands
]

/** The tools that heddle brings along, in the order in which models are shown them. */
import type * as Context from "effect/Context"
import type { Files } from "../../services/machine/Files.ts"
import type { Processes } from "../../services/machine/Processes.ts"
import type { Tool } from "../../services/Tools.ts"
import * as Ask from "./Ask.ts"
import * as Bash from "./Bash.ts"
import * as Edit from "./Edit.ts"
import type { FileLedger } from "./files/FileLedger.ts"
import * as Find from "./Find.ts"
import * as Grep from "./Grep.ts"
import * as Ls from "./Ls.ts"
import * as Read from "./Read.ts"
import * as TodoWrite from "./TodoWrite.ts"
import * as Write from "./Write.ts"

export interface BuiltInOptions extends Bash.BashOptions, Ask.AskToolOptions, TodoWrite.TodoToolOptions {
  readonly ledger: FileLedger
  /** The services that the tools reach the machine through. */
  readonly machine: Context.Context<Files | Processes>
}

export const builtIn = (options: BuiltInOptions): ReadonlyArray<Tool> => [
  Read.make(options),
  Bash.make(options),
  Edit.make(options),
  Write.make(options),
  Grep.make(options),
  Find.make(options),
  Ls.make(options),
  TodoWrite.make(options),
  Ask.make(options)
]

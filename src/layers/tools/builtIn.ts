/** The tools that work on the machine, in the order in which models are shown them. */
import type * as Context from "effect/Context"
import type { Files } from "../../services/machine/Files.ts"
import type { Processes } from "../../services/machine/Processes.ts"
import type { Tool } from "../../services/Tools.ts"
import * as Bash from "./shell/Bash.ts"
import * as Edit from "./edit/Edit.ts"
import type { FileLedger } from "../../services/session/SessionFiles.ts"
import * as Find from "./search/Find.ts"
import * as Grep from "./search/Grep.ts"
import * as Ls from "./files/Ls.ts"
import * as Read from "./files/Read.ts"
import * as Write from "./files/Write.ts"

export interface BuiltInOptions extends Bash.BashOptions {
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
  Ls.make(options)
]

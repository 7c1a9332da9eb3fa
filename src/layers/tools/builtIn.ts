/** The tools that heddle brings along, in the order in which models are shown them. */
import type { Tool } from "../../services/Tools.ts"
import * as Bash from "./Bash.ts"
import * as Edit from "./Edit.ts"
import type { FileLedger } from "./files/FileLedger.ts"
import * as Find from "./Find.ts"
import * as Grep from "./Grep.ts"
import * as Ls from "./Ls.ts"
import * as Read from "./Read.ts"
import * as Write from "./Write.ts"

export interface BuiltInOptions extends Bash.BashOptions {
  readonly ledger: FileLedger
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

/** The tools that heddle brings along, in the order in which models are shown them. */
import type { Tool } from "../../services/Tools.ts"
import * as Bash from "./Bash.ts"
import * as Edit from "./Edit.ts"
import * as FileLedger from "./FileLedger.ts"
import * as Find from "./Find.ts"
import * as Grep from "./Grep.ts"
import * as Ls from "./Ls.ts"
import * as Read from "./Read.ts"
import * as Write from "./Write.ts"

/** Called once a session: the ledger of its files is made here. */
export const builtIn = (options: Bash.BashOptions): ReadonlyArray<Tool> => {
  const withLedger = { ...options, ledger: FileLedger.make() }
  return [
    Read.make(withLedger),
    Bash.make(options),
    Edit.make(withLedger),
    Write.make(withLedger),
    Grep.make(options),
    Find.make(options),
    Ls.make(options)
  ]
}

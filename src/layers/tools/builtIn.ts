/** The tools that heddle brings along, in the order in which models are shown them. */
import type { Tool } from "../../services/Tools.ts"
import * as Bash from "./Bash.ts"
import * as Ls from "./Ls.ts"
import * as Read from "./Read.ts"

export const builtIn = (options: Bash.BashOptions): ReadonlyArray<Tool> => [
  Read.make(options),
  Bash.make(options),
  Ls.make(options)
]

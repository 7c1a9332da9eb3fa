/** What is invisible in a sandbox: keys, tokens and conversations. Looked for anew for each command. */
import { hiddenOf } from "../../../domain/approvals/Subject.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import * as Host from "./system/Host.ts"
import type { Hidden } from "./Policy.ts"

/** Every command has a folder of its own there. */
const replaced = "/run"

export interface Places {
  readonly cwd: string
  readonly agentDir: string
  readonly sessionDir?: string | undefined
  /** More of them, as people write paths. */
  readonly hidden: ReadonlyArray<string>
}

/** What exists of it, without links. */
export const paths = ({ agentDir, cwd, hidden, sessionDir }: Places): ReadonlyArray<Hidden> => {
  const wanted = hiddenOf({
    home: LocalPaths.home(),
    agentDir,
    sessionsDir: sessionDir ?? LocalPaths.join(agentDir, "sessions"),
    more: hidden.map((path) => LocalPaths.absolute(cwd, path))
  }).filter((path) => path !== replaced)
  const found = wanted.map(Host.real).filter((path) => path !== undefined)
  return [...new Set(found)].map((path) => ({ path, isFolder: Host.isFolder(path) }))
}

/** What is invisible in a sandbox: keys, tokens and conversations. Looked for anew for each command. */
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as Host from "../platform/sandbox/Host.ts"
import type { Hidden } from "./Policy.ts"

const ofHome = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".git-credentials",
  ".npmrc",
  ".pypirc",
  ".config/gcloud",
  ".config/gh"
]

/** Keys are in the first three. */
const ofAgent = ["auth.json", ".env", "models.json", "sessions"]

export interface Places {
  readonly cwd: string
  readonly agentDir: string
  readonly sessionDir?: string | undefined
  /** More of them, as people write paths. */
  readonly hidden: ReadonlyArray<string>
}

/** What exists of it, without links. */
export const paths = ({ agentDir, cwd, hidden, sessionDir }: Places): ReadonlyArray<Hidden> => {
  const home = LocalPaths.home()
  const wanted = [
    ...ofHome.map((name) => LocalPaths.join(home, name)),
    ...ofAgent.map((name) => LocalPaths.join(agentDir, name)),
    ...(sessionDir === undefined ? [] : [sessionDir]),
    ...hidden.map((path) => LocalPaths.absolute(cwd, path))
  ]
  const found = wanted.map(Host.real).filter((path) => path !== undefined)
  return [...new Set(found)].map((path) => ({ path, isFolder: Host.isFolder(path) }))
}

/** The services behind isolated subagents in a process. */
import * as Effect from "effect/Effect"
import { Worktrees } from "../../../services/delegation/Worktrees.ts"
import * as GitWorktrees from "../worktrees/GitWorktrees.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Verifier from "../verification/Verifier.ts"

interface Folders {
  readonly agentDir: string
  readonly cwd: string
}

const folderIn = (agentDir: string) => LocalPaths.join(agentDir, "wt")

/** Copies of the repository for isolated subagents. */
export const worktrees = ({ agentDir }: Folders) => GitWorktrees.layer({ folder: folderIn(agentDir) })

/** Checks of what isolated subagents bring back. */
export const verification = Verifier.layer

/** Removes the worktrees that an earlier process has left; a look into one folder where there are none. */
export const sweep = Effect.fnUntraced(function* ({ agentDir, cwd }: Folders) {
  const { list } = yield* OwnFiles
  const left = yield* Effect.orElseSucceed(list(folderIn(agentDir)), () => [])
  if (left.length === 0) return
  const { sweep: remove } = yield* Worktrees
  yield* Effect.forkScoped(remove(cwd))
})

/**
 * The services behind isolated subagents in a process. Their code is loaded with the first use: most processes start none.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Processes } from "../../services/machine/Processes.ts"
import type { Settings } from "../../services/Settings.ts"
import { Verification } from "../../services/delegation/Verification.ts"
import { Worktrees } from "../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
import { firstSuccess } from "../Sharing.ts"

interface Folders {
  readonly agentDir: string
  readonly cwd: string
}

const folderIn = (agentDir: string) => LocalPaths.join(agentDir, "wt")

/** Copies of the repository for isolated subagents. */
export const worktrees = ({ agentDir }: Folders) =>
  Layer.effect(
    Worktrees,
    Effect.map(Effect.context<Processes>(), (services) => {
      const load = Effect.promise(() => import("../isolation/GitWorktrees.ts"))
      const made = Effect.flatMap(load, ({ make }) => make({ folder: folderIn(agentDir) }))
      const loaded = firstSuccess(Effect.provide(made, services))
      return Worktrees.of({
        check: (cwd) => Effect.flatMap(loaded, ({ check }) => check(cwd)),
        open: (request) => Effect.flatMap(loaded, ({ open }) => open(request)),
        apply: (cwd, patch) => Effect.flatMap(loaded, ({ apply }) => apply(cwd, patch)),
        mergeBranches: (cwd, branches) => Effect.flatMap(loaded, ({ mergeBranches }) => mergeBranches(cwd, branches)),
        sweep: (cwd) => Effect.flatMap(loaded, ({ sweep }) => sweep(cwd))
      })
    })
  )

/** Checks of what isolated subagents bring back. */
export const verification = Layer.effect(
  Verification,
  Effect.map(Effect.context<Processes | Settings>(), (services) => {
    const load = Effect.promise(() => import("../verification/Verifier.ts"))
    const loaded = firstSuccess(Effect.flatMap(load, (Verifier) => Effect.provide(Verifier.make(), services)))
    return Verification.of({
      plan: (verify, options) => Effect.flatMap(loaded, ({ plan }) => plan(verify, options)),
      run: (request) => Effect.flatMap(loaded, ({ run }) => run(request))
    })
  })
)

/** Removes the worktrees that an earlier process has left; a look into one folder where there are none. */
export const sweep = Effect.fnUntraced(function* ({ agentDir, cwd }: Folders) {
  const { list } = yield* OwnFiles
  const left = yield* Effect.orElseSucceed(list(folderIn(agentDir)), () => [])
  if (left.length === 0) return
  const { sweep: remove } = yield* Worktrees
  yield* Effect.forkScoped(remove(cwd))
})

/** The working folders of a process, that of the user and those of isolated subagents, each with what is read-only in it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SandboxWorkspace } from "../../../services/machine/Sandbox.ts"
import { OwnFiles } from "../files/own/OwnFiles.ts"
import * as Host from "./system/Host.ts"
import * as Guard from "./Guard.ts"
import * as Hidden from "./Hidden.ts"
import type { Folders, SandboxOptions } from "./Options.ts"
import type { Policy } from "./Policy.ts"

export interface Workspace {
  /** The policy for what starts now. Waits for the look after the command before. */
  readonly policy: Effect.Effect<Policy>
  /** The policy as the last look has left it, for what cannot wait. */
  readonly latest: () => Policy
  /** Something runs with this policy until the scope closes, and may have changed the folder then. */
  readonly used: (policy: Policy) => Effect.Effect<void, never, Scope.Scope>
}

export interface Workspaces {
  /** That of the fiber which asks. */
  readonly current: Effect.Effect<Workspace>
}

const newRepository = (path: string) =>
  `A command has left a new repository in ${path}. Look at its hooks and its configuration before you run git there, because git may run what they name. From now on its .git is read-only in the sandbox.`

const tooMany = (root: string) =>
  `${root} has too many folders to look for repositories in all of them: those deep down are not protected by the sandbox.`

const none: Guard.Guarded = { kept: [], absent: [] }

/** The scope is that of the process: looks after commands run in it. */
export const make = Effect.fnUntraced(function* (
  options: SandboxOptions,
  { workspace, writable }: Folders,
  tell: (message: string) => void
) {
  const files = yield* OwnFiles
  const scope = yield* Effect.scope
  const { mode, network, tmpBytes } = options
  const open = (folder: string): Workspace => {
    const roots = mode === "read-only" ? [] : [folder, ...writable.filter((path) => path !== workspace)]
    const guard = Guard.make(
      files,
      { roots, workspace: folder, agentDir: options.agentDir },
      { repository: (path) => tell(newRepository(path)), partial: (root) => tell(tooMany(root)) }
    )
    let guarded = none
    let running = 0
    /** Empty folders that were made to have something to mount on. */
    const made = new Set<string>()
    const latest = (): Policy => ({
      mode,
      network,
      tmpBytes,
      workspace: folder,
      writable: roots,
      ...guarded,
      hidden: Hidden.paths(options)
    })
    const look = Effect.map(guard.guarded, (found) => void (guarded = found))
    const enter = ({ absent }: Policy) =>
      Effect.sync(() => {
        running++
        for (const path of absent) made.add(path)
      })
    // While another command runs, its mounts would go with the folders.
    const leave = Effect.suspend(() => {
      running--
      guard.stale()
      const empty = running === 0 ? [...made] : []
      if (running === 0) made.clear()
      return Effect.zipRight(Host.removeEmpty(empty), Effect.asVoid(Effect.forkIn(look, scope)))
    })
    return {
      latest,
      policy: Effect.map(look, latest),
      used: (policy) => Effect.acquireRelease(enter(policy), () => leave)
    }
  }
  const known = new Map<string, Workspace>()
  const at = (folder: string) => {
    const found = known.get(folder) ?? open(folder)
    known.set(folder, found)
    return found
  }
  yield* Effect.forkIn(at(workspace).policy, scope)
  return {
    current: Effect.map(SandboxWorkspace, (folder) =>
      at(folder === undefined ? workspace : (Host.real(folder) ?? folder))
    )
  } satisfies Workspaces
})

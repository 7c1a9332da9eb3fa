/**
 * What is read-only inside writable folders: the repositories in them with all that they lead to, and heddle's settings. A look
 * before the first command finds them, and one after each command finds those that are new.
 */
import * as Effect from "effect/Effect"
import * as GitFolder from "../../workspace/context/GitFolder.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import type { Files } from "../files/own/OwnFiles.ts"
import * as RepositoryWatch from "../files/folders/RepositoryWatch.ts"
import * as Host from "./system/Host.ts"
import { isIn } from "./Policy.ts"

export interface Guarded {
  readonly kept: ReadonlyArray<string>
  readonly absent: ReadonlyArray<string>
}

/** Heddle reads these of the working folder at its next start, so nobody may put them there either. */
const settings = [".heddle", ".pi"]

/** What a file `.git` names, and what that shares with other worktrees. */
const named = Effect.fnUntraced(function* (files: Files, path: string) {
  const text = yield* GitFolder.textOf(files, path)
  const target = /^gitdir: ([^\n\r\0]+)/.exec(text ?? "")?.[1]
  if (target === undefined) return []
  const folder = LocalPaths.resolve(LocalPaths.dirname(path), target)
  const shared = yield* GitFolder.textOf(files, LocalPaths.join(folder, "commondir"))
  const common = shared === undefined ? [] : [LocalPaths.resolve(folder, shared.trim())]
  return [folder, ...common]
})

/** All paths that have to be read-only on account of one find. */
const pathsOf = Effect.fnUntraced(function* (files: Files, root: string, { kind, path }: RepositoryWatch.Marked) {
  if (kind === "file") return [path, ...(yield* named(files, path))]
  if (kind !== "link") return [path]
  const target = Host.leadsTo(path)
  const above = LocalPaths.dirname(path)
  // Nothing can be mounted over a link, so the folder that it is in is read-only as a whole.
  return [target, ...(yield* named(files, target)), ...(above === root ? [] : [above])]
})

const repositoryOf = ({ kind, path }: RepositoryWatch.Marked) => (kind === "bare" ? path : LocalPaths.dirname(path))

interface Folders {
  readonly roots: ReadonlyArray<string>
  readonly workspace: string
  /** It has settings, too, and code that heddle loads. */
  readonly agentDir: string
}

export interface Guard {
  /** What is to be read-only now. Looks again only after `stale`. */
  readonly guarded: Effect.Effect<Guarded>
  readonly stale: () => void
}

/** `tell` gets the path of each repository that was not there at the first look. */
export const make = (
  files: Files,
  { agentDir, roots, workspace }: Folders,
  tell: { readonly repository: (path: string) => void; readonly partial: (root: string) => void }
): Guard => {
  const watches = roots.map((root) => ({ root, look: RepositoryWatch.make(root) }))
  const oneAtATime = Effect.unsafeMakeSemaphore(1)
  let known: ReadonlySet<string> | undefined
  let latest: { readonly at: number; readonly guarded: Guarded } | undefined
  /** A command may change the folders while they are looked at. */
  let changes = 0
  const lookAt = Effect.fnUntraced(function* ({ look, root }: (typeof watches)[number]) {
    const { found, isPartial } = yield* look
    if (isPartial && known === undefined) tell.partial(root)
    const paths = yield* Effect.forEach(found, (one) => pathsOf(files, root, one))
    return { repositories: found.filter(({ kind }) => kind !== "settings").map(repositoryOf), paths: paths.flat() }
  })
  const lookAtAll = Effect.gen(function* () {
    const looks = yield* Effect.forEach(watches, lookAt)
    const repositories = new Set(looks.flatMap((one) => one.repositories))
    for (const path of repositories) if (known?.has(path) === false) tell.repository(path)
    known = repositories
    const ofSettings = settings.map((name) => LocalPaths.join(workspace, name))
    const wanted = [...looks.flatMap(({ paths }) => paths), ...ofSettings, agentDir]
      .map(Host.leadsTo)
      // The worktree of an isolated agent is in the agent folder.
      .filter((path) => roots.some((root) => isIn(root, path)) && !(path !== workspace && isIn(path, workspace)))
    const isThere = (path: string) => Host.exists(path)
    return { kept: wanted.filter(isThere), absent: wanted.filter((path) => !isThere(path)).map(Host.firstMissing) }
  })
  const refresh = Effect.suspend(() => {
    if (latest?.at === changes) return Effect.succeed(latest.guarded)
    const at = changes
    return Effect.tap(lookAtAll, (guarded) => void (latest = { at, guarded }))
  })
  return {
    guarded: Effect.suspend(() =>
      roots.length === 0 ? Effect.succeed({ kept: [], absent: [] }) : oneAtATime.withPermits(1)(refresh)
    ),
    stale: () => void changes++
  }
}

/** Why the start is refused: what cannot be protected at the top of a writable folder. */
export const problem = Effect.fnUntraced(function* (roots: ReadonlyArray<string>) {
  for (const root of roots) {
    const links = (yield* RepositoryWatch.top(root)).filter(({ kind }) => kind === "link")
    const [link] = links
    if (link !== undefined)
      return `${link.path} is a link, which a sandbox cannot keep from being replaced. Put what it leads to in its place, or start in another folder.`
  }
  return undefined
})

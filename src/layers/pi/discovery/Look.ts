/** One look through folders: what it may read, and what it could not. Problems never stop a look. */
import * as Effect from "effect/Effect"
import { defined } from "../../../domain/Values.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { type FileRefused, type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as FolderEntries from "../../machine/files/folders/FolderEntries.ts"

export interface Problem {
  readonly path: string
  readonly message: string
}

export interface Look {
  readonly files: Files
  /** A folder of a stranger: files behind links out of it are not read. */
  readonly within?: string
  readonly report: (path: string, message: string) => void
  readonly problems: Effect.Effect<ReadonlyArray<Problem>>
  /** By name. Empty when there is no such folder, when it cannot be read, and when the look has read too much already. */
  readonly entries: (folder: string) => Effect.Effect<ReadonlyArray<FolderEntries.FolderEntry>>
}

/** Names that one look reads. No user has as many extensions. */
export interface Bounds {
  readonly inFolder: number
  readonly inAll: number
}
const defaultBounds: Bounds = { inFolder: 10_000, inAll: 50_000 }
const mostProblems = 100

const reasons = new Map([
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ENOTDIR", "is not a folder"],
  ["ELOOP", "is a link to itself"]
])

/** Absent where there is nothing, which is no problem. */
const reasonOf = ({ code, message }: FileRefused): string | undefined =>
  code === "ENOENT" ? undefined : (reasons.get(code) ?? message)

const over = (files: Files, { inAll, inFolder }: Bounds): Look => {
  /** By path and message: a folder may be looked at twice. */
  const problems = new Map<string, Problem>()
  let left = inAll
  const report = (path: string, message: string) => {
    if (problems.size < mostProblems) problems.set(`${path}\0${message}`, { path, message })
  }
  const read = Effect.fnUntraced(function* (folder: string) {
    if (left === 0) {
      report(folder, `was not looked at: ${inAll} entries of other folders were`)
      return []
    }
    const most = Math.min(left, inFolder)
    const { entries, hasMore } = yield* FolderEntries.read(folder, most)
    left -= entries.length
    if (hasMore) report(folder, `has more than ${most} entries that can be looked at; the others were left out`)
    return entries
  })
  return {
    files,
    report,
    problems: Effect.sync(() => [...problems.values()]),
    entries: (folder) =>
      Effect.catchAll(read(folder), (refusal) => {
        const reason = reasonOf(refusal)
        if (reason !== undefined) report(folder, reason)
        return Effect.succeed([])
      })
  }
}

export interface LookOptions {
  readonly bounds?: Bounds
  readonly within?: string
}

export const make = ({ bounds = defaultBounds, ...options }: LookOptions = {}) =>
  Effect.map(OwnFiles, (files): Look => ({ ...over(files, bounds), ...options }))

/** How the look reads a small file. */
export const readOptions = ({ within }: Look) => defined({ within })

/** `path` relative to `folder`, with `/` between the names. */
export const relative = (folder: string, path: string): string =>
  LocalPaths.relative(folder, path).replaceAll("\\", "/")

/**
 * Keeps a task from taking uncommitted work away: a `git reset --hard` in a worktree is a change like any other, which would
 * undo in the user's folder what cannot be had back. Such changes are left out of the patch, hunk by hunk.
 */
import * as Effect from "effect/Effect"
import { WorktreeFailed, type Withheld } from "../../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { Means } from "../Claim.ts"
import * as Diff from "../Diff.ts"
import { inPieces, type Call } from "../Git.ts"
import * as Hunks from "./Hunks.ts"
import type { Replayed } from "../Replay.ts"
import * as Snapshot from "../Snapshot.ts"

interface Work {
  readonly means: Means
  readonly replayed: Replayed
  readonly call: Call
  /** That of the task, and an index that has it. */
  readonly tree: string
  readonly index: string
  /** What the task has changed. */
  readonly changed: Diff.Changes
  /** What the user had changed since the commit, and since the index. */
  readonly mine: ReadonlyArray<readonly [base: string, changes: Diff.Changes]>
}

const isSame = (one: Diff.Entry | undefined, other: Diff.Entry | undefined) =>
  one?.mode === other?.mode && one?.hash === other?.hash

const isFile = ({ mode }: Diff.Entry) => mode.startsWith("100")

/** Deleted, brought back, or made into another kind of file. */
const isUndone = ({ after, before }: Diff.Change, mine: Diff.Change | undefined) =>
  mine !== undefined &&
  (after === undefined || before === undefined || isSame(after, mine.before) || !isFile(after) || !isFile(before))

const foldersAbove = (path: string) => {
  const parts = path.split("/")
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"))
}

/** New paths that have no room beside files of the user that stay. */
const inTheWay = (changed: Diff.Changes, whole: ReadonlyArray<string>): ReadonlyArray<string> => {
  const staying = new Set(whole.filter((path) => changed.get(path)?.after === undefined))
  const folders = new Set([...staying].flatMap(foldersAbove))
  return [...changed].flatMap(([path, { before }]) =>
    before === undefined && (folders.has(path) || foldersAbove(path).some((above) => staying.has(above))) ? [path] : []
  )
}

/** The sections of a patch between two trees, by path; a path has none if it has more than one. */
const sectionsOf = Effect.fnUntraced(function* (
  { call, means, replayed }: Work,
  trees: readonly [string, string],
  paths: ReadonlyArray<string>
) {
  const file = LocalPaths.join(replayed.claimed.scratch, "hunks.patch")
  const found = new Map<string, Hunks.Section>()
  for (const piece of inPieces(paths)) {
    yield* Diff.write(means, call, trees, file, { context: 0, paths: piece })
    const sections = Hunks.sections(yield* Effect.mapError(means.files.read(file), Snapshot.failed))
    if (sections.length !== piece.length) continue
    piece.forEach((path, at) => sections[at] !== undefined && found.set(path, sections[at]))
  }
  return found
})

interface Judged {
  readonly whole: ReadonlyArray<string>
  /** A patch that takes hunks back, line by line. */
  readonly patch: ReadonlyArray<Hunks.Line>
  readonly labels: ReadonlyMap<string, string>
  /** Files of which the task has replaced uncommitted lines with others. */
  readonly replaced: ReadonlyArray<string>
}

const judge = Effect.fnUntraced(function* (work: Work, texts: ReadonlyArray<string>) {
  const { changed, mine, replayed, tree } = work
  const restoring = yield* sectionsOf(work, [tree, replayed.baseline], texts)
  const own = yield* Effect.forEach(mine, ([base, changes]) =>
    sectionsOf(
      work,
      [base, replayed.baseline],
      texts.filter((path) => changes.has(path))
    )
  )
  const whole: Array<string> = []
  const patch: Array<Hunks.Line> = []
  const labels = new Map<string, string>()
  const replaced: Array<string> = []
  for (const path of texts) {
    const section = restoring.get(path)
    const modes = changed.get(path)
    const hasMode = modes?.before?.mode !== modes?.after?.mode
    const withMode = hasMode && mine.some(([, changes]) => changes.get(path)?.before?.mode === modes?.after?.mode)
    if (section === undefined || Hunks.isBinary(section)) {
      whole.push(path)
      continue
    }
    const mineHere = own.map((sections) => sections.get(path)?.hunks ?? [])
    const hunks = section.hunks.filter((hunk) => mineHere.some((uncommitted) => Hunks.undoes(hunk, uncommitted)))
    const others = section.hunks.filter((hunk) => !hunks.includes(hunk))
    if (others.some((hunk) => mineHere.some((uncommitted) => Hunks.taken(hunk, uncommitted) > 0))) replaced.push(path)
    if (hunks.length === 0 && !withMode) continue
    patch.push(...Hunks.patchOf(section, { hunks, withMode }))
    labels.set(path, [path, hunks.map(Hunks.label).join()].filter((part) => part !== "").join(":"))
  }
  return { whole, patch, labels, replaced } satisfies Judged
})

/** The tree of the task with the entries and the lines of the user put back. */
const restored = Effect.fnUntraced(function* ({ call, changed, index, means, replayed }: Work, judged: Judged) {
  const { files, git } = means
  const { scratch } = replayed.claimed
  const copy = LocalPaths.join(scratch, "restored.index")
  yield* Effect.mapError(files.copyFile(index, copy), Snapshot.failed)
  const own = Snapshot.withIndex(call, copy)
  const entries = judged.whole.map((path) => [path, changed.get(path)?.before] as const)
  const gone = entries.flatMap(([path, entry]) => (entry === undefined ? [path] : []))
  for (const piece of inPieces(gone)) yield* git.text(own, "update-index", "--force-remove", "--", ...piece)
  const back = entries.flatMap(([path, entry]) => (entry === undefined ? [] : [`${entry.mode},${entry.hash},${path}`]))
  for (const piece of inPieces(back))
    yield* git.text(own, "update-index", "--add", "--replace", ...piece.flatMap((info) => ["--cacheinfo", info]))
  if (judged.patch.length > 0) {
    const file = LocalPaths.join(scratch, "restoring.patch")
    yield* Snapshot.write(files, file, Buffer.concat(judged.patch.map(({ bytes }) => bytes)))
    yield* git.text(own, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", file)
  }
  return yield* git.text(own, "write-tree", "--missing-ok")
})

const copies = (
  { call, changed, index, means, replayed }: Work,
  leftOut: ReadonlyArray<string>,
  replaced: Judged["replaced"]
) =>
  Effect.fnUntraced(function* (folder: string) {
    const take = Effect.fnUntraced(function* (from: string, to: string, paths: ReadonlyArray<string>) {
      const prefix = `--prefix=${LocalPaths.join(folder, to)}/`
      for (const piece of inPieces(paths))
        yield* means.git.text(Snapshot.withIndex(call, from), "checkout-index", "-f", prefix, "--", ...piece)
    })
    const there = leftOut.filter((path) => (changed.get(path)?.after?.mode ?? Diff.gitlink) !== Diff.gitlink)
    yield* take(index, "task", there)
    yield* take(replayed.index, "before", replaced)
    return []
  })

export interface Guarded {
  /** What the task may change. */
  readonly tree: string
  readonly withheld: Withheld | undefined
}

export const guard = Effect.fnUntraced(function* (
  means: Means,
  replayed: Replayed,
  task: Pick<Work, "call" | "index" | "tree">
): Effect.fn.Return<Guarded, WorktreeFailed> {
  const { baseline, committed, staged } = replayed
  const { call, tree } = task
  const bases = [...new Set([committed, staged])].filter((base) => base !== baseline)
  if (bases.length === 0 || tree === baseline) return { tree, withheld: undefined }
  const changed = yield* Diff.changes(means.git, call, [baseline, tree])
  const mine = yield* Effect.forEach(bases, (base) =>
    Effect.map(Diff.changes(means.git, call, [base, baseline]), (changes) => [base, changes] as const)
  )
  const work: Work = { ...task, means, replayed, changed, mine }
  const contested = [...changed].filter(([path]) => mine.some(([, changes]) => changes.has(path)))
  if (contested.length === 0) return { tree, withheld: undefined }
  const unnamed = contested.find(([path]) => path.includes("\uFFFD"))
  if (unnamed !== undefined)
    return yield* Snapshot.failed({ message: `The name of a file that was not committed is not UTF-8: ${unnamed[0]}` })
  const isWhole = ([path, change]: readonly [string, Diff.Change]) =>
    mine.some(([, changes]) => isUndone(change, changes.get(path)))
  const undone = contested.filter(isWhole).map(([path]) => path)
  const judged = yield* judge(
    work,
    contested.filter((one) => !isWhole(one)).map(([path]) => path)
  )
  const taken = [...undone, ...judged.whole]
  const whole = [...new Set([...taken, ...inTheWay(changed, taken)])]
  const leftOut = [...whole, ...judged.labels.keys()]
  if (leftOut.length === 0 && judged.replaced.length === 0) return { tree, withheld: undefined }
  const withheld: Withheld = {
    leftOut: leftOut.map((path) => judged.labels.get(path) ?? path).toSorted(),
    replaced: judged.replaced,
    tooLarge: { paths: [], most: "" },
    copyTo: copies(work, leftOut, judged.replaced)
  }
  return { tree: leftOut.length === 0 ? tree : yield* restored(work, { ...judged, whole }), withheld }
})

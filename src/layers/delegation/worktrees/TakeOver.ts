/**
 * Changes files of the user, all of a patch or nothing, and loses none of them in a crash. git applies the patch to copies;
 * then each file is compared with its copy once more and replaced by a rename. The copies and a journal lie in the scratch
 * folder until the work is done.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import { listed } from "../../../domain/subagents/ResultText.ts"
import { defined } from "../../../domain/Values.ts"
import type { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { FileRefused, Files } from "../../machine/files/own/OwnFiles.ts"
import type { Call, Git, Variables } from "./Git.ts"
import { conflict, failed } from "./Snapshot.ts"

const Journal = Schema.Struct({
  root: Schema.String,
  /** Those that are removed come first: a folder may take the place of a file. */
  files: Schema.Array(Schema.String),
  /** The name that new files have before they are in their place. */
  draft: Schema.String,
  /** The HEAD that branches are merged onto; absent where a patch is applied alone. */
  head: optional(Schema.String)
})
type Journal = typeof Journal.Type

const flags = ["--binary", "--whitespace=nowarn"]
const journalIn = (scratch: string) => LocalPaths.join(scratch, "journal.json")
const beforeIn = (scratch: string) => LocalPaths.join(scratch, "before")
const afterIn = (scratch: string) => LocalPaths.join(scratch, "after")
export const patchIn = (scratch: string): string => LocalPaths.join(scratch, "changes.patch")
/** What a merge does to the index. */
export const indexPatchIn = (scratch: string): string => LocalPaths.join(scratch, "index.patch")

const run = (git: Git, call: Call, patch: string, ...more: ReadonlyArray<string>) =>
  Effect.asVoid(git.text(call, "apply", ...flags, ...more, patch))

/** Changes the index, and no files. An empty patch is none for git. */
export const toIndex = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, patch: string) {
  const state = yield* Effect.mapError(files.state(patch), failed)
  if ((state?.size ?? 0) > 0) yield* run(git, call, patch, "--cached")
})

/** From records `added\tdeleted\tpath`. Of a rename git reports the new name, and in reverse the old one. */
const namesIn = Effect.fnUntraced(function* (git: Git, call: Call, patch: string) {
  const output = yield* Effect.forEach([[], ["-R"]], (more) =>
    git.text(call, "apply", "--numstat", "-z", ...more, patch)
  )
  const records = output.flatMap((records) => records.split("\0"))
  return [...new Set(records.map((record) => record.replace(/^[\d-]+\t[\d-]+\t/, "")))].filter((name) => name !== "")
})

/** The folders above a path, relative like itself; the top is the empty one. */
const foldersAbove = (name: string): ReadonlyArray<string> =>
  name.split("/").map((_, at, parts) => parts.slice(0, at).join("/"))

/** Copies of the files, to look back at and to apply the patch to; attributes say how git writes line ends. */
const copyAll = Effect.fnUntraced(function* (
  files: Files,
  scratch: string,
  root: string,
  names: ReadonlyArray<string>
) {
  const attributes = new Set(names.flatMap(foldersAbove).map((folder) => LocalPaths.join(folder, ".gitattributes")))
  for (const name of attributes)
    yield* files.copyFile(LocalPaths.join(root, name), LocalPaths.join(afterIn(scratch), name))
  for (const name of names) {
    const before = LocalPaths.join(beforeIn(scratch), name)
    const after = LocalPaths.join(afterIn(scratch), name)
    if (yield* files.copyFile(LocalPaths.join(root, name), before)) yield* files.copyFile(before, after)
  }
  yield* files.makeFolder(afterIn(scratch))
}, Effect.mapError(failed))

const removedFirst = Effect.fnUntraced(function* (files: Files, scratch: string, names: ReadonlyArray<string>) {
  const isRemoved = yield* Effect.forEach(names, (name) =>
    files.isSame(LocalPaths.join(afterIn(scratch), name), LocalPaths.join(scratch, "nothing"))
  )
  return [...names.filter((_, at) => isRemoved[at]), ...names.filter((_, at) => isRemoved[at] !== true)]
})

type Side = "before" | "after"

const exchange = (files: Files, scratch: string, { draft, root }: Journal, name: string, from: Side, to: Side) =>
  files.exchange({
    path: LocalPaths.join(root, name),
    root,
    before: LocalPaths.join(scratch, from, name),
    after: LocalPaths.join(scratch, to, name),
    draft
  })

/** Puts the files back that are as this process has left them, the last one first. */
const putBack = (files: Files, scratch: string, journal: Journal, names: ReadonlyArray<string> = journal.files) =>
  Effect.forEach(names.toReversed(), (name) => exchange(files, scratch, journal, name, "after", "before"), {
    discard: true
  })

const changed = (name: string): FileRefused | WorktreeFailed =>
  conflict({ message: `${name} was changed while the changes were being applied. Nothing was applied.` })

const writeAll = Effect.fnUntraced(function* (files: Files, scratch: string, journal: Journal) {
  const done: Array<string> = []
  const write = Effect.forEach(
    journal.files,
    (name) =>
      Effect.flatMap(exchange(files, scratch, journal, name, "before", "after"), (isDone) =>
        isDone ? Effect.sync(() => void done.push(name)) : Effect.fail(changed(name))
      ),
    { discard: true }
  )
  yield* Effect.tapError(write, () => putBack(files, scratch, journal, done))
})

export interface Target {
  /** A folder for this alone. */
  readonly scratch: string
  readonly head?: string
}

/**
 * Applies the patch that is at `patchIn(scratch)`: all of it, or nothing. Returns how to take it back. The caller removes the
 * scratch folder when everything is done that belongs together.
 */
export const apply = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, target: Target) {
  const { head, scratch } = target
  const [patch, root] = [patchIn(scratch), call.cwd]
  if (((yield* Effect.mapError(files.state(patch), failed))?.size ?? 0) === 0) return Effect.void
  yield* Effect.mapError(git.text(call, "apply", "--check", ...flags, patch), conflict)
  const names = yield* namesIn(git, call, patch)
  yield* copyAll(files, scratch, root, names)
  const after = afterIn(scratch)
  const apart: Call = { ...call, cwd: after, env: { ...call.env, GIT_WORK_TREE: after } }
  yield* run(git, apart, patch)
  return yield* Effect.uninterruptible(
    Effect.gen(function* () {
      const draft = `.heddle-${LocalPaths.basename(scratch)}.tmp`
      const ordered = yield* removedFirst(files, scratch, names)
      const journal: Journal = { root, files: ordered, draft, ...defined({ head }) }
      yield* files.replace(journalIn(scratch), JSON.stringify(journal))
      yield* writeAll(files, scratch, journal)
      return putBack(files, scratch, journal)
    })
  ).pipe(
    Effect.catchTag("FileRefused", failed),
    Effect.map((undo) => Effect.mapError(undo, failed))
  )
})

const journalOf = Effect.fnUntraced(function* (files: Files, scratch: string) {
  const bytes = yield* files.read(journalIn(scratch))
  return yield* Schema.decodeUnknown(Schema.parseJson(Journal))(new TextDecoder().decode(bytes))
}, Effect.option)

const undoMerge = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, scratch: string, journal: Journal) {
  const index = indexPatchIn(scratch)
  const reversed = ["apply", "--check", "--cached", "-R", ...flags, index]
  const isInIndex = (yield* files.state(index)) !== undefined && (yield* git.end(call, ...reversed)).exitCode === 0
  if (isInIndex) yield* run(git, call, index, "--cached", "-R")
  yield* putBack(files, scratch, journal)
  return "heddle was stopped while it merged branches of tasks. The merge was undone; the branches are still there."
})

const undoPatch = Effect.fnUntraced(function* (files: Files, scratch: string, kept: string, journal: Journal) {
  const { files: names, root } = journal
  const isAll = (side: Side) =>
    Effect.every(names, (name) => files.isSame(LocalPaths.join(root, name), LocalPaths.join(scratch, side, name)))
  if ((yield* isAll("after")) || (yield* isAll("before"))) return undefined
  yield* putBack(files, scratch, journal)
  if (yield* isAll("before"))
    return `heddle was stopped while it applied the changes of a task. These files are as they were: ${listed(names)}`
  return yield* keep(files, scratch, kept)
})

const keep = (files: Files, scratch: string, kept: string) =>
  Effect.as(
    files.copyFolder(beforeIn(scratch), kept),
    `heddle was stopped while it applied the changes of a task. The files of that task as they were before: ${kept}`
  )

/** Whether a process was killed while it changed files. */
export const isUnfinished = (files: Files, scratch: string): Effect.Effect<boolean> =>
  Effect.map(Effect.option(files.state(journalIn(scratch))), (state) => Option.getOrUndefined(state) !== undefined)

/** git for the repository that has this top folder. */
type Enter = (root: string) => Effect.Effect<{ readonly git: Git; readonly config: Variables }, WorktreeFailed>

/** Finishes with what a process has left that was killed while it changed files. Says what the user should know. */
export const recover = (
  files: Files,
  { enter, kept, scratch }: { readonly enter: Enter; readonly scratch: string; readonly kept: string }
) =>
  Effect.gen(function* () {
    const journal = Option.getOrUndefined(yield* journalOf(files, scratch))
    if (journal === undefined) return undefined
    const { draft, files: names, head, root } = journal
    for (const folder of new Set(names.map((name) => LocalPaths.dirname(LocalPaths.join(root, name)))))
      yield* files.removeFolder(LocalPaths.join(folder, draft))
    if (head === undefined) return yield* undoPatch(files, scratch, kept, journal)
    const { config, git } = yield* enter(root)
    const call: Call = { cwd: root, config }
    const isOpen = (yield* git.text(call, "rev-parse", "HEAD")) === head
    return isOpen ? yield* undoMerge(git, files, call, scratch, journal) : undefined
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.map(
        Effect.orElseSucceed(keep(files, scratch, kept), () => `The copies in ${scratch} could not be kept.`),
        (output) => `${output} ${message}`
      )
    )
  )

/**
 * Changes files of the user so that a crash loses none of them: git removes a file before it writes it anew, so all files of
 * the patch are copied first. The copies and a journal lie in the scratch folder until the work is done.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { lazy, type Type } from "../../domain/Lazy.ts"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import type { Files } from "../platform/files/OwnFiles.ts"
import type { Call, Git, Variables } from "./Git.ts"
import { failed } from "./Snapshot.ts"

const Journal = lazy(() =>
  Schema.Struct({
    root: Schema.String,
    files: Schema.Array(Schema.String),
    /** The HEAD that branches are merged onto; absent where a patch is applied alone. */
    head: optional(Schema.String)
  })
)
type Journal = Type<typeof Journal>

const flags = ["--binary", "--whitespace=nowarn"]
const journalIn = (scratch: string) => LocalPaths.join(scratch, "journal.json")
const beforeIn = (scratch: string) => LocalPaths.join(scratch, "before")
export const patchIn = (scratch: string): string => LocalPaths.join(scratch, "changes.patch")
/** What a merge does to the index. */
export const indexPatchIn = (scratch: string): string => LocalPaths.join(scratch, "index.patch")

/** From records `added\tdeleted\tpath`; of a rename the path is empty, and two records with both paths follow. */
const namesIn = (numstat: string): ReadonlyArray<string> =>
  numstat.split("\0").flatMap((record) => {
    const name = record.replace(/^[\d-]+\t[\d-]+\t/, "")
    return name === "" ? [] : [name]
  })

const fits = (git: Git, call: Call, patch: string, ...more: ReadonlyArray<string>) =>
  Effect.map(git.end(call, "apply", "--check", ...flags, ...more, patch), ({ exitCode }) => exitCode === 0)

const run = (git: Git, call: Call, patch: string, ...more: ReadonlyArray<string>) =>
  Effect.asVoid(git.text(call, "apply", ...flags, ...more, patch))

/** Changes the index, and no files. An empty patch is none for git. */
export const toIndex = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, patch: string) {
  const state = yield* Effect.mapError(files.state(patch), failed)
  if ((state?.size ?? 0) > 0) yield* run(git, call, patch, "--cached")
})

const putBack = Effect.fnUntraced(function* (files: Files, scratch: string, { files: names, root }: Journal) {
  for (const name of names) {
    const path = LocalPaths.join(root, name)
    const isThere = yield* files.copyFile(LocalPaths.join(beforeIn(scratch), name), path)
    if (!isThere) yield* files.removeFolder(path)
  }
})

/** Takes the patch back that was just applied. */
export const undo = (git: Git, call: Call, scratch: string) => run(git, call, patchIn(scratch), "-R")

/**
 * Applies the patch that is at `patchIn(scratch)`: all of it, or nothing. The caller removes the scratch folder when
 * everything is done that belongs together.
 */
export const apply = Effect.fnUntraced(function* (
  git: Git,
  files: Files,
  call: Call,
  { head, scratch }: { readonly scratch: string; readonly head?: string }
) {
  const patch = patchIn(scratch)
  if (((yield* Effect.mapError(files.state(patch), failed))?.size ?? 0) === 0) return
  yield* Effect.mapError(
    git.text(call, "apply", "--check", ...flags, patch),
    ({ message }) => new WorktreeFailed({ reason: "conflict", message })
  )
  const names = namesIn(yield* git.text(call, "apply", "--numstat", "-z", patch))
  const journal: Journal = { root: call.cwd, files: names, ...(head === undefined ? {} : { head }) }
  const copied = Effect.forEach(names, (name) =>
    files.copyFile(LocalPaths.join(call.cwd, name), LocalPaths.join(beforeIn(scratch), name))
  )
  yield* Effect.mapError(Effect.zipRight(copied, files.replace(journalIn(scratch), JSON.stringify(journal))), failed)
  yield* Effect.catchAll(run(git, call, patch), (refused) =>
    Effect.zipRight(Effect.mapError(putBack(files, scratch, journal), failed), refused)
  )
}, Effect.uninterruptible)

const journalOf = Effect.fnUntraced(function* (files: Files, scratch: string) {
  const bytes = yield* files.read(journalIn(scratch))
  return yield* Schema.decodeUnknown(Schema.parseJson(Journal()))(new TextDecoder().decode(bytes))
}, Effect.option)

/** Brings back what is missing; files that are there may have been changed since, and stay. */
const restore = Effect.fnUntraced(function* (files: Files, scratch: string, { files: names, root }: Journal) {
  for (const name of names) {
    const path = LocalPaths.join(root, name)
    if ((yield* files.state(path)) === undefined) yield* files.copyFile(LocalPaths.join(beforeIn(scratch), name), path)
  }
})

const undoMerge = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, scratch: string) {
  const index = indexPatchIn(scratch)
  const isInIndex = (yield* files.state(index)) !== undefined && (yield* fits(git, call, index, "--cached", "-R"))
  if (isInIndex) yield* run(git, call, index, "--cached", "-R")
  yield* undo(git, call, scratch)
  return "heddle was stopped while it merged branches of tasks. The merge was undone; the branches are still there."
})

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
    const { config, git } = yield* enter(journal.root)
    const call: Call = { cwd: journal.root, config }
    const patch = patchIn(scratch)
    if (yield* fits(git, call, patch, "-R")) {
      const head = yield* git.text(call, "rev-parse", "HEAD")
      return head === journal.head ? yield* undoMerge(git, files, call, scratch) : undefined
    }
    if (yield* fits(git, call, patch)) return undefined
    yield* restore(files, scratch, journal)
    if (yield* fits(git, call, patch))
      return `heddle was stopped while it applied the changes of a task. These files are as they were: ${journal.files.join(", ")}`
    return yield* keep(files, scratch, kept)
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.map(
        Effect.orElseSucceed(keep(files, scratch, kept), () => `The copies in ${scratch} could not be kept.`),
        (said) => `${said} ${message}`
      )
    )
  )

const keep = (files: Files, scratch: string, kept: string) =>
  Effect.as(
    files.copyFolder(beforeIn(scratch), kept),
    `heddle was stopped while it applied the changes of a task. The files of that task as they were before: ${kept}`
  )

/** Patches and branches of tasks reach the user's folder whole or not at all, and never at the cost of the user's work. */
import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as GitWorktrees from "../../../../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import { type Program, Processes } from "../../../../src/services/machine/Processes.ts"
import type { Worktrees } from "../../../../src/services/delegation/Worktrees.ts"
import { tempFolder } from "../../tools/TempFolder.ts"
import * as Repos from "../../../support/git/Repos.ts"

const { git, put } = Repos

const lines = (...changed: ReadonlyArray<string>) =>
  Array.from({ length: 20 }, (_, at) => `${changed.find((line) => line.startsWith(`${at} `)) ?? at}\n`).join("")

const first = { "a.txt": lines(), "b.txt": "b\n", "c.txt": "c\n" }

const state = (folder: string) => ({
  files: Repos.files(folder),
  status: git(folder, "status", "--porcelain", "-z", "--untracked-files=all"),
  staged: git(folder, "diff", "--cached"),
  stash: git(folder, "stash", "list"),
  log: git(folder, "log", "--format=%s")
})

interface Task {
  readonly id: string
  readonly message?: string
  readonly files: Readonly<Record<string, string>>
}

/** Every task works in a worktree of its own and leaves a branch. */
const branchesOf = (worktrees: typeof Worktrees.Service, folder: string, tasks: ReadonlyArray<Task>) =>
  Effect.forEach(tasks, ({ files, id, message = `Task ${id}` }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commitTo, root } = yield* worktrees.open({ cwd: folder, id })
        put(root, files)
        return yield* commitTo(`heddle/task/${id}`, message)
      })
    )
  )

/** The call that changes files, after those that only look at the patch. */
const isWriting = ({ command: [, name, option] }: Program) => name === "apply" && option === "--binary"

const branchList = (folder: string) => git(folder, "branch", "--format=%(refname:short)").split("\n")

describe("a patch", () => {
  const patchOf = (worktrees: typeof Worktrees.Service, folder: string, files: Readonly<Record<string, string>>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Patch" })
        put(root, files)
        return (yield* capture).patch
      })
    )

  it.scopedLive("that does not fit changes nothing", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { folder: own, worktrees } = yield* Repos.service
      const patch = yield* patchOf(worktrees, folder, { "a.txt": lines("3 three"), "new.txt": "new\n" })
      put(folder, { "a.txt": lines("3 drei") })
      const before = Repos.whole(folder)
      const refused = yield* Effect.flip(worktrees.apply(folder, patch))
      assert.strictEqual(refused.reason, "conflict")
      assert.include(refused.message, "a.txt")
      assert.deepStrictEqual(Repos.whole(folder), before)
      put(folder, { "a.txt": lines(), "new.txt": "in the way\n" })
      assert.strictEqual((yield* Effect.flip(worktrees.apply(folder, patch))).reason, "conflict")
      assert.strictEqual(readFileSync(join(folder, "new.txt"), "utf8"), "in the way\n")
      assert.isFalse(existsSync(own))
    })
  )

  it.scopedLive("that is empty, or no patch, is told apart", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const before = Repos.whole(folder)
      yield* worktrees.apply(folder, new Uint8Array(0))
      const refused = yield* Effect.flip(worktrees.apply(folder, new TextEncoder().encode("no patch")))
      assert.strictEqual(refused.reason, "conflict")
      const outside = "diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+1\n"
      const escaping = yield* Effect.flip(worktrees.apply(folder, new TextEncoder().encode(outside)))
      assert.include(escaping.message, "invalid path")
      assert.deepStrictEqual(Repos.whole(folder), before)
    })
  )

  /** A service that does this before the call of git that applies the patch. */
  const meddling = Effect.fnUntraced(function* (meddle: () => void, replaced?: ReadonlyArray<string>) {
    const processes = Processes.of({
      ...LocalProcesses.service,
      run: (program) => {
        if (!isWriting(program)) return LocalProcesses.service.run(program)
        meddle()
        return LocalProcesses.service.run({ ...program, command: replaced ?? program.command })
      }
    })
    const made = GitWorktrees.make({ folder: join(yield* tempFolder, "wt") })
    return yield* Effect.provide(made, Layer.succeed(Processes, processes))
  })

  it.scopedLive("that git cannot write to its end changes nothing", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const patch = yield* patchOf(worktrees, folder, { "a.txt": lines("3 three"), "new.txt": "new\n" })
      put(folder, { "a.txt": lines("19 mine") })
      const before = Repos.whole(folder)
      const { apply } = yield* meddling(() => {}, ["git", "apply", "--no-such-option"])
      const refused = yield* Effect.flip(apply(folder, patch))
      assert.strictEqual(refused.reason, "git")
      assert.deepStrictEqual(Repos.whole(folder), before)
    })
  )

  const saves: ReadonlyArray<readonly [string, (folder: string) => void]> = [
    ["an editor saves a file of it", (folder) => put(folder, { "c.txt": "saved meanwhile\n" })],
    ["an editor saves a line elsewhere in a file of it", (folder) => put(folder, { "a.txt": lines("19 saved") })],
    ["a file of it is deleted", (folder) => unlinkSync(join(folder, "b.txt"))],
    ["a new file of it is made", (folder) => put(folder, { "new.txt": "mine\n" })],
    [
      "a folder of it becomes a link to another one",
      (folder) => {
        renameSync(join(folder, "dir"), join(folder, "other"))
        symlinkSync("other", join(folder, "dir"))
      }
    ],
    ["a file of it may be executed", (folder) => chmodSync(join(folder, "c.txt"), 0o755)]
  ]
  it.scopedLive.each(saves)("is taken back as a whole when, in the last moment, %s", ([, save]) =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ ...first, "dir/d.txt": "d\n" })
      const { worktrees } = yield* Repos.service
      const changes = { "a.txt": lines("3 three"), "b.txt": "B\n", "c.txt": "C\n", "dir/d.txt": "D\n" }
      const patch = yield* patchOf(worktrees, folder, { ...changes, "new.txt": "new\n", "z/z.txt": "z\n" })
      let expected = Repos.whole(folder)
      const { apply } = yield* meddling(() => {
        save(folder)
        expected = Repos.whole(folder)
        // The lock of heddle is there by then, and goes away.
        delete expected[".git/heddle.lease"]
      })
      const refused = yield* Effect.flip(apply(folder, patch))
      assert.strictEqual(refused.reason === "git" ? refused.message : refused.reason, "conflict")
      assert.deepStrictEqual(Repos.whole(folder), expected)
    })
  )

  it.scopedLive("that renames, and puts a folder into the place of a file and back, is applied", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": lines(), x: "x\n", "y/y.txt": "y\n" })
      put(folder, { "a.txt": lines("7 mine") })
      const { worktrees } = yield* Repos.service
      const renames = yield* Repos.withCommit({ "a.txt": lines(), x: "x\n", "y/y.txt": "y\n" })
      git(renames, "mv", "a.txt", "b ü.txt")
      git(renames, "rm", "-q", "x", "y/y.txt")
      put(renames, { "x/x.txt": "x\n", y: "y\n" })
      git(renames, "add", ".")
      yield* worktrees.apply(folder, new TextEncoder().encode(`${git(renames, "diff", "--cached", "-M")}\n`))
      assert.deepStrictEqual(Object.keys(Repos.files(folder)), ["b ü.txt", "x", "x/x.txt", "y"])
      assert.strictEqual(readFileSync(join(folder, "b ü.txt"), "utf8"), lines("7 mine"))
    })
  )

  it.scopedLive("goes into a subfolder's repository, and leaves other changes alone", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ ...first, "sub/d.txt": "d\n" })
      const { worktrees } = yield* Repos.service
      const patch = yield* patchOf(worktrees, folder, { "sub/d.txt": "D\n", "b.txt": "B\n" })
      put(folder, { "a.txt": lines("1 mine") })
      git(folder, "add", "a.txt")
      yield* worktrees.apply(join(folder, "sub"), patch)
      assert.strictEqual(git(folder, "status", "--porcelain"), "M  a.txt\n M b.txt\n M sub/d.txt")
    })
  )
})

describe("branches", () => {
  it.scopedLive("become commits on HEAD in their order, and what is not committed stays as it is", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { folder: own, worktrees } = yield* Repos.service
      put(folder, { "b.txt": "stashed\n" })
      git(folder, "stash", "push", "-q", "-m", "of the user")
      put(folder, { "a.txt": lines("0 staged"), "untracked.txt": "mine\n" })
      git(folder, "add", "a.txt")
      put(folder, { "a.txt": lines("0 staged", "10 unstaged"), "intended.txt": "later\n" })
      git(folder, "add", "-N", "intended.txt")
      unlinkSync(join(folder, "c.txt"))
      const before = state(folder)
      const names = yield* branchesOf(worktrees, folder, [
        { id: "0-One", files: { "a.txt": lines("0 staged", "10 unstaged", "19 one") } },
        { id: "1-Two", message: "Add a file\n\nWith a body.", files: { "two/new.txt": "two\n" } },
        { id: "2-Three", files: { "b.txt": "three\n" } }
      ])
      assert.deepStrictEqual(names, ["heddle/task/0-One", "heddle/task/1-Two", "heddle/task/2-Three"])
      assert.deepStrictEqual(state(folder), before)
      assert.deepStrictEqual(yield* worktrees.mergeBranches(folder, names), { merged: names, left: [] })
      assert.deepStrictEqual(state(folder).log.split("\n"), ["Task 2-Three", "Add a file", "Task 0-One", "first"])
      assert.strictEqual(git(folder, "log", "-1", "--format=%b", "HEAD^"), "With a body.")
      assert.strictEqual(git(folder, "show", "HEAD:a.txt"), lines("19 one").trimEnd())
      assert.strictEqual(git(folder, "show", ":a.txt"), lines("0 staged", "19 one").trimEnd())
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), lines("0 staged", "10 unstaged", "19 one"))
      assert.strictEqual(state(folder).status, before.status)
      assert.strictEqual(state(folder).stash, before.stash)
      assert.deepStrictEqual(branchList(folder), ["main"])
      assert.isFalse(existsSync(own))
      git(folder, "fsck", "--strict")
    })
  )

  it.scopedLive("stop at the first one that conflicts with another", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      put(folder, { "c.txt": "mine\n" })
      const names = yield* branchesOf(worktrees, folder, [
        { id: "0-One", files: { "a.txt": lines("5 one") } },
        { id: "1-Two", files: { "a.txt": lines("5 two") } },
        { id: "2-Three", files: { "b.txt": "three\n" } }
      ])
      const { conflict, left, merged } = yield* worktrees.mergeBranches(folder, names)
      assert.deepStrictEqual([merged, left], [names.slice(0, 1), names.slice(1)])
      assert.strictEqual(conflict?.branch, "heddle/task/1-Two")
      assert.include(conflict?.message, "a.txt")
      assert.strictEqual(git(folder, "status", "--porcelain"), " M c.txt")
      assert.deepStrictEqual(state(folder).log.split("\n"), ["Task 0-One", "first"])
      assert.deepStrictEqual(branchList(folder), [...names.slice(1), "main"])
      // The user resolves it as ever.
      git(folder, "cherry-pick", "-X", "theirs", "heddle/task/1-Two", "heddle/task/2-Three")
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), lines("5 two"))
    })
  )

  it.scopedLive("stop at the first one that conflicts with what is not committed, which stays", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const names = yield* branchesOf(worktrees, folder, [
        { id: "0-One", files: { "b.txt": "one\n" } },
        { id: "1-Two", files: { "a.txt": lines("5 two"), "new.txt": "two\n" } }
      ])
      put(folder, { "a.txt": lines("5 mine"), "untracked.txt": "mine\n" })
      const { conflict, left, merged } = yield* worktrees.mergeBranches(folder, names)
      assert.deepStrictEqual([merged, left], [names.slice(0, 1), names.slice(1)])
      assert.match(conflict?.message ?? "", /uncommitted changes/)
      assert.strictEqual(git(folder, "status", "--porcelain"), " M a.txt\n?? untracked.txt")
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), lines("5 mine"))
      put(folder, { "a.txt": lines(), "new.txt": "in the way\n" })
      const again = yield* worktrees.mergeBranches(folder, left)
      assert.strictEqual(again.conflict?.branch, "heddle/task/1-Two")
      assert.strictEqual(readFileSync(join(folder, "new.txt"), "utf8"), "in the way\n")
    })
  )

  it.scopedLive("that exist already get a number", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      git(folder, "branch", "heddle/task/0-One")
      const before = git(folder, "rev-parse", "heddle/task/0-One")
      const task = { id: "0-One", files: { "b.txt": "one\n" } }
      const names = yield* branchesOf(worktrees, folder, [task, task])
      assert.deepStrictEqual(names, ["heddle/task/0-One-2", "heddle/task/0-One-3"])
      assert.strictEqual(git(folder, "rev-parse", "heddle/task/0-One"), before)
      git(folder, "branch", "-D", ...names, "heddle/task/0-One")
      git(folder, "branch", "heddle")
      const refused = yield* Effect.flip(branchesOf(worktrees, folder, [task]))
      assert.include(refused.message, "refs/heads/heddle")
    })
  )

  it.scopedLive("cannot hold changes that need uncommitted lines, or a repository without commits", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      put(folder, { "new.txt": "not committed\n" })
      const refused = yield* Effect.flip(
        branchesOf(worktrees, folder, [{ id: "0-One", files: { "new.txt": "not committed\nmore\n" } }])
      )
      assert.strictEqual(refused.reason, "conflict")
      const empty = yield* Repos.init
      const unborn = yield* Effect.flip(branchesOf(worktrees, empty, [{ id: "0-One", files: { "a.txt": "1" } }]))
      assert.strictEqual(unborn.message, "The repository has no commits yet.")
      assert.deepStrictEqual(branchList(folder), ["main"])
    })
  )

  it.scopedLive("wait while the repository is in the middle of something else", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const names = yield* branchesOf(worktrees, folder, [{ id: "0-One", files: { "b.txt": "one\n" } }])
      git(folder, "checkout", "-qb", "other")
      put(folder, { "a.txt": lines("1 other") })
      git(folder, "commit", "-qam", "other")
      git(folder, "checkout", "-q", "main")
      put(folder, { "a.txt": lines("1 main") })
      git(folder, "commit", "-qam", "main")
      assert.throws(() => git(folder, "merge", "other"))
      const before = Repos.whole(folder)
      const refused = yield* Effect.flip(worktrees.mergeBranches(folder, names))
      assert.include(refused.message, "MERGE_HEAD")
      assert.deepStrictEqual(Repos.whole(folder), before)
    })
  )

  it.scopedLive("go onto a HEAD without a branch, and onto one that has moved on", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      git(folder, "checkout", "-q", "--detach")
      const names = yield* branchesOf(worktrees, folder, [{ id: "0-One", files: { "b.txt": "one\n" } }])
      put(folder, { "a.txt": lines("1 moved") })
      git(folder, "commit", "-qam", "moved on")
      assert.deepStrictEqual((yield* worktrees.mergeBranches(folder, names)).merged, names)
      assert.deepStrictEqual(state(folder).log.split("\n"), ["Task 0-One", "moved on", "first"])
      assert.deepStrictEqual([state(folder).status, git(folder, "log", "--format=%s", "main")], ["", "first"])
    })
  )

  it.scopedLive("are merged also where nothing may interrupt that", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      assert.deepStrictEqual(yield* Effect.uninterruptible(worktrees.mergeBranches(folder, [])), {
        merged: [],
        left: []
      })
    })
  )

  it.scopedLive("leave everything as it was where the index is locked", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      put(folder, { "c.txt": "mine\n" })
      chmodSync(join(folder, "c.txt"), 0o755)
      const names = yield* branchesOf(worktrees, folder, [{ id: "0-One", files: { "b.txt": "one\n" } }])
      put(folder, { ".git/index.lock": "" })
      const before = Repos.whole(folder)
      const refused = yield* Effect.flip(worktrees.mergeBranches(folder, names))
      assert.match(refused.message, /index\.lock': File exists\. Another git process is at work there\.$/)
      assert.deepStrictEqual(Repos.whole(folder), before)
      unlinkSync(join(folder, ".git/index.lock"))
      assert.deepStrictEqual((yield* worktrees.mergeBranches(folder, names)).merged, names)
    })
  )
})

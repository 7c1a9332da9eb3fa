/** A worktree has what the user has: every kind of change that git knows, in every kind of repository. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../../tools/TempFolder.ts"
import * as Repos from "../../../support/git/Repos.ts"

const { git, put } = Repos

const status = (folder: string) => git(folder, "status", "--porcelain=v1", "-z", "--untracked-files=all")

const binary = Uint8Array.from({ length: 4096 }, (_, at) => (at * 31) % 256)

const someFiles = {
  "kept.txt": "kept\n",
  "staged.txt": "one\n",
  "unstaged.txt": "one\n",
  "both.txt": "one\n",
  "deleted.txt": "gone soon\n",
  "removed.txt": "gone soon, staged\n",
  "renamed.txt": "a\nb\nc\nd\n",
  "script.sh": "#!/bin/sh\n",
  "becomes-link": "a file\n",
  "becomes-folder": "a file\n",
  "folder/inside.txt": "inside\n",
  "crlf.txt": "one\r\ntwo\r\n",
  "binary.bin": binary,
  ".gitignore": "ignored/\n*.log\n"
}

/** Changes of all kinds; the worktree has to show the same ones. */
const dirty = (folder: string) => {
  put(folder, { "staged.txt": "two\n", "both.txt": "two\n", "ignored/secret": "s", "debug.log": "log" })
  git(folder, "rm", "-q", "removed.txt")
  git(folder, "mv", "renamed.txt", "other.txt")
  git(folder, "add", "staged.txt", "both.txt")
  put(folder, {
    "unstaged.txt": "two\n",
    "both.txt": "three\n",
    "crlf.txt": "one\r\nTWO\r\n",
    "binary.bin": binary.toReversed(),
    "new.txt": "new\n",
    "new/deep/er.bin": binary,
    "a\nnewline": "1",
    "-rf": "2",
    ":(top)magic": "3",
    "*.star": "4",
    "süß ☕": "5",
    '"quoted"\t': "6",
    empty: ""
  })
  unlinkSync(join(folder, "deleted.txt"))
  chmodSync(join(folder, "script.sh"), 0o755)
  unlinkSync(join(folder, "becomes-link"))
  symlinkSync("kept.txt", join(folder, "becomes-link"))
  symlinkSync("/no/where", join(folder, "dangling"))
  unlinkSync(join(folder, "becomes-folder"))
  put(folder, { "becomes-folder/file": "1" })
  put(folder, { "intended.txt": "intended\n" })
  git(folder, "add", "-N", "intended.txt")
}

/** Opens a worktree, and hands it to the test; afterwards nothing is left, and nothing of the user's has changed. */
const opened = <A>(cwd: string, look: (worktree: { readonly cwd: string; readonly root: string }) => A, repo = cwd) =>
  Effect.gen(function* () {
    const { folder, worktrees } = yield* Repos.service
    const before = Repos.whole(repo)
    const seen = yield* Effect.scoped(
      Effect.gen(function* () {
        const worktree = yield* worktrees.open({ cwd, id: "0-Look" })
        const { isEmpty, omitted } = yield* worktree.capture
        assert.deepStrictEqual([isEmpty, omitted], [true, []])
        return look(worktree)
      })
    )
    assert.isFalse(existsSync(folder))
    assert.deepStrictEqual(Repos.whole(repo), before)
    return seen
  })

const withoutIgnored = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !/^(ignored(\/|$)|debug\.log$)/.test(path)))

describe("a worktree has", () => {
  it.scopedLive("staged, unstaged, deleted, renamed and untracked files of every kind, and no ignored ones", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(someFiles)
      dirty(folder)
      const expected = withoutIgnored(Repos.files(folder))
      const seen = yield* opened(folder, ({ root }) => ({ files: Repos.files(root), status: status(root) }))
      assert.deepStrictEqual(seen.files, expected)
      // Whether an untracked file is intended to be added is all that is not replayed.
      const shown = status(folder).replace(" A intended.txt\0", "")
      assert.deepStrictEqual(seen.status.split("\0").toSorted(), [...shown.split("\0"), "?? intended.txt"].toSorted())
    })
  )

  it.scopedLive("changes of the same size, made in the second in which the index was written", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "one\n", "b.txt": "one\n" })
      git(folder, "config", "core.trustctime", "false")
      const [a, b, then] = [join(folder, "a.txt"), join(folder, "b.txt"), 1_700_000_000]
      put(folder, { "a.txt": "two\n" })
      for (const path of [a, b]) utimesSync(path, then, then)
      git(folder, "add", ".")
      put(folder, { "a.txt": "six\n", "b.txt": "ten\n" })
      for (const path of [a, b, join(folder, ".git/index")]) utimesSync(path, then, then)
      const seen = yield* opened(folder, ({ root }) => [
        readFileSync(join(root, "a.txt"), "utf8"),
        readFileSync(join(root, "b.txt"), "utf8"),
        git(root, "show", ":a.txt")
      ])
      assert.deepStrictEqual(seen, ["six\n", "ten\n", "two"])
    })
  )

  it.scopedLive("the files of a repository without commits", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.init
      put(folder, { "staged.txt": "1", "untracked.txt": "2" })
      git(folder, "add", "staged.txt")
      const seen = yield* opened(folder, ({ root }) => [Object.keys(Repos.files(root)), status(root)])
      assert.deepStrictEqual(seen, [["staged.txt", "untracked.txt"], "A  staged.txt\0?? untracked.txt\0"])
    })
  )

  it.scopedLive("nothing, where there is nothing", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.init
      assert.deepStrictEqual(yield* opened(folder, ({ root }) => Repos.files(root)), {})
    })
  )

  it.scopedLive("files in conflict as they are on disk", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "base\n", "b.txt": "b\n" })
      git(folder, "checkout", "-q", "-b", "other")
      put(folder, { "a.txt": "theirs\n" })
      git(folder, "commit", "-qam", "theirs")
      git(folder, "checkout", "-q", "main")
      put(folder, { "a.txt": "ours\n" })
      git(folder, "commit", "-qam", "ours")
      assert.throws(() => git(folder, "merge", "other"))
      const expected = Repos.files(folder)
      assert.deepStrictEqual(yield* opened(folder, ({ root }) => Repos.files(root)), expected)
    })
  )

  it.scopedLive("the folder below the top that was asked for", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "packages/app/a.ts": "1\n", "b.ts": "2\n" })
      put(folder, { "packages/app/new/c.ts": "3" })
      const below = yield* opened(
        join(folder, "packages/app"),
        ({ cwd, root }) => [cwd.slice(root.length), Object.keys(Repos.files(cwd))],
        folder
      )
      assert.deepStrictEqual(below, ["/packages/app", ["a.ts", "new", "new/c.ts"]])
      mkdirSync(join(folder, "not-in-git"))
      const made = yield* opened(join(folder, "not-in-git"), ({ cwd }) => existsSync(cwd), folder)
      assert.isTrue(made)
    })
  )
})

describe("a worktree can be had of", () => {
  it.scopedLive("a linked worktree, and of a repository without a branch", () =>
    Effect.gen(function* () {
      const main = yield* Repos.withCommit({ "a.txt": "one\n" })
      const linked = join(yield* tempFolder, "linked")
      git(main, "worktree", "add", "-q", "--detach", linked)
      put(linked, { "a.txt": "linked\n", "b.txt": "new\n" })
      put(main, { "a.txt": "main\n" })
      const before = Repos.digest(linked)
      const seen = yield* opened(linked, ({ root }) => readFileSync(join(root, "a.txt"), "utf8"), main)
      assert.strictEqual(seen, "linked\n")
      assert.deepStrictEqual(Repos.digest(linked), before)
      assert.include(git(main, "worktree", "list"), linked)
    })
  )

  it.scopedLive("a bare repository with worktrees", () =>
    Effect.gen(function* () {
      const main = yield* Repos.withCommit({ "a.txt": "one\n" })
      const folder = yield* tempFolder
      git(folder, "clone", "-q", "--bare", main, "bare.git")
      git(join(folder, "bare.git"), "worktree", "add", "-q", join(folder, "work"), "main")
      put(join(folder, "work"), { "b.txt": "new\n" })
      const seen = yield* opened(join(folder, "work"), ({ root }) => Object.keys(Repos.files(root)), folder)
      assert.deepStrictEqual(seen, ["a.txt", "b.txt"])
      const { worktrees } = yield* Repos.service
      const refused = yield* Effect.flip(worktrees.check(join(folder, "bare.git")))
      assert.strictEqual(refused.reason, "not_a_repository")
    })
  )

  it.scopedLive("a shallow clone", () =>
    Effect.gen(function* () {
      const main = yield* Repos.withCommit({ "a.txt": "one\n" })
      put(main, { "a.txt": "two\n" })
      git(main, "commit", "-qam", "second")
      const folder = yield* tempFolder
      git(folder, "clone", "-q", "--depth=1", `file://${main}`, "clone")
      put(join(folder, "clone"), { "b.txt": "new\n" })
      const seen = yield* opened(join(folder, "clone"), ({ root }) => Object.keys(Repos.files(root)))
      assert.deepStrictEqual(seen, ["a.txt", "b.txt"])
    })
  )

  it.scopedLive("a sparse checkout, and of one with a split index", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "in/a.txt": "1\n", "out/b.txt": "2\n", "top.txt": "3\n" })
      git(folder, "sparse-checkout", "set", "--cone", "in")
      git(folder, "update-index", "--split-index")
      put(folder, { "in/a.txt": "one\n", "in/new.txt": "new\n" })
      const expected = Repos.files(folder)
      assert.doesNotHaveAnyKeys(expected, ["out/b.txt"])
      const seen = yield* opened(folder, ({ root }) => ({ files: Repos.files(root), status: status(root) }))
      assert.deepStrictEqual(seen, { files: expected, status: status(folder) })
    })
  )

  it.scopedLive("a folder that heddle keeps its worktrees in", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      const { make } = yield* Effect.promise(
        () => import("../../../../src/layers/delegation/worktrees/GitWorktrees.ts")
      )
      const { layer } = yield* Effect.promise(
        () => import("../../../../src/layers/machine/processes/LocalProcesses.ts")
      )
      const { open } = yield* Effect.provide(make({ folder: join(folder, ".agent/wt") }), layer)
      const [first, second] = yield* Effect.all([open({ cwd: folder, id: "a" }), open({ cwd: folder, id: "a" })])
      for (const { root } of [first, second]) assert.deepStrictEqual(Object.keys(Repos.files(root)), ["a.txt"])
    })
  )

  it.scopedLive("a repository whose path has blanks, quotes and letters of all kinds", () =>
    Effect.gen(function* () {
      const folder = join(yield* tempFolder, `it's "ö" $HOME #1`)
      mkdirSync(folder)
      git(folder, "init", "-q")
      put(folder, { "a.txt": "1\n" })
      assert.deepStrictEqual(Object.keys(yield* opened(folder, ({ root }) => Repos.files(root))), ["a.txt"])
    })
  )
})

describe("settings of the user", () => {
  it.scopedLive("core.autocrlf: files have the line ends that they have on disk", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "one\ntwo\n" })
      git(folder, "config", "core.autocrlf", "true")
      rmSync(join(folder, "a.txt"))
      git(folder, "checkout", "a.txt")
      put(folder, { "b.txt": "new\r\n" })
      const seen = yield* opened(folder, ({ root }) => [
        readFileSync(join(root, "a.txt"), "utf8"),
        readFileSync(join(root, "b.txt"), "utf8")
      ])
      assert.deepStrictEqual(seen, ["one\r\ntwo\r\n", "new\r\n"])
    })
  )

  it.scopedLive("core.fileMode: modes that do not count are not taken along", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.sh": "1\n" })
      git(folder, "config", "core.fileMode", "false")
      chmodSync(join(folder, "a.sh"), 0o755)
      const seen = yield* opened(folder, ({ root }) => status(root))
      assert.strictEqual(seen, "")
    })
  )

  it.scopedLive("LFS: pointers stay pointers, and files that were filled in are not stored", () =>
    Effect.gen(function* () {
      const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n"
      const folder = yield* Repos.withCommit({ ".gitattributes": "*.psd filter=lfs -text\n", "a.psd": pointer })
      for (const name of ["clean", "smudge", "process"]) git(folder, "config", `filter.lfs.${name}`, "git-lfs-missing")
      git(folder, "config", "filter.lfs.required", "true")
      const seen = yield* opened(folder, ({ root }) => readFileSync(join(root, "a.psd"), "utf8"))
      assert.strictEqual(seen, pointer)
    })
  )
})

describe("repositories inside of a repository", () => {
  it.scopedLive("submodules are empty folders, whatever the user has done in them", () =>
    Effect.gen(function* () {
      const library = yield* Repos.withCommit({ "lib.txt": "1\n" })
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      git(folder, "submodule", "--quiet", "add", library, "lib")
      git(folder, "commit", "-qm", "with lib")
      put(folder, { "lib/lib.txt": "changed\n", "lib/new.txt": "new\n" })
      git(join(folder, "lib"), "commit", "-qam", "moved on")
      const seen = yield* opened(folder, ({ root }) => Object.keys(Repos.files(root)))
      assert.deepStrictEqual(seen, [".gitmodules", "a.txt", "lib"])
    })
  )

  it.scopedLive("others are left out, with and without commits", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      for (const name of ["empty", "full"]) {
        put(folder, { [`${name}/b.txt`]: "1\n" })
        git(join(folder, name), "init", "-q")
      }
      git(join(folder, "full"), "add", ".")
      git(join(folder, "full"), "commit", "-qm", "1")
      const seen = yield* opened(folder, ({ root }) => Object.keys(Repos.files(root)))
      assert.notIncludeMembers(seen, ["full/b.txt", "empty/b.txt"])
      assert.include(seen, "a.txt")
    })
  )
})

describe("where there is no repository", () => {
  it.scopedLive("nothing is opened", () =>
    Effect.gen(function* () {
      const { folder, worktrees } = yield* Repos.service
      const cwd = yield* tempFolder
      const refused = yield* Effect.flip(Effect.scoped(worktrees.open({ cwd, id: "0-No" })))
      assert.strictEqual(refused.reason, "not_a_repository")
      const inside = yield* Repos.init
      const inGit = yield* Effect.flip(worktrees.check(join(inside, ".git")))
      assert.strictEqual(inGit.reason, "not_a_repository")
      assert.isFalse(existsSync(folder))
      renameSync(join(inside, ".git"), join(inside, "git"))
      assert.strictEqual((yield* Effect.flip(worktrees.check(inside))).reason, "not_a_repository")
    })
  )
})

/** What a task does to the repository of its worktree, it does to no other. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Repos from "../../../support/git/Repos.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const { git, put } = Repos

/** A repository with two branches, a tag, a stash, settings and uncommitted work. */
const prepared = Effect.gen(function* () {
  const folder = yield* Repos.withCommit({ "a.txt": "1\n", "b.txt": "1\n" })
  put(folder, { "b.txt": "stashed\n" })
  git(folder, "stash", "push", "-q", "-m", "of the user")
  git(folder, "branch", "other")
  git(folder, "tag", "-a", "v1", "-m", "one")
  put(folder, { "a.txt": "2\n" })
  git(folder, "commit", "-qam", "second")
  git(folder, "config", "user.name", "The User")
  git(folder, "config", "alias.last", "log -1 --format=%s")
  git(folder, "remote", "add", "origin", "https://example.com/repo.git")
  put(folder, { "b.txt": "staged\n", "new.txt": "new\n" })
  git(folder, "add", "b.txt")
  put(folder, { "b.txt": "changed\n" })
  return folder
})

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["branch", "mine"],
  ["tag", "v2"],
  ["tag", "-d", "v1"],
  ["branch", "-D", "other"],
  ["config", "user.name", "The Task"],
  ["config", "--unset", "remote.origin.url"],
  ["config", "core.hooksPath", "/elsewhere"],
  ["remote", "add", "mine", "https://example.com/mine.git"],
  ["stash", "push", "-u"],
  ["stash", "pop"],
  ["stash", "clear"],
  ["commit", "-aqm", "by the task"],
  ["update-ref", "refs/heads/main", "HEAD^"],
  ["checkout", "-q", "main"],
  ["reset", "-q", "--hard", "HEAD^"],
  ["worktree", "add", "-q", "../../more"],
  ["pack-refs", "--all"],
  ["reflog", "expire", "--expire=now", "--all"],
  ["gc", "-q", "--prune=now"],
  ["update-index", "--split-index"]
]

describe("the user's repository", () => {
  it.scopedLive("is as it was after everything that a task can do with git in its worktree", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const before = Repos.digest(folder)
      const { worktrees } = yield* Repos.service
      const files = yield* Effect.scoped(
        Effect.gen(function* () {
          const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Git" })
          for (const command of commands) git(root, ...command)
          assert.notInclude(git(root, "branch", "--list"), "other")
          return (yield* capture).files
        })
      )
      assert.deepStrictEqual(files, ["a.txt"])
      assert.deepStrictEqual(Repos.digest(folder), before)
      assert.strictEqual(git(folder, "stash", "list"), "stash@{0}: On main: of the user")
      git(folder, "fsck", "--strict")
    })
  )
})

describe("a worktree's repository", () => {
  it.scopedLive("begins with the commits, branches, tags and settings of the user, without the stash", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      put(folder, { ".git/info/exclude": "*.private\n", ".git/info/attributes": "*.txt custom\n" })
      const { worktrees } = yield* Repos.service
      const { root } = yield* worktrees.open({ cwd: folder, id: "0-Same" })
      const same = [
        ["for-each-ref", "refs/heads", "refs/tags"],
        ["last"],
        ["config", "user.name"],
        ["remote", "-v"],
        ["status", "--porcelain"],
        ["diff"],
        ["diff", "--cached"],
        ["check-ignore", "some.private"],
        ["check-attr", "custom", "a.txt"]
      ]
      for (const command of same) assert.strictEqual(git(root, ...command), git(folder, ...command), command.join(" "))
      assert.strictEqual(git(root, "log", "--format=%s", "main"), "second\nfirst")
      assert.strictEqual(git(root, "rev-parse", "--abbrev-ref", "HEAD"), "HEAD")
      assert.strictEqual(git(root, "stash", "list"), "")
      git(root, "fsck", "--strict")
    })
  )

  it.scopedLive("runs the hooks of the user when the task commits", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const mark = join(yield* tempFolder, "mark")
      mkdirSync(join(folder, ".git/hooks"), { recursive: true })
      writeFileSync(join(folder, ".git/hooks/pre-commit"), `#!/bin/sh\ntouch ${mark}\n`)
      chmodSync(join(folder, ".git/hooks/pre-commit"), 0o755)
      const { worktrees } = yield* Repos.service
      const { root } = yield* worktrees.open({ cwd: folder, id: "0-Hook" })
      assert.isFalse(existsSync(mark))
      git(root, "commit", "-qam", "by the task")
      assert.isTrue(existsSync(mark))
    })
  )

  it.scopedLive("can be had of a submodule, and of a repository whose settings say where its files are", () =>
    Effect.gen(function* () {
      const library = yield* Repos.withCommit({ "lib.txt": "1\n" })
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      git(folder, "submodule", "--quiet", "add", library, "lib")
      const lib = join(folder, "lib")
      assert.include(git(lib, "config", "core.worktree"), "../lib")
      put(lib, { "lib.txt": "2\n" })
      const { worktrees } = yield* Repos.service
      const { capture, root } = yield* worktrees.open({ cwd: lib, id: "0-Sub" })
      assert.strictEqual(git(root, "status", "--porcelain"), " M lib.txt")
      put(root, { "new.txt": "new\n" })
      git(root, "add", ".")
      git(root, "commit", "-qm", "by the task")
      assert.deepStrictEqual((yield* capture).files, ["new.txt"])
      assert.strictEqual(git(lib, "status", "--porcelain"), " M lib.txt")
    })
  )

  it.scopedLive("has objects of the same kind", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      git(folder, "init", "-q", "--object-format=sha256")
      put(folder, { "a.txt": "1\n" })
      git(folder, "add", ".")
      git(folder, "commit", "-qm", "first")
      const { worktrees } = yield* Repos.service
      const { commitTo, root } = yield* worktrees.open({ cwd: folder, id: "0-Sha" })
      put(root, { "a.txt": "2\n" })
      git(root, "commit", "-qam", "by the task")
      assert.strictEqual(git(root, "rev-parse", "HEAD^"), git(folder, "rev-parse", "HEAD"))
      const branch = yield* commitTo("heddle/task/0-Sha", "By the task")
      assert.strictEqual(git(folder, "show", `${branch}:a.txt`), "2")
    })
  )

  it.scopedLive("before the first commit has none either, and the branch of the user", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.init
      put(folder, { "a.txt": "1\n" })
      const before = Repos.digest(folder)
      const { worktrees } = yield* Repos.service
      const { root } = yield* worktrees.open({ cwd: folder, id: "0-None" })
      assert.strictEqual(git(root, "symbolic-ref", "HEAD"), "refs/heads/main")
      git(root, "add", ".")
      git(root, "commit", "-qm", "first")
      assert.deepStrictEqual(Repos.digest(folder), before)
    })
  )

  it.scopedLive("of many branches, in files and packed, has all of them", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const head = git(folder, "rev-parse", "HEAD")
      const packed = Array.from({ length: 5000 }, (_, at) => `${head} refs/heads/some/branch-${at}`)
      put(folder, {
        ".git/packed-refs": `# pack-refs with: peeled fully-peeled sorted \n${packed.toSorted().join("\n")}\n`
      })
      const { worktrees } = yield* Repos.service
      const { root } = yield* worktrees.open({ cwd: folder, id: "0-Many" })
      assert.strictEqual(git(root, "for-each-ref", "refs/heads"), git(folder, "for-each-ref", "refs/heads"))
      assert.strictEqual(readFileSync(join(root, "a.txt"), "utf8"), "2\n")
    })
  )
})

/** What an agent changes comes back as it is, however it was changed, and what cannot come back is named. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Delta, Worktree } from "../../../../src/services/delegation/Worktrees.ts"
import * as Repos from "../../../support/git/Repos.ts"

const { git, put } = Repos

const binary = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 251)

const first = {
  "a.txt": "one\ntwo\nthree\n",
  "b.txt": "b\n",
  "c.bin": binary,
  "dir/d.txt": "d\n",
  "crlf.txt": "one\r\ntwo\r\n",
  ".gitignore": "*.log\n"
}

/** Lets an agent work, applies what it brings back to the folder of the user, and compares the two. */
const roundTrip = Effect.fnUntraced(function* (folder: string, work: (worktree: Worktree) => void) {
  const { worktrees } = yield* Repos.service
  const { delta, expected } = yield* Effect.scoped(
    Effect.gen(function* () {
      const worktree = yield* worktrees.open({ cwd: folder, id: "0-Work" })
      work(worktree)
      const expected = Repos.files(worktree.root)
      return { delta: yield* worktree.capture, expected }
    })
  )
  const before = Repos.whole(join(folder, ".git"))
  yield* worktrees.apply(folder, delta.patch)
  assert.deepStrictEqual(Repos.whole(join(folder, ".git")), before)
  assert.deepStrictEqual(Repos.files(folder), expected)
  return delta
})

const changes = (root: string) => {
  put(root, {
    "a.txt": "one\nTWO\nthree\n",
    "new.bin": binary.toReversed(),
    "new/file.txt": "new",
    "crlf.txt": "1\r\n"
  })
  put(root, { "c.bin": binary.map((byte) => 255 - byte), "no newline": "at the end", "a\nb": "1", "-n": "2", ü: "3" })
  unlinkSync(join(root, "b.txt"))
  symlinkSync("a.txt", join(root, "link"))
  chmodSync(join(root, "dir/d.txt"), 0o755)
}

const changed = ["-n", "a\nb", "a.txt", "b.txt", "c.bin", "crlf.txt", "dir/d.txt", "link", "new.bin", "new/file.txt"]
const all = [...changed, "no newline", "ü"].toSorted()

/** As `git init --separate-git-dir` does it. */
const moved = (root: string) => {
  renameSync(join(root, ".git"), `${root}.git`)
  put(root, { ".git": `gitdir: ${root}.git\n` })
}

describe("changes come back", () => {
  const ways: ReadonlyArray<readonly [string, (root: string) => void]> = [
    ["left on disk", () => {}],
    ["added to the index", (root) => git(root, "add", "-A")],
    ["committed", (root) => [git(root, "add", "-A"), git(root, "commit", "-qm", "done")]],
    [
      "committed on a branch",
      (root) => [git(root, "checkout", "-qb", "mine"), git(root, "add", "-A"), git(root, "commit", "-qm", "done")]
    ],
    ["in a folder without .git", (root) => rmSync(join(root, ".git"), { recursive: true })],
    ["in a folder whose .git leads elsewhere", (root) => moved(root)],
    ["with a broken index", (root) => put(git(root, "rev-parse", "--absolute-git-dir"), { index: "broken" })]
  ]
  it.scopedLive.each(ways)("%s", ([, finish]) =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { files, isEmpty, omitted } = yield* roundTrip(folder, ({ root }) => {
        changes(root)
        finish(root)
      })
      assert.deepStrictEqual([files.toSorted(), isEmpty, omitted], [all, false, []])
    })
  )

  it.scopedLive("on top of uncommitted ones, and without them", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      put(folder, { "a.txt": "zero\none\ntwo\nthree\n", "mine.txt": "mine\n", "staged.txt": "staged\n" })
      git(folder, "add", "staged.txt")
      const { files } = yield* roundTrip(folder, ({ root }) =>
        put(root, { "a.txt": "zero\none\ntwo\nthree\nfour\n", "mine.txt": "mine\nand yours\n" })
      )
      assert.deepStrictEqual(files, ["a.txt", "mine.txt"])
    })
  )

  it.scopedLive("of a repository without commits, and with core.autocrlf", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.init
      git(folder, "config", "core.autocrlf", "true")
      put(folder, { "a.txt": "one\r\ntwo\r\n" })
      const { files } = yield* roundTrip(folder, ({ root }) =>
        put(root, { "a.txt": "one\r\nTWO\r\n", "b.txt": "new\r\n" })
      )
      assert.deepStrictEqual(files, ["a.txt", "b.txt"])
    })
  )

  it.scopedLive("with an ignored file that was added nevertheless, and without the others", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Log" })
      put(root, { "kept.log": "1", "left.log": "2", "gone.log": "3" })
      git(root, "add", "-f", "kept.log", "gone.log")
      git(root, "commit", "-qm", "a log")
      unlinkSync(join(root, "gone.log"))
      assert.deepStrictEqual((yield* capture).files, ["kept.log"])
    })
  )

  it.scopedLive("again, after more work, and not at all after it was undone", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      const { worktrees } = yield* Repos.service
      const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-More" })
      put(root, { "b.txt": "1\n" })
      assert.deepStrictEqual((yield* capture).files, ["b.txt"])
      put(root, { "b.txt": "2\n", "c.txt": "3\n" })
      const { files, patch } = yield* capture
      assert.deepStrictEqual(files, ["b.txt", "c.txt"])
      assert.include(new TextDecoder().decode(patch), "+2\n")
      put(root, { "b.txt": "b\n" })
      unlinkSync(join(root, "c.txt"))
      assert.deepStrictEqual(yield* capture, { isEmpty: true, patch: new Uint8Array(0), files: [], omitted: [] })
    })
  )

  it.scopedLive("of a branch that the agent has checked out", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(first)
      git(folder, "checkout", "-qb", "other")
      put(folder, { "b.txt": "other\n", "other.txt": "1\n" })
      git(folder, "add", ".")
      git(folder, "commit", "-qm", "other")
      git(folder, "checkout", "-q", "main")
      const { files } = yield* roundTrip(folder, ({ root }) => void git(root, "checkout", "-q", "--detach", "other"))
      assert.deepStrictEqual(files, ["b.txt", "other.txt"])
    })
  )
})

describe("what a patch cannot hold is named", () => {
  const omittedOf = (folder: string, work: (root: string) => void) =>
    Effect.gen(function* () {
      const { worktrees } = yield* Repos.service
      const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Inside" })
      work(root)
      const delta: Delta = yield* capture
      return delta
    })

  it.scopedLive("changes in a submodule", () =>
    Effect.gen(function* () {
      const library = yield* Repos.withCommit({ "lib.txt": "1\n" })
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      git(folder, "submodule", "--quiet", "add", library, "the lib")
      git(folder, "commit", "-qm", "with lib")
      const { files, omitted } = yield* omittedOf(folder, (root) =>
        put(root, { "the lib/lib.txt": "2\n", "a.txt": "2\n" })
      )
      assert.deepStrictEqual([files, omitted], [["a.txt"], ["the lib is a submodule."]])
    })
  )

  it.scopedLive("new repositories", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
      const { files, isEmpty, omitted } = yield* omittedOf(folder, (root) => {
        for (const name of ["empty", "full"]) {
          mkdirSync(join(root, name))
          git(join(root, name), "init", "-q")
          writeFileSync(join(root, name, "file"), "1")
        }
        git(join(root, "full"), "add", ".")
        git(join(root, "full"), "commit", "-qm", "1")
      })
      assert.deepStrictEqual([files, isEmpty], [[], true])
      assert.strictEqual(omitted[0], "full is a repository of its own.")
      assert.match(omitted[1] ?? "", /^error: 'empty\/' does not have a commit/)
    })
  )
})

it.scopedLive("the repository keeps no copies of files that were not committed", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit(first)
    const secret = "a secret that is not in git\n"
    put(folder, { "secret.txt": secret })
    yield* roundTrip(folder, ({ root }) => put(root, { "b.txt": "changed\n" }))
    const hash = git(folder, "hash-object", "secret.txt")
    assert.throws(() => git(folder, "cat-file", "-e", hash))
    assert.strictEqual(
      git(folder, "count-objects").split(" ")[0],
      git(folder, "rev-list", "--all", "--objects").split("\n").length.toString()
    )
  })
)

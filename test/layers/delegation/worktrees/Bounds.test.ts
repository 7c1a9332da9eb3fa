/** However much a task makes, and of whichever kind, its changes come back within bounds, and what does not is named. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GitWorktrees from "../../../../src/layers/delegation/worktrees/GitWorktrees.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Repos from "../../../support/git/Repos.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const { git, put } = Repos

const sparse = (path: string, size: number) => {
  writeFileSync(path, "")
  truncateSync(path, size)
}

const fifo = (path: string) => execFileSync("mkfifo", [path])

const gib = 2 ** 30

/** Lets a task work, and takes its changes over. */
const worked = Effect.fnUntraced(function* (
  folder: string,
  work: (root: string) => void,
  bounds: Partial<GitWorktrees.Bounds> = {}
) {
  const home = yield* tempFolder
  const [wt, kept] = [join(home, "wt"), join(home, "kept")]
  const worktrees = yield* Effect.provide(GitWorktrees.make({ folder: wt, bounds }), LocalProcesses.layer)
  const delta = yield* Effect.scoped(
    Effect.gen(function* () {
      const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Work" })
      work(root)
      const { withheld, ...delta } = yield* capture
      const notKept = withheld === undefined ? [] : yield* withheld.copyTo(kept)
      return { ...delta, notKept, tooLarge: withheld?.tooLarge }
    })
  )
  yield* worktrees.apply(folder, delta.patch)
  return { ...delta, kept }
})

describe("a file that is too large", () => {
  it.scopedLive("is left out, named and kept, and the rest is taken over", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n", "grown.bin": "1" })
      const { files, kept, notKept, tooLarge } = yield* worked(folder, (root) => {
        sparse(join(root, "core"), 8 * gib)
        sparse(join(root, "grown.bin"), 3 * gib)
        put(root, { "a.txt": "b\n", ".gitignore": "*.log\n", "x/[1]*.bin": new Uint8Array(2 ** 25 + 1) })
        sparse(join(root, "forced.log"), gib)
        git(root, "config", "core.bigFileThreshold", "1")
        git(root, "update-index", "--add", "--cacheinfo", `100644,${git(root, "rev-parse", "HEAD:a.txt")},forced.log`)
      })
      assert.deepStrictEqual(files, [".gitignore", "a.txt"])
      assert.deepStrictEqual(tooLarge, {
        paths: ["core (8 GiB)", "x/[1]*.bin (32 MiB)", "grown.bin (3 GiB)", "forced.log (1 GiB)"],
        most: "at most 20000 files of at most 32 MiB each and 64 MiB together"
      })
      assert.deepStrictEqual(notKept, [])
      assert.deepStrictEqual(
        ["core", "grown.bin", "forced.log", "x/[1]*.bin"].map((name) => statSync(join(kept, "task", name)).size),
        [8 * gib, 3 * gib, gib, 2 ** 25 + 1]
      )
      assert.strictEqual(readFileSync(join(folder, "grown.bin"), "utf8"), "1")
    })
  )

  it.scopedLive("is known by its bytes where its name is not UTF-8", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n" })
      const { files, notKept, tooLarge } = yield* worked(folder, (root) => {
        execFileSync("sh", ["-c", `truncate -s 8G "$(printf 'b\\377')"; echo 1 > ok.txt`], { cwd: root })
      })
      assert.deepStrictEqual([files, tooLarge?.paths, notKept], [["ok.txt"], ["b\uFFFD (8 GiB)"], ["b\uFFFD"]])
    })
  )

  it.scopedLive("of the user is in no worktree, and stays as it is", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n", "grown.bin": "1" })
      for (const name of ["core", "grown.bin"]) sparse(join(folder, name), 8 * gib)
      const { files } = yield* worked(folder, (root) => {
        assert.isFalse(existsSync(join(root, "core")))
        assert.strictEqual(readFileSync(join(root, "grown.bin"), "utf8"), "1")
        put(root, { "a.txt": "b\n" })
      })
      assert.deepStrictEqual(files, ["a.txt"])
      assert.deepStrictEqual(
        ["core", "grown.bin"].map((name) => statSync(join(folder, name)).size),
        [8 * gib, 8 * gib]
      )
    })
  )
})

describe("too many files", () => {
  const few = { mostFiles: 10, mostBytes: 1000 }
  const many = (folder: string, count: number, text = "1") =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/${at % 3}/${at}`, text]))

  it.scopedLive("in new folders: these stay out, the fullest ones first", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "src/a.txt": "a\n" })
      const { files, notKept, tooLarge } = yield* worked(
        folder,
        (root) => put(root, { "src/a.txt": "b\n", ...many("deps", 40), ...many("src/lib", 5), ...many("out", 30) }),
        few
      )
      assert.deepStrictEqual(tooLarge?.paths, ["deps/ (40 files, 40 bytes)", "out/ (30 files, 30 bytes)"])
      assert.deepStrictEqual([files.length, files[0], notKept], [6, "src/a.txt", ["deps/", "out/"]])
    })
  )

  it.scopedLive("or too many bytes", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n" })
      const { files, tooLarge } = yield* worked(
        folder,
        (root) => put(root, { ...many("small", 6), ...many("big", 2, "x".repeat(600)) }),
        few
      )
      assert.deepStrictEqual([tooLarge?.paths, files.length], [["big/ (2 files, 1.2 KiB)"], 6])
    })
  )

  it.scopedLive("everywhere: nothing is taken over", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit(many("src", 20))
      const failed = yield* Effect.flip(worked(folder, (root) => put(root, many("src", 20, "22")), few))
      assert.deepStrictEqual(
        [failed._tag === "WorktreeFailed" ? failed.reason : "", failed.message],
        [
          "too_large",
          "20 files were changed, 40 bytes together; heddle takes over at most 10 files of at most 32 MiB each and 1000 bytes together."
        ]
      )
    })
  )
})

describe("what git would wait for", () => {
  const names = [".gitattributes", ".gitignore", ".gitmodules", "sub/.gitattributes", "new/deep/.gitignore"]

  it.scopedLive("is named, and all else is taken over", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n", "sub/b.txt": "b\n" })
      const { files, omitted } = yield* worked(folder, (root) => {
        put(root, { "a.txt": "b\n", "sub/b.txt": "c\n", "new/deep/c.txt": "c\n" })
        for (const name of [...names, "pipe"]) fifo(join(root, name))
      })
      assert.deepStrictEqual(files, ["a.txt", "new/deep/c.txt", "sub/b.txt"])
      assert.deepStrictEqual(omitted.toSorted(), names.map((name) => `${name} is no regular file.`).toSorted())
    })
  )

  it.scopedLive("in the folder of the user is named, and no task starts", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n", "sub/b.txt": "b\n" })
      put(folder, { "sub/b.txt": "c\n" })
      fifo(join(folder, "sub/.gitattributes"))
      const { message, reason } = yield* Effect.flip(
        Effect.scoped((yield* Repos.service).worktrees.open({ cwd: folder, id: "0-Work" }))
      )
      assert.deepStrictEqual(
        [reason, message],
        ["odd_file", "sub/.gitattributes is no regular file, so git would wait for it. Remove it, and try again."]
      )
    })
  )

  it.scopedLive("where it is found by no look is given up", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.txt": "a\n" })
      const exclude = join(folder, ".git/info/exclude")
      const failed = yield* Effect.flip(
        worked(
          folder,
          () => {
            unlinkSync(exclude)
            fifo(exclude)
          },
          { time: "1 second" }
        )
      )
      assert.deepStrictEqual(
        [failed._tag === "WorktreeFailed" ? failed.reason : "", failed.message],
        ["slow", "Taking the changes of the task over took more than 1s and was given up."]
      )
    })
  )
})

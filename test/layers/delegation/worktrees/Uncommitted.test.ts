/** Whatever a task does in its worktree, what the user has not committed stays in the user's folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Delta } from "../../../../src/services/delegation/Worktrees.ts"
import * as Repos from "../../../support/git/Repos.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const { git, put } = Repos

const lines = (...changed: ReadonlyArray<string>) =>
  Array.from({ length: 20 }, (_, at) => `${changed.find((line) => line.startsWith(`${at} `)) ?? at}\n`).join("")

const binary = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251)

const first = {
  "a.txt": lines(),
  "staged.txt": "one\n",
  "both.txt": "one\n",
  "back.txt": "one\n",
  "gone.txt": "gone\n",
  "removed.txt": "removed\n",
  "moved.txt": "a\nb\nc\n",
  "script.sh": "#!/bin/sh\n",
  "link-soon": "a file\n",
  "folder-soon": "a file\n",
  "was/folder": "a file\n",
  "picture.bin": binary,
  "latin1.txt": Uint8Array.from([0xe4, 10, 0xf6, 10]),
  "untouched.txt": "one\ntwo\n",
  ".gitignore": "*.log\n"
}

/** All that can be uncommitted. */
const dirty = (folder: string) => {
  put(folder, {
    "a.txt": lines("0 staged", "1 staged"),
    "staged.txt": "two\n",
    "both.txt": "two\n",
    "back.txt": "two\n"
  })
  git(folder, "add", ".")
  git(folder, "rm", "-q", "removed.txt")
  git(folder, "mv", "moved.txt", "here.txt")
  put(folder, {
    "a.txt": lines("0 staged", "1 staged", "10 unstaged"),
    "both.txt": "three\n",
    "back.txt": "one\n",
    "untracked.txt": "mine\n",
    "new/deep/er.txt": "mine\n",
    "picture.bin": binary.toReversed(),
    "latin1.txt": Uint8Array.from([0xe4, 10, 0xf6, 10, 0xfc, 10])
  })
  unlinkSync(join(folder, "gone.txt"))
  chmodSync(join(folder, "script.sh"), 0o755)
  unlinkSync(join(folder, "link-soon"))
  symlinkSync("a.txt", join(folder, "link-soon"))
  unlinkSync(join(folder, "folder-soon"))
  put(folder, { "folder-soon/file": "mine\n" })
  rmSync(join(folder, "was"), { recursive: true })
  put(folder, { was: "mine\n" })
}

/** Lets a task work in a worktree and takes its changes over. */
const worked = Effect.fnUntraced(function* (folder: string, work: (root: string) => void) {
  const { worktrees } = yield* Repos.service
  const kept = join(yield* tempFolder, "kept")
  const delta = yield* Effect.scoped(
    Effect.gen(function* () {
      const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Work" })
      work(root)
      const delta: Delta = yield* capture
      if (delta.withheld !== undefined) yield* delta.withheld.copyTo(kept)
      return delta
    })
  )
  yield* worktrees.apply(folder, delta.patch)
  return { ...delta, kept }
})

const emptied = (root: string) => {
  for (const name of Object.keys(Repos.files(root))) rmSync(join(root, name), { recursive: true, force: true })
}

const ways: ReadonlyArray<readonly [string, (root: string) => void]> = [
  ["git reset --hard; git clean -fd", (root) => [git(root, "reset", "-q", "--hard"), git(root, "clean", "-qfd")]],
  ["git checkout .", (root) => git(root, "checkout", "-q", ".")],
  ["git checkout HEAD .", (root) => git(root, "checkout", "-q", "HEAD", ".")],
  ["git stash", (root) => git(root, "stash")],
  ["git stash -u", (root) => git(root, "stash", "-u")],
  ["git restore --staged --worktree .", (root) => git(root, "restore", "--staged", "--worktree", ".")],
  [
    "git checkout of another commit",
    (root) => [git(root, "checkout", "-qf", "HEAD^"), git(root, "clean", "-qfd"), git(root, "checkout", "-q", "main")]
  ]
]

describe("uncommitted work stays", () => {
  const prepared = Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "untouched.txt": "zero\n" })
    put(folder, first)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "second")
    git(folder, "checkout", "-q", "--detach")
    dirty(folder)
    return folder
  })

  it.scopedLive.each(ways)("after %s", ([, undo]) =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const before = Repos.digest(folder, (path) => path.startsWith(".git/") && path !== ".git/index")
      const { files, isEmpty, withheld } = yield* worked(folder, undo)
      assert.deepStrictEqual(
        Repos.digest(folder, (path) => path.startsWith(".git/") && path !== ".git/index"),
        before
      )
      assert.deepStrictEqual([isEmpty, files], [true, []])
      assert.include(withheld?.leftOut ?? [], "both.txt")
      assert.deepStrictEqual(withheld?.replaced, [])
    })
  )

  it.scopedLive.each(ways)("after %s, and what the task does then is taken over", ([, undo]) =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const before = Repos.files(folder)
      const { files } = yield* worked(folder, (root) => {
        undo(root)
        const [head = "", ...rest] = readFileSync(join(root, "a.txt"), "utf8").split("19\n")
        put(root, { "a.txt": `${head}19 by the task\n${rest.join("")}`, "untouched.txt": "one\nthree\n" })
        put(root, { "made/by the task.txt": "1\n" })
      })
      assert.deepStrictEqual(files, ["a.txt", "made/by the task.txt", "untouched.txt"])
      const changed = lines("0 staged", "1 staged", "10 unstaged", "19 by the task")
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), changed)
      put(folder, { "a.txt": lines("0 staged", "1 staged", "10 unstaged"), "untouched.txt": "one\ntwo\n" })
      rmSync(join(folder, "made"), { recursive: true })
      assert.deepStrictEqual(Repos.files(folder), before)
    })
  )

  it.scopedLive("after everything was deleted; what was committed is deleted", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const { files, withheld } = yield* worked(folder, emptied)
      assert.deepStrictEqual(files, [".gitignore", "untouched.txt"])
      assert.deepStrictEqual(
        withheld?.leftOut,
        (
          "a.txt back.txt both.txt folder-soon/file here.txt latin1.txt link-soon new/deep/er.txt picture.bin script.sh " +
          "staged.txt untracked.txt was"
        ).split(" ")
      )
    })
  )
})

describe("where a task changes files with uncommitted work", () => {
  const start = (contents: Readonly<Record<string, string>>, mine: Readonly<Record<string, string>>) =>
    Effect.map(Repos.withCommit(contents), (folder) => {
      put(folder, mine)
      return folder
    })

  it.scopedLive("the hunks that undo it are left out and named, with a copy, and the others are applied", () =>
    Effect.gen(function* () {
      const folder = yield* start({ "a.txt": lines() }, { "a.txt": lines("3 mine", "4 mine", "15 mine") })
      const theirs = lines("9 task", "15 mine")
      const { kept, withheld } = yield* worked(folder, (root) => put(root, { "a.txt": theirs }))
      assert.deepStrictEqual(withheld?.leftOut, ["a.txt:4-5"])
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), lines("3 mine", "4 mine", "9 task", "15 mine"))
      assert.strictEqual(readFileSync(join(kept, "task/a.txt"), "utf8"), theirs)
      assert.isFalse(existsSync(join(kept, "before")))
    })
  )

  it.scopedLive("lines that it replaces by others are its work, and the file is copied as it was", () =>
    Effect.gen(function* () {
      const mine = { "a.txt": lines("3 mine"), "new.txt": "one\ntwo\nthree" }
      const folder = yield* start({ "a.txt": lines() }, mine)
      const { kept, withheld } = yield* worked(folder, (root) =>
        put(root, { "a.txt": lines("3 better", "4 too"), "new.txt": "one\nTWO\nthree\nfour\n" })
      )
      assert.deepStrictEqual([withheld?.leftOut, withheld?.replaced], [[], ["a.txt", "new.txt"]])
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), lines("3 better", "4 too"))
      assert.strictEqual(readFileSync(join(folder, "new.txt"), "utf8"), "one\nTWO\nthree\nfour\n")
      assert.deepStrictEqual(
        ["a.txt", "new.txt"].map((name) => readFileSync(join(kept, "before", name), "utf8")),
        [mine["a.txt"], mine["new.txt"]]
      )
    })
  )

  const hunks: ReadonlyArray<readonly [string, string, string, string, string, ReadonlyArray<string>]> = [
    ["lines that were added are deleted", "1\n2\n", "1\nm\nn\n2\n", "1\nn\n2\n", "1\nm\nn\n2\n", ["a.txt:2"]],
    ["fewer lines take their place", "1\n2\n", "1\nm\nn\no\n2\n", "1\nx\n2\n", "1\nm\nn\no\n2\n", ["a.txt:2-4"]],
    ["that, below other changes", "1\n2\n3\n", "1\n2\nm\n3\n", "0\nx\n1\n2\n3\n", "0\nx\n1\n2\nm\n3\n", ["a.txt:3"]],
    ["lines that were deleted come back", "1\n2\n3\n", "1\n3\n", "1\n2\n3\n4\n", "1\n3\n4\n", ["a.txt:2"]],
    ["a blank line that was deleted comes back", "1\n\n3\n", "1\n3\n", "1\n\n3\n4\n", "1\n3\n4\n", ["a.txt:2"]],
    ["an old line comes back beside a new one", "1\n2\n3\n", "1\nm\n3\n", "1\n2\nx\n3\n", "1\nm\n3\n", ["a.txt:2"]],
    ["only the newline at the end comes back", "1\n2\n", "1\n2", "0\n1\n2\n", "0\n1\n2", ["a.txt:2"]],
    ["all of it was undone", "1\n2\n", "1\nm\n2\n", "1\n2\n", "1\nm\n2\n", ["a.txt"]],
    ["lines beside them are deleted", "1\n2\n3\n4\n", "1\nm\n3\n4\n", "1\nm\n4\n", "1\nm\n4\n", []],
    ["lines are added among them", "1\n4\n", "1\nm\nn\n4\n", "1\nm\nx\nn\n4\n", "1\nm\nx\nn\n4\n", []],
    ["lines are added where some were deleted", "1\n2\n3\n", "1\n3\n", "1\nx\n3\n", "1\nx\n3\n", []]
  ]
  it.scopedLive.each(hunks)("%s", ([, committed, mine, theirs, expected, leftOut]) =>
    Effect.gen(function* () {
      const folder = yield* start({ "a.txt": committed }, { "a.txt": mine })
      const { withheld } = yield* worked(folder, (root) => put(root, { "a.txt": theirs }))
      assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), expected)
      assert.deepStrictEqual(withheld?.leftOut ?? [], leftOut)
    })
  )

  it.scopedLive("a mode that comes back is left out, and a new one is not", () =>
    Effect.gen(function* () {
      const folder = yield* start({ "a.sh": "1\n2\n", "b.sh": "1\n2\n", "c.sh": "1\n" }, { "b.sh": "1\n2\n3\n" })
      for (const name of ["a.sh", "c.sh"]) chmodSync(join(folder, name), 0o755)
      const { withheld } = yield* worked(folder, (root) => {
        put(root, { "a.sh": "0\n1\n2\n" })
        for (const name of ["a.sh", "c.sh"]) chmodSync(join(root, name), 0o644)
        chmodSync(join(root, "b.sh"), 0o755)
      })
      assert.deepStrictEqual(withheld?.leftOut, ["a.sh", "c.sh"])
      assert.deepStrictEqual(
        Object.values(Repos.files(folder)).map((file) => file.slice(0, 3)),
        ["755", "755", "755"]
      )
      assert.strictEqual(readFileSync(join(folder, "a.sh"), "utf8"), "0\n1\n2\n")
    })
  )

  it.scopedLive("nothing new takes the place of a file or a folder that stays", () =>
    Effect.gen(function* () {
      const folder = yield* start({ "a.txt": "1\n" }, { file: "mine\n", "folder/file": "mine\n" })
      const before = Repos.files(folder)
      const { kept, withheld } = yield* worked(folder, (root) => {
        for (const name of ["file", "folder"]) rmSync(join(root, name), { recursive: true })
        put(root, { "file/below": "task\n", folder: "task\n" })
      })
      assert.deepStrictEqual(withheld?.leftOut, ["file", "file/below", "folder", "folder/file"])
      assert.deepStrictEqual(Repos.files(folder), before)
      assert.deepStrictEqual(Object.keys(Repos.files(join(kept, "task"))), ["file", "file/below", "folder"])
    })
  )

  it.scopedLive("a picture is no text: it stays", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.withCommit({ "a.bin": binary })
      put(folder, { "a.bin": binary.toReversed() })
      chmodSync(join(folder, "a.bin"), 0o755)
      const before = Repos.files(folder)
      const { kept, withheld } = yield* worked(folder, (root) => {
        put(root, { "a.bin": binary.map((byte) => 255 - byte) })
        chmodSync(join(root, "a.bin"), 0o644)
      })
      assert.deepStrictEqual([withheld?.leftOut, Repos.files(folder)], [["a.bin"], before])
      assert.deepStrictEqual(
        new Uint8Array(readFileSync(join(kept, "task/a.bin"))),
        binary.map((byte) => 255 - byte)
      )
    })
  )

  it.scopedLive("a repository without commits has nothing but uncommitted work", () =>
    Effect.gen(function* () {
      const folder = yield* Repos.init
      put(folder, { "a.txt": "1\n2\n", "b.txt": "1\n" })
      git(folder, "add", "a.txt")
      const { files, withheld } = yield* worked(folder, (root) => {
        unlinkSync(join(root, "b.txt"))
        writeFileSync(join(root, "a.txt"), "1\n2\n3\n")
        mkdirSync(join(root, "c"))
        put(root, { "c/c.txt": "new\n" })
      })
      assert.deepStrictEqual([files, withheld?.leftOut], [["a.txt", "c/c.txt"], ["b.txt"]])
    })
  )
})

/** Numbers from 0 to 1, the same ones in every run. */
const numbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

it.scopedLive(
  "of 300 files with changes anywhere, no line is brought back, out of its place, or gone without a word",
  () =>
    Effect.gen(function* () {
      const random = numbers(7)
      let made = 0
      /** No two lines are the same. */
      const fresh = (by: string) => Array.from({ length: 1 + Math.floor(random() * 3) }, () => `${by} ${made++}`)
      const edited = (text: ReadonlyArray<string>, by: string) =>
        text.flatMap((line) => {
          const chance = random()
          if (chance < 0.08) return []
          if (chance < 0.16) return fresh(by)
          return chance < 0.24 ? [line, ...fresh(by)] : [line]
        })
      const inFiles = (texts: ReadonlyArray<ReadonlyArray<string>>) =>
        Object.fromEntries(texts.map((text, at) => [`f${at}`, text.map((line) => `${line}\n`).join("")]))
      const committed = Array.from({ length: 300 }, () => Array.from({ length: 12 }, () => fresh("old")).flat())
      const mine = committed.map((text) => edited(text, "mine"))
      // The task works on a file that was reset, or on that of the user.
      const theirs = committed.map((text, at) => edited(random() < 0.5 ? text : (mine[at] ?? []), "task"))
      const folder = yield* Repos.withCommit(inFiles(committed))
      put(folder, inFiles(mine))
      const { withheld } = yield* worked(folder, (root) => put(root, inFiles(theirs)))
      const leftOut = new Set(withheld?.leftOut.map((path) => path.replace(/:.*/, "")))
      assert.isAbove(leftOut.size, 100)
      for (const [at, text] of mine.entries()) {
        const name = `f${at}`
        const [old, task] = [committed[at] ?? [], theirs[at] ?? []]
        const now = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)
        const about = [name, old, text, task, now].map((part) => JSON.stringify(part)).join("\n")
        assert.deepStrictEqual(
          now.filter((line) => text.includes(line)),
          text.filter((line) => now.includes(line)),
          about
        )
        assert.deepStrictEqual(
          now.filter((line) => task.includes(line)),
          task.filter((line) => now.includes(line)),
          about
        )
        assert.isEmpty(
          now.filter((line) => old.includes(line) && !text.includes(line)),
          about
        )
        const lost = text.filter((line) => line.startsWith("mine") && !now.includes(line))
        if (!withheld?.replaced.includes(name)) assert.isEmpty(lost, about)
        else assert.isAtMost(lost.length, now.filter((line) => line.startsWith("task")).length, about)
        if (!leftOut.has(name)) assert.deepStrictEqual(now, task, about)
      }
    })
)

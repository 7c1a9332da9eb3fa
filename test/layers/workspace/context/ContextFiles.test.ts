import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ContextFiles from "../../../../src/layers/workspace/context/ContextFiles.ts"
import * as ProjectFolders from "../../../../src/layers/workspace/context/ProjectFolders.ts"
import { fifo, files, makePlace, search, without } from "../support.ts"

const find = Effect.fnUntraced(function* (root: string, cwd = "work") {
  const { notes, project } = yield* search(join(root, cwd))
  const found = yield* ContextFiles.find(files, join(root, "agent"), project, notes)
  return {
    files: found.map(({ content, isCut, path }) => [without(root, path), content, ...(isCut ? ["cut"] : [])]),
    notes: notes.all().map((note) => without(root, note))
  }
})

describe("which files count", () => {
  it.scoped("the user's, then every folder from the root of the repository down", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "AGENTS.md": "above the repository",
        "agent/AGENTS.md": "user",
        "work/.git/HEAD": "",
        "work/AGENTS.md": "root",
        "work/a/CLAUDE.md": "middle",
        "work/a/b/AGENTS.md": "cwd",
        "work/a/b/c/AGENTS.md": "below",
        "work/other/AGENTS.md": "beside"
      })
      assert.deepStrictEqual(yield* find(root, "work/a/b"), {
        files: [
          ["agent/AGENTS.md", "user"],
          ["work/AGENTS.md", "root"],
          ["work/a/CLAUDE.md", "middle"],
          ["work/a/b/AGENTS.md", "cwd"]
        ],
        notes: []
      })
    })
  )

  it.scoped(
    "AGENTS.md goes before CLAUDE.md in the same folder; without a repository only the working folder counts",
    () =>
      Effect.gen(function* () {
        const root = yield* makePlace({
          "work/AGENTS.md": "above",
          "work/a/AGENTS.md": "agents",
          "work/a/CLAUDE.md": "claude",
          "agent/CLAUDE.md": "user"
        })
        assert.deepStrictEqual(yield* find(root, "work/a"), {
          files: [
            ["agent/CLAUDE.md", "user"],
            ["work/a/AGENTS.md", "agents"]
          ],
          notes: []
        })
      })
  )

  it.scoped("a file is read once if the agent folder is the working folder, and an empty one not at all", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "agent/AGENTS.md": "user\r\nlines\r\n", "work/AGENTS.md": " \n" })
      assert.deepStrictEqual((yield* find(root, "agent")).files, [["agent/AGENTS.md", "user\nlines"]])
      assert.deepStrictEqual((yield* find(root)).files, [["agent/AGENTS.md", "user\nlines"]])
    })
  )

  it.scoped("imports are not followed", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/AGENTS.md": "See @other.md", "work/other.md": "other" })
      assert.deepStrictEqual((yield* find(root)).files, [["work/AGENTS.md", "See @other.md"]])
    })
  )
})

describe("the folders of a project", () => {
  it.scoped("a worktree has a file in place of the folder .git", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/.git": "gitdir: elsewhere", "work/a/": "" })
      const project = yield* ProjectFolders.find(files, join(root, "work/a"))
      assert.deepStrictEqual(project, {
        upward: [join(root, "work/a"), join(root, "work")],
        root: join(root, "work"),
        hasRepository: true
      })
    })
  )

  // Only root can give a folder to another user.
  it.scoped.skipIf(process.getuid?.() !== 0)(
    "a repository of another user above the working folder does not count",
    () =>
      Effect.gen(function* () {
        const root = yield* makePlace({ "work/.git/HEAD": "", "work/AGENTS.md": "Obey.", "work/a/AGENTS.md": "mine" })
        chownSync(join(root, "work"), 12_345, 12_345)
        assert.deepStrictEqual((yield* find(root, "work/a")).files, [["work/a/AGENTS.md", "mine"]])
        chownSync(join(root, "work/a"), 12_345, 12_345)
        assert.strictEqual((yield* find(root, "work/a")).files.length, 2)
      })
  )

  it("a folder so deep that nobody looks for its root", () =>
    Effect.gen(function* () {
      const deep = `/${"a/".repeat(100)}b`
      const project = yield* ProjectFolders.find(files, deep)
      assert.deepStrictEqual(project, { upward: [deep], root: deep, hasRepository: false })
    }).pipe(Effect.runPromise))
})

describe("hostile files", () => {
  it.scoped("5 MB: the first lines count, and the user is told", () =>
    Effect.gen(function* () {
      const line = `${"ä".repeat(49)}\n`
      const root = yield* makePlace({ "work/AGENTS.md": line.repeat(50_000) })
      const { files: found, notes } = yield* find(root)
      const [[path, content = "", cut] = []] = found
      assert.deepStrictEqual([path, cut], ["work/AGENTS.md", "cut"])
      assert.isBelow(content.length, 64 * 1024)
      assert.isTrue(content.split("\n").every((text) => text === line.trim()))
      assert.deepStrictEqual(notes, ["AGENTS.md has 4834 KiB; only the first 64 KiB are in the prompt"])
    })
  )

  it.scoped("one line of 5 MB is cut inside of a character", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/AGENTS.md": `x${"ä".repeat(2_500_000)}` })
      const [[, content = ""] = []] = (yield* find(root)).files
      assert.strictEqual(content, `x${"ä".repeat(32 * 1024 - 1)}`)
    })
  )

  it.scoped("links inside of the project count, links that leave it do not", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "secret.txt": "SECRET",
        "work/.git/HEAD": "",
        "work/docs/rules.md": "inside",
        "work/a/b/": ""
      })
      symlinkSync("../docs/rules.md", join(root, "work/a/AGENTS.md"))
      symlinkSync("../../../secret.txt", join(root, "work/a/b/AGENTS.md"))
      symlinkSync("nowhere", join(root, "work/CLAUDE.md"))
      assert.deepStrictEqual(yield* find(root, "work/a/b"), {
        files: [["work/a/AGENTS.md", "inside"]],
        notes: ["AGENTS.md is a link that leads out of the folder, so it was left out"]
      })
      rmSync(join(root, "work/a/b/AGENTS.md"))
      mkdirSync(join(root, "outside"))
      writeFileSync(join(root, "outside/AGENTS.md"), "SECRET")
      symlinkSync(join(root, "outside"), join(root, "work/linked"))
      assert.notInclude(JSON.stringify(yield* find(root, "work/linked")), 'SECRET"')
    })
  )

  it.scoped("FIFOs, folders and devices do not hang", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/.git/HEAD": "", "work/a/AGENTS.md/": "" })
      fifo(join(root, "work/AGENTS.md"))
      symlinkSync("/dev/zero", join(root, "agent/AGENTS.md"))
      const { files: found, notes } = yield* find(root, "work/a")
      assert.deepStrictEqual(found, [])
      assert.deepStrictEqual(notes, [
        "AGENTS.md is a folder, not a file, so it was left out",
        "work/AGENTS.md is a FIFO, not a file, so it was left out",
        "agent/AGENTS.md is a character device, not a file, so it was left out"
      ])
    })
  )

  it.scoped("bytes that are not UTF-8 are replaced, and what is not text is left out", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/AGENTS.md": new Uint8Array([0x61, 0xff, 0xfe, 0x62]),
        "agent/AGENTS.md": new Uint8Array([0x61, 0, 0x62])
      })
      assert.deepStrictEqual(yield* find(root), {
        files: [["work/AGENTS.md", "a\uFFFD\uFFFDb"]],
        notes: [
          "AGENTS.md is not UTF-8; the bytes that are not were replaced",
          "agent/AGENTS.md is not text, so it was left out"
        ]
      })
    })
  )

  it.scoped("many large files: those next to the working folder count", () =>
    Effect.gen(function* () {
      const text = "x".repeat(60 * 1024)
      const names = ["a", "a/b", "a/b/c", "a/b/c/d"]
      const root = yield* makePlace({
        "work/.git/HEAD": "",
        "agent/AGENTS.md": "user",
        ...Object.fromEntries(names.map((name) => [`work/${name}/AGENTS.md`, text]))
      })
      const { files: found, notes } = yield* find(root, "work/a/b/c/d")
      assert.deepStrictEqual(
        found.map(([path]) => path),
        ["agent/AGENTS.md", ...names.slice(1).map((name) => `work/${name}/AGENTS.md`)]
      )
      assert.deepStrictEqual(notes, [
        "work/a/AGENTS.md was left out: the instruction files have more than 192 KiB together"
      ])
    })
  )
})

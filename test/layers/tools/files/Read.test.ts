import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ToolOutput } from "../../../../src/domain/conversation/Message.ts"
import { nextTurn } from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as Read from "../../../../src/layers/tools/files/Read.ts"
import { machine } from "../RunTool.ts"
import { descriptorsOf, tempFolder, withFiles } from "../TempFolder.ts"
import { context } from "../../../support/agent/ToolCall.ts"

const run = (cwd: string, args: Record<string, unknown>) => Read.make({ cwd, machine }).run(args, context)
const said = (text: string): ToolOutput => ({ content: [{ type: "text", text }] })
const refusal = (cwd: string, args: Record<string, unknown>) =>
  Effect.map(Effect.flip(run(cwd, args)), ({ message }) => message.replaceAll(cwd, "."))

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join("")

/** Lines of text, then a hole: as long as it says, next to nothing on the disk. */
const sparseFile = (size: number) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const path = join(folder, "large.log")
    yield* Effect.promise(() => writeFile(path, numbered(1, 2000)).then(() => truncate(path, size)))
    return path
  })

describe("text", () => {
  it.scoped("comes back as it is stored", () =>
    Effect.gen(function* () {
      const files = { "a.txt": "one\ntwo\n", "no-end.txt": "one\ntwo", "crlf.txt": "één\r\n🧵\r\n", "bare.txt": "\n" }
      const folder = yield* withFiles(files)
      for (const [path, content] of Object.entries(files)) {
        assert.deepStrictEqual(yield* run(folder, { path }), said(content))
      }
      assert.deepStrictEqual(yield* run("/", { path: `@${folder}/a.txt` }), said("one\ntwo\n"))
    })
  )

  it.scoped("a small file is read without a wait", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "one\n" })
      assert.deepStrictEqual(Effect.runSyncExit(run(folder, { path: "a.txt" })), Exit.succeed(said("one\n")))
    })
  )

  it.scoped("an empty file is said to be empty", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "" })
      assert.deepStrictEqual(yield* run(folder, { path: "a.txt" }), said("(empty file)"))
      assert.strictEqual(
        yield* refusal(folder, { path: "a.txt", offset: 2 }),
        "Offset 2 is beyond end of file (0 lines total)"
      )
    })
  )

  it.scoped("offset and limit select lines; the notice says how to continue", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": numbered(1, 9) + "line 10" })
      const path = "a.txt"
      const results = yield* Effect.all({
        middle: run(folder, { path, offset: 3, limit: 2 }),
        head: run(folder, { path, limit: 1 }),
        rest: run(folder, { path, offset: 9 }),
        exact: run(folder, { path, offset: 9, limit: 2 }),
        last: run(folder, { path, offset: 10, limit: 5 })
      })
      assert.deepStrictEqual(results, {
        middle: said("line 3\nline 4\n\n[Showing lines 3-4 of 10. Use offset=5 to continue.]"),
        head: said("line 1\n\n[Showing lines 1-1 of 10. Use offset=2 to continue.]"),
        rest: said("line 9\nline 10"),
        exact: said("line 9\nline 10"),
        last: said("line 10")
      })
    })
  )

  it.scoped("an offset past the end fails", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "one\ntwo\n" })
      assert.strictEqual(
        yield* refusal(folder, { path: "a.txt", offset: 3 }),
        "Offset 3 is beyond end of file (2 lines total)"
      )
    })
  )

  it.scoped("is cut at 2000 lines, also when more are asked for", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": numbered(1, 2500) })
      const truncation = {
        truncated: true,
        truncatedBy: "lines",
        totalLines: 2500,
        totalBytes: numbered(1, 2500).length,
        outputLines: 2000,
        outputBytes: numbered(1, 2000).length,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2000,
        maxBytes: 51_200
      }
      const text = `${numbered(1, 2000)}\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]`
      const expected = { ...said(text), details: { truncation } }
      assert.deepStrictEqual(yield* run(folder, { path: "a.txt" }), expected)
      assert.deepStrictEqual(yield* run(folder, { path: "a.txt", limit: 9000 }), expected)
      assert.deepStrictEqual(yield* run(folder, { path: "a.txt", offset: 2001 }), said(numbered(2001, 2500)))
    })
  )

  it.scoped("is cut at 50 KiB", () =>
    Effect.gen(function* () {
      const line = `${"é".repeat(511)}x\n`
      const folder = yield* withFiles({ "fits.txt": line.repeat(50), "long.txt": `a\n${line.repeat(60)}` })
      assert.deepStrictEqual(yield* run(folder, { path: "fits.txt" }), said(line.repeat(50)))
      const { content, details } = yield* run(folder, { path: "long.txt" })
      const text = `a\n${line.repeat(49)}\n[Showing lines 1-50 of 61. Use offset=51 to continue.]`
      assert.deepStrictEqual({ content }, said(text))
      assert.deepInclude(details?.truncation, { truncatedBy: "bytes", outputLines: 50, totalLines: 61 })
    })
  )

  it.scoped("a line that is too long to be shown is pointed at", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "it's.txt": `a\n${"x".repeat(60_000)}\nb`, one: "x".repeat(51_201) })
      const path = `'${folder.replaceAll("'", "'\\''")}/it'\\''s.txt'`
      const middle = yield* run(folder, { path: "it's.txt", offset: 2 })
      assert.deepStrictEqual(
        { content: middle.content },
        said(
          `[Line 2 of 3 is 60001 bytes long, more than the 50 KiB that fit into one result. Use offset=3 to continue after it, or slice it with bash, for example: sed -n '2{p;q}' ${path} | head -c 51200]`
        )
      )
      assert.deepInclude(middle.details?.truncation, {
        firstLineExceedsLimit: true,
        outputLines: 0,
        totalBytes: 60_002
      })
      assert.notProperty(middle.details?.truncation, "content")
      const before = yield* run(folder, { path: "it's.txt" })
      assert.deepStrictEqual(
        { content: before.content },
        said("a\n\n[Showing lines 1-1 of 3. Use offset=2 to continue.]")
      )
      const only = yield* run(folder, { path: "one" })
      assert.deepStrictEqual(
        { content: only.content },
        said(
          `[Line 1 of 1 is 51201 bytes long, more than the 50 KiB that fit into one result. Slice it with bash, for example: sed -n '1{p;q}' '${folder}/one' | head -c 51200]`
        )
      )
    })
  )
})

describe("what is not text", () => {
  it.scoped("is refused", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({
        "program.bin": Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 1),
        "fake.png": "\0 not a picture",
        "utf16.txt": Uint8Array.of(0xff, 0xfe, 0x41, 0),
        "latin.txt": Uint8Array.of(0x61, 0x0a, 0xe9, 0x0a, 0x62, 0x0a),
        "late.txt": `${"x\n".repeat(5000)}\0\n`
      })
      const messages = yield* Effect.forEach(
        [
          { path: "program.bin" },
          { path: "fake.png" },
          { path: "utf16.txt" },
          { path: "latin.txt" },
          { path: "late.txt", offset: 5001 }
        ],
        (args) => refusal(folder, args)
      )
      assert.deepStrictEqual(messages, [
        "Cannot read ./program.bin: it is a binary file. Look into it with bash, for example: file './program.bin'; xxd './program.bin' | head",
        "Cannot read ./fake.png: it is a binary file. Look into it with bash, for example: file './fake.png'; xxd './fake.png' | head",
        "Cannot read ./utf16.txt: it is UTF-16 text. Convert it with bash, for example: iconv -f UTF-16 -t UTF-8 './utf16.txt'",
        "Cannot read lines 1-3 of ./latin.txt: they are not UTF-8 text. Use bash, for example: iconv -f LATIN1 -t UTF-8 './latin.txt'",
        "Cannot read lines 5001-5001 of ./late.txt: they are not UTF-8 text. Use bash, for example: iconv -f LATIN1 -t UTF-8 './late.txt'"
      ])
      assert.deepStrictEqual(
        yield* run(folder, { path: "latin.txt", limit: 1 }),
        said("a\n\n[Showing lines 1-1 of 3. Use offset=2 to continue.]")
      )
    })
  )

  it.scoped("devices and pipes are refused at once", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      assert.strictEqual(Bun.spawnSync(["mkfifo", join(folder, "pipe")]).exitCode, 0)
      assert.deepStrictEqual(yield* Effect.forEach(["pipe", "/dev/zero"], (path) => refusal(folder, { path })), [
        "Cannot read ./pipe: it is a FIFO, not a regular file",
        "Cannot read /dev/zero: it is a character device, not a regular file"
      ])
    })
  )

  it.scoped("a directory is listed as ls does it", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "b.txt": "", "sub/a": "", "none/": "" })
      assert.deepStrictEqual(yield* run(folder, { path: "." }), said("b.txt\nnone/\nsub/"))
      assert.deepStrictEqual(yield* run(folder, { path: "none" }), said("(empty directory)"))
      assert.deepStrictEqual(yield* run(folder, { path: ".", limit: 1 }), {
        ...said("b.txt\n\n[1 entries limit reached. Use limit=2 for more.]"),
        details: { entryLimitReached: 1 }
      })
    })
  )

  it.scoped("a missing file is named, with what may have been meant", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "README.md": "", "src/index.ts": "", "src/index.tsx": "" })
      yield* Effect.promise(() => symlink("nowhere", join(folder, "broken")))
      const paths = ["readme.md", "src/idnex.ts", "src/other.rs", "lib/a.ts", "README.md/a", "broken"]
      assert.deepStrictEqual(yield* Effect.forEach(paths, (path) => refusal(folder, { path })), [
        "File not found: ./readme.md. Did you mean ./README.md?",
        "File not found: ./src/idnex.ts. Did you mean ./src/index.ts or ./src/index.tsx?",
        "File not found: ./src/other.rs",
        "File not found: ./lib/a.ts (there is no folder ./lib to look into)",
        "File not found: ./README.md/a (there is no folder ./README.md to look into)",
        "File not found: ./broken is a link to something that does not exist"
      ])
    })
  )

  it.scoped("a path that cannot be a path is refused", () =>
    Effect.gen(function* () {
      const message = yield* refusal(yield* tempFolder, { path: "nul\0byte" })
      assert.isTrue(message.startsWith("Cannot read ./nul\0byte: "))
    })
  )
})

it.effect("names every bad argument", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      yield* refusal("/nowhere", { offset: 0, limit: -1 }),
      "Invalid arguments for read: path: is missing; offset: Expected a positive number, actual 0; limit: Expected a positive number, actual -1"
    )
    assert.strictEqual(
      yield* refusal("/nowhere", { path: "", offset: 1.5 }),
      'Invalid arguments for read: path: Expected a non empty string, actual ""; offset: Expected an integer, actual 1.5'
    )
  })
)

describe("large files", () => {
  it.scoped("are never in memory as a whole", () =>
    Effect.gen(function* () {
      const path = yield* sparseFile(256 * 1024 * 1024)
      const before = process.memoryUsage.rss()
      const output = yield* run("/", { path, offset: 5, limit: 1 })
      assert.deepStrictEqual(output, said("line 5\n\n[Showing lines 5-5 of 2001. Use offset=6 to continue.]"))
      assert.isBelow(process.memoryUsage.rss() - before, 64 * 1024 * 1024)
    })
  )

  // Read to its end this file would take far longer than a test may.
  it.scoped("stop being read when interrupted", () =>
    Effect.gen(function* () {
      const path = yield* sparseFile(512 * 1024 * 1024 * 1024)
      const fiber = yield* Effect.fork(run("/", { path }))
      yield* Effect.repeat(Effect.zipRight(nextTurn, descriptorsOf(path)), { until: (open) => open === 1 })
      assert.isNull(fiber.unsafePoll())
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.strictEqual(yield* descriptorsOf(path), 0)
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import type { ToolOutput } from "../../../../src/domain/conversation/Message.ts"
import * as Ls from "../../../../src/layers/tools/files/Ls.ts"
import { machine } from "../RunTool.ts"
import { tempFolder, withFiles } from "../TempFolder.ts"
import { context } from "../../../support/agent/ToolCall.ts"

const run = (cwd: string, args: Record<string, unknown>) => Ls.make({ cwd, machine }).run(args, context)
const said = (text: string): ToolOutput => ({ content: [{ type: "text", text }] })
const numbered = (count: number, name: (n: string) => string) =>
  Array.from({ length: count }, (_, i) => name(String(i).padStart(4, "0")))
const emptyFiles = (names: ReadonlyArray<string>) => withFiles(Object.fromEntries(names.map((name) => [name, ""])))

it.scoped("sorts without regard to case, marks directories and links to them, shows dotfiles", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "b.txt": "", "A.txt": "", "a.txt": "", "Src/": "", ".env": "", "C/": "" })
    yield* Effect.promise(() => symlink("Src", join(folder, "link")))
    yield* Effect.promise(() => symlink("A.txt", join(folder, "link.txt")))
    yield* Effect.promise(() => symlink("nowhere", join(folder, "broken")))
    const expected = said(".env\nA.txt\na.txt\nb.txt\nbroken\nC/\nlink/\nlink.txt\nSrc/")
    assert.deepStrictEqual(yield* run(folder, {}), expected)
    assert.deepStrictEqual(yield* run("/", { path: folder }), expected)
    assert.deepStrictEqual(yield* run(join(folder, "Src"), { path: "@.." }), expected)
  })
)

it.scoped("an empty directory", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* run(yield* tempFolder, {}), said("(empty directory)"))
  })
)

it.scoped("stops at the limit and says how to get more", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ a: "", b: "", "c/": "" })
    assert.deepStrictEqual(yield* run(folder, { limit: 2 }), {
      ...said("a\nb\n\n[2 entries limit reached. Use limit=4 for more.]"),
      details: { entryLimitReached: 2 }
    })
    assert.deepStrictEqual(yield* run(folder, { limit: 3 }), said("a\nb\nc/"))
  })
)

it.scoped("shows 500 entries unless told otherwise", () =>
  Effect.gen(function* () {
    const names = numbered(501, (n) => n)
    const folder = yield* emptyFiles(names)
    assert.deepStrictEqual(yield* run(folder, {}), {
      ...said(`${names.slice(0, 500).join("\n")}\n\n[500 entries limit reached. Use limit=1000 for more.]`),
      details: { entryLimitReached: 500 }
    })
  })
)

it.scoped(
  "never shows more than 2000 lines",
  () =>
    Effect.gen(function* () {
      const names = numbered(2002, (n) => n)
      const folder = yield* emptyFiles(names)
      const notice = "[Showing 2000 of 2002 entries: 2000 lines limit reached. List a subfolder for less.]"
      assert.deepStrictEqual(yield* run(folder, { limit: 2001 }), {
        ...said(`${names.slice(0, 2000).join("\n")}\n\n${notice}`),
        details: {
          truncation: {
            truncated: true,
            truncatedBy: "lines",
            totalLines: 2001,
            totalBytes: 10_004,
            outputLines: 2000,
            outputBytes: 10_000,
            lastLinePartial: false,
            firstLineExceedsLimit: false,
            maxLines: 2000,
            maxBytes: 51_200
          },
          entryLimitReached: 2001
        }
      })
    }),
  // Making and removing so many files is what takes the time.
  20_000
)

it.scoped("never shows more than 50 KiB", () =>
  Effect.gen(function* () {
    const folder = yield* emptyFiles(numbered(300, (n) => n + "x".repeat(195)))
    const { content, details } = yield* run(folder, {})
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("")
    assert.isTrue(text.endsWith("\n\n[Showing 256 of 300 entries: 50 KiB limit reached. List a subfolder for less.]"))
    assert.deepStrictEqual(Object.keys(details ?? {}), ["truncation"])
  })
)

it.scoped("explains what is not there, with a name that may have been meant", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "Sources/": "", "file.txt": "" })
    const messages = yield* Effect.forEach(["sources", "file.txt", "other", "no/where"], (path) =>
      Effect.map(Effect.flip(run(folder, { path })), ({ message }) => message.replaceAll(folder, "."))
    )
    assert.deepStrictEqual(messages, [
      "File not found: ./sources. Did you mean ./Sources?",
      "Not a directory: ./file.txt. Use read to see a file.",
      "File not found: ./other",
      "File not found: ./no/where (there is no folder ./no to look into)"
    ])
  })
)

it.effect("names every bad argument", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(run("/", { path: 1, limit: -5 }))
    assert.strictEqual(
      message,
      "Invalid arguments for ls: path: Expected string, actual 1; limit: Expected a positive number, actual -5"
    )
  })
)

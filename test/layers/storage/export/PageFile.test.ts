/** Where a page is written, and what is never overwritten. */
import { lstatSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as PageFile from "../../../../src/layers/storage/export/PageFile.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"
import { withFiles } from "../../tools/TempFolder.ts"

const document = Sample.rich()
const written = (path: string) => readFileSync(path, "utf8").startsWith("<!doctype html>")

describe("the name of a page", () => {
  it.each([
    ["/sessions/2026_abc.jsonl", "heddle-session-2026_abc.html"],
    ["0195a1b2", "heddle-session-0195a1b2.html"],
    ["/sessions/mine.jsonl.bak", "heddle-session-mine.jsonl.bak.html"],
    ["/sessions/notes", "heddle-session-notes.html"]
  ])("%s", (sessionFile, name) => assert.strictEqual(PageFile.defaultName(sessionFile), name))
})

it.scoped("a relative path starts in the working folder", () =>
  Effect.gen(function* () {
    const cwd = yield* withFiles({ "sub/": "" })
    const path = yield* PageFile.write(document, { files: LocalFiles.service, cwd, outputPath: "sub/../page.html" })
    assert.strictEqual(path, join(cwd, "page.html"))
    assert.isTrue(written(path))
  })
)

it.scoped("an existing file is replaced as a whole, and nothing is left beside it", () =>
  Effect.gen(function* () {
    const cwd = yield* withFiles({ "page.html": "x".repeat(10_000_000) })
    const path = yield* PageFile.write(document, {
      files: LocalFiles.service,
      cwd,
      outputPath: "page.html",
      sessionFile: join(cwd, "s.jsonl")
    })
    assert.isTrue(written(path))
    assert.isBelow(lstatSync(path).size, 10_000_000)
    assert.deepStrictEqual(readdirSync(cwd), ["page.html"])
  })
)

it.scoped("a link stays a link, and its target is replaced", () =>
  Effect.gen(function* () {
    const cwd = yield* withFiles({ "real.html": "before" })
    symlinkSync("real.html", join(cwd, "link.html"))
    yield* PageFile.write(document, { files: LocalFiles.service, cwd, outputPath: "link.html" })
    assert.isTrue(lstatSync(join(cwd, "link.html")).isSymbolicLink())
    assert.isTrue(written(join(cwd, "real.html")))
  })
)

describe("refuses", () => {
  const refused = (outputPath: string, sessionFile?: (cwd: string) => string) =>
    Effect.gen(function* () {
      const cwd = yield* withFiles({ "s.jsonl": "precious", "folder/": "", "file.txt": "" })
      symlinkSync("s.jsonl", join(cwd, "link.html"))
      const session = sessionFile === undefined ? {} : { sessionFile: sessionFile(cwd) }
      const { message } = yield* Effect.flip(
        PageFile.write(document, { files: LocalFiles.service, cwd, outputPath, ...session })
      )
      assert.strictEqual(readFileSync(join(cwd, "s.jsonl"), "utf8"), "precious")
      return message.replaceAll(cwd, "DIR")
    })
  const itself = "it is the session itself"
  const cases: ReadonlyArray<readonly [string, ReturnType<typeof refused>, string]> = [
    ["the session", refused("s.jsonl", (cwd) => join(cwd, "s.jsonl")), `Cannot export to DIR/s.jsonl: ${itself}`],
    [
      "a link to the session",
      refused("link.html", (cwd) => join(cwd, "s.jsonl")),
      `Cannot export to DIR/link.html: ${itself}`
    ],
    [
      "the session behind a link",
      refused("s.jsonl", (cwd) => join(cwd, "link.html")),
      `Cannot export to DIR/s.jsonl: ${itself}`
    ],
    ["a folder", refused("folder"), "Cannot export to DIR/folder: it is a directory, not a file"],
    [
      "a folder that is not there",
      refused("none/x.html"),
      "Cannot export to DIR/none/x.html: there is no folder DIR/none"
    ]
  ]
  for (const [name, message, expected] of cases) {
    it.scoped(name, () => Effect.map(message, (said) => assert.strictEqual(said, expected)))
  }
})

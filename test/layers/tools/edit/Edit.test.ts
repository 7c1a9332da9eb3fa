import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc } from "effect"
import { chmod, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Edit from "../../../../src/layers/tools/edit/Edit.ts"
import * as FileLedger from "../../../../src/layers/tools/files/FileLedger.ts"
import * as Read from "../../../../src/layers/tools/files/Read.ts"
import * as Write from "../../../../src/layers/tools/files/Write.ts"
import { interruptible } from "../../../support/agent/ToolCall.ts"
import { interruptedAt, machine, refusal, run, said, textOf } from "../RunTool.ts"
import { withFiles } from "../TempFolder.ts"

const tools = (cwd: string) => {
  const options = { cwd, ledger: FileLedger.make(), machine }
  return { read: Read.make(options), edit: Edit.make(options), write: Write.make(options) }
}
const content = (...parts: ReadonlyArray<string>) => Effect.promise(() => readFile(join(...parts), "utf8"))

it.scoped("replaces blocks and says what changed", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "a.txt": "one\ntwo\nthree\n" })
    const edits = [
      { oldText: "one", newText: "1" },
      { oldText: "three\n", newText: "" }
    ]
    assert.deepStrictEqual(
      yield* run(tools(folder).edit, { path: "a.txt", edits }),
      said("Successfully replaced 2 block(s) in a.txt.", {
        diff: "@@ -1,3 +1,2 @@\n-one\n+1\n two\n-three\n",
        firstChangedLine: 1,
        added: 1,
        removed: 2,
        path: join(folder, "a.txt")
      })
    )
    assert.strictEqual(yield* content(folder, "a.txt"), "1\ntwo\n")
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), ["a.txt"])
  })
)

it.scoped("takes one replacement beside the path, in both spellings, and together with edits", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ a: "1 2 3" })
    const { edit } = tools(folder)
    yield* run(edit, { path: "a", oldText: "1", newText: "one" })
    yield* run(edit, { path: "a", old_text: "2", new_text: "two" })
    yield* run(edit, { path: "a", edits: [{ oldText: "one", newText: "1" }], oldText: "3", newText: "three" })
    assert.strictEqual(yield* content(folder, "a"), "1 two three")
    assert.notInclude(JSON.stringify(edit.definition), "old_text")
  })
)

it.scoped("refuses bad arguments, naming each field", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ a: "1" })
    const messages = yield* Effect.forEach(
      [
        {},
        { path: "a", edits: [] },
        { path: "a", oldText: "1" },
        { path: "a", edits: [{ oldText: "", newText: 1 }] },
        { path: "a", edits: "x", oldText: "1", newText: "2" }
      ],
      (args) => refusal(tools(folder).edit, folder, args)
    )
    assert.deepStrictEqual(
      messages.map((message) => message.replace("Invalid arguments for edit: ", "")),
      [
        "path: is missing; edits: is missing",
        "edits: Expected an array of at least 1 item(s), actual []",
        "edits.0.newText: is missing",
        'edits.0.oldText: Expected a non empty string, actual ""; edits.0.newText: Expected string, actual 1',
        'edits: Expected ReadonlyArray<{ readonly oldText: nonEmptyString; readonly newText: string }>, actual "x"'
      ]
    )
  })
)

it.scoped("says why a file or an edit will not do, and leaves the file alone", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({
      "a.txt": "x x",
      "bin.dat": "a\0b",
      "latin.txt": Uint8Array.of(0x61, 0xe9),
      "utf16.txt": Uint8Array.of(0xff, 0xfe, 0x61, 0),
      "folder/": ""
    })
    const { edit } = tools(folder)
    const why = (path: string, oldText: string, newText: string) => refusal(edit, folder, { path, oldText, newText })
    assert.deepStrictEqual(
      [
        yield* why("b.txt", "a", "b"),
        yield* why("folder", "a", "b"),
        yield* why("bin.dat", "a", "b"),
        yield* why("latin.txt", "a", "b"),
        yield* why("utf16.txt", "a", "b"),
        yield* why("a.txt", "y", "b"),
        yield* why("a.txt", "x", "b"),
        yield* why("a.txt", "x x", "x x")
      ],
      [
        "File not found: ./b.txt. Did you mean ./a.txt?",
        "Cannot edit ./folder: it is a directory, not a regular file",
        "Cannot edit ./bin.dat: it is a binary file",
        "Cannot edit ./latin.txt: it is not UTF-8 text, and writing it back would damage it. Convert it with bash first",
        "Cannot edit ./utf16.txt: it is UTF-16 text. Convert it with bash first",
        "Cannot edit a.txt: oldText was not found. It must be the text of the file, spaces and line breaks included.",
        "Cannot edit a.txt: oldText matches 2 places (lines 1, 1) and must match exactly one. Include more of the lines around it.",
        "No change to a.txt: the new text is the same as the old text"
      ]
    )
    assert.strictEqual(yield* content(folder, "a.txt"), "x x")
  })
)

it.scoped("keeps byte order mark, line endings, mode and links", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "a.sh": "\uFEFFone\r\ntwo\r\n" })
    yield* Effect.promise(() => chmod(join(folder, "a.sh"), 0o751))
    yield* Effect.promise(() => symlink("a.sh", join(folder, "link")))
    yield* run(tools(folder).edit, { path: "link", oldText: "one\ntwo", newText: "1\n2\n3" })
    assert.strictEqual(yield* content(folder, "a.sh"), "\uFEFF1\r\n2\r\n3\r\n")
    assert.strictEqual((yield* Effect.promise(() => stat(join(folder, "a.sh")))).mode & 0o777, 0o751)
    assert.strictEqual(yield* content(folder, "link"), yield* content(folder, "a.sh"))
  })
)

it.scoped("a long diff is cut, with a remark", () =>
  Effect.gen(function* () {
    const lines = Array.from({ length: 3000 }, (_, i) => `${i}\n`).join("")
    const folder = yield* withFiles({ a: `begin\n${lines}` })
    const { details } = yield* run(tools(folder).edit, { path: "a", oldText: lines, newText: "" })
    assert.match(String(details?.diff), /\n-1997\n\[1002 more lines of 3002\]\n$/)
    assert.deepInclude(details, { diffTruncated: true, added: 0, removed: 3000 })
  })
)

describe("stale files", () => {
  const stale = (path: string) =>
    `${path} has changed since you last read or wrote it, so nothing was written. Read it again, then repeat the change on what it holds now.`

  it.scoped("a change from outside after a read, an edit or a write is refused until the file is read again", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ a: "0" })
      yield* Effect.promise(() => symlink("a", join(folder, "link")))
      const { edit, read, write } = tools(folder)
      const change = (text: string) => Effect.promise(() => writeFile(join(folder, "a"), text))
      yield* change("never read")
      yield* run(edit, { path: "a", oldText: "never read", newText: "edited" })
      for (const touch of [
        run(read, { path: "link" }),
        run(edit, { path: "a", oldText: "edited", newText: "again" }),
        run(write, { path: "link", content: "written" })
      ]) {
        yield* touch
        yield* change("from outside")
        assert.strictEqual(yield* refusal(edit, folder, { path: "a", oldText: "from", newText: "x" }), stale("a"))
        assert.strictEqual(yield* refusal(write, folder, { path: "link", content: "x" }), stale("link"))
        assert.strictEqual(yield* content(folder, "a"), "from outside")
        yield* run(read, { path: "a" })
        yield* run(edit, { path: "a", oldText: "from outside", newText: "edited" })
      }
    })
  )

  it.scoped("a file of the same size with another time counts as changed; one that is gone may be written", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ a: "0" })
      const { edit, read, write } = tools(folder)
      yield* run(read, { path: "a" })
      yield* Effect.promise(() => utimes(join(folder, "a"), 1, 1))
      assert.strictEqual(yield* refusal(edit, folder, { path: "a", oldText: "0", newText: "1" }), stale("a"))
      yield* Effect.promise(() => Bun.file(join(folder, "a")).delete())
      assert.strictEqual(textOf(yield* run(write, { path: "a", content: "1" })), "Successfully wrote 1 bytes to a")
    })
  )
})

it.scoped("edits of one file at the same time, through different names, all take effect", () =>
  Effect.gen(function* () {
    const words = Array.from({ length: 20 }, (_, i) => `<${i}>`)
    const folder = yield* withFiles({ a: words.join(" ") })
    yield* Effect.promise(() => symlink("a", join(folder, "link")))
    const { edit } = tools(folder)
    const work = words.map((word, i) => ({ path: i % 2 === 0 ? "a" : "./link", oldText: word, newText: `${i}!` }))
    yield* Effect.forEach(work, (args) => run(edit, args), { concurrency: "unbounded" })
    assert.strictEqual(yield* content(folder, "a"), words.map((_, i) => `${i}!`).join(" "))
  })
)

it.scoped("interrupted at any step: whole or untouched, and the result says which", () =>
  Effect.gen(function* () {
    for (let step = 1, going = true; going; step++) {
      const folder = yield* withFiles({ a: "old" })
      const { edit } = tools(folder)
      const { answered, call } = interruptible()
      const edits = edit.run({ path: "a", oldText: "old", newText: "new" }, call)
      const { exit, wasStopped } = yield* interruptedAt(edits, step)
      going = wasStopped
      const isNew = Exit.isSuccess(exit) || /^Successfully .*\n\nStopped$/.test(textOf(answered() ?? said("")))
      assert.strictEqual(yield* content(folder, "a"), isNew ? "new" : "old")
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), ["a"])
      yield* run(edit, { path: "a", oldText: isNew ? "new" : "old", newText: "next" })
    }
  })
)

const line = fc.stringMatching(/^[a-zé🧵 ]{0,6}$/u)
const file = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  ending: fc.constantFrom("\n", "\r\n"),
  bom: fc.constantFrom("", "\uFEFF"),
  at: fc.nat(),
  count: fc.nat({ max: 4 }),
  replacement: fc.array(line, { maxLength: 3 })
})

it.scoped("property: an edit and its reverse give the file back, byte for byte", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({})
    for (const { at, bom, count, ending, lines, replacement } of fc.sample(file, 40)) {
      const first = at % lines.length
      const named = lines.map((text, i) => `(${i}:${text}.`)
      const oldText = named.slice(first, first + count + 1).join("\n")
      const newText = ["{", ...replacement, "}"].join("\n")
      const original = bom + ["head", ...named].join(ending)
      yield* Effect.promise(() => writeFile(join(folder, "a"), original))
      const { edit } = tools(folder)
      yield* run(edit, { path: "a", oldText, newText })
      const expected = ["head", ...named.toSpliced(first, count + 1, ...newText.split("\n"))].join(ending)
      assert.strictEqual(yield* content(folder, "a"), bom + expected)
      yield* run(edit, { path: "a", oldText: newText, newText: oldText })
      assert.strictEqual(yield* content(folder, "a"), original)
    }
  })
)

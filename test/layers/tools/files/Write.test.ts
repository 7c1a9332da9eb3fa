import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { chmod, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as FileLedger from "../../../../src/layers/tools/files/FileLedger.ts"
import * as Write from "../../../../src/layers/tools/files/Write.ts"
import { interruptible } from "../../../support/agent/ToolCall.ts"
import { interruptedAt, machine, refusal, run, said, textOf } from "../RunTool.ts"
import { tempFolder, withFiles } from "../TempFolder.ts"

const tool = (cwd: string) => Write.make({ cwd, ledger: FileLedger.make(), machine })
const content = (...parts: ReadonlyArray<string>) => Effect.promise(() => readFile(join(...parts), "utf8"))

it.scoped("creates a file and the folders above it, then replaces it", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const write = tool(folder)
    const path = join(folder, "a/b/c.txt")
    for (const [text, created, changes] of [
      ["größer\n", true, { diff: "@@ -0,0 +1 @@\n+größer\n", firstChangedLine: 1, added: 1, removed: 0 }],
      ["", false, { diff: "@@ -1 +0,0 @@\n-größer\n", firstChangedLine: 1, added: 0, removed: 1 }]
    ] as const) {
      const bytes = new TextEncoder().encode(text).length
      assert.deepStrictEqual(
        yield* run(write, { path: "@a/b/c.txt", content: text }),
        said(`Successfully wrote ${bytes} bytes to @a/b/c.txt`, { path, bytes, created, ...changes })
      )
      assert.strictEqual(yield* content(path), text)
    }
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(join(folder, "a/b"))), ["c.txt"])
  })
)

it.scoped("what was there and is no text in UTF-8 has no diff", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    for (const bytes of [
      [0xff, 0xfe, 0x61, 0],
      [0x61, 0],
      [0xc3, 0x28]
    ]) {
      yield* Effect.promise(() => writeFile(join(folder, "a"), Uint8Array.from(bytes)))
      const { details } = yield* run(tool(folder), { path: "a", content: "b\n" })
      assert.deepStrictEqual(details, { path: join(folder, "a"), bytes: 2, created: false })
    }
  })
)

it.scoped("keeps the mode, writes through links, and takes the content as it is", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "run.sh": "\uFEFFold\r\n" })
    yield* Effect.promise(() => chmod(join(folder, "run.sh"), 0o755))
    yield* Effect.promise(() => symlink("run.sh", join(folder, "link")))
    yield* Effect.promise(() => symlink("new/file", join(folder, "dangling")))
    const write = tool(folder)
    yield* run(write, { path: "link", content: "new\n" })
    yield* run(write, { path: "dangling", content: "there" })
    assert.strictEqual(yield* content(folder, "run.sh"), "new\n")
    assert.strictEqual((yield* Effect.promise(() => stat(join(folder, "run.sh")))).mode & 0o777, 0o755)
    assert.strictEqual(yield* content(folder, "new/file"), "there")
    assert.strictEqual(yield* Effect.promise(() => readlink(join(folder, "dangling"))), "new/file")
  })
)

it.scoped("refuses what is no file", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ file: "x", "folder/": "" })
    const messages = yield* Effect.forEach(["folder", "/dev/null", "file/below"], (path) =>
      refusal(tool(folder), folder, { path, content: "" })
    )
    assert.deepStrictEqual(messages.slice(0, 2), [
      "Cannot write ./folder: it is a directory, not a regular file",
      "Cannot write /dev/null: it is a character device, not a regular file"
    ])
    assert.match(messages[2] ?? "", /file\/below/)
    assert.strictEqual(
      yield* refusal(tool(folder), folder, { path: "a", content: 1 }),
      "Invalid arguments for write: content: Expected string, actual 1"
    )
  })
)

it.scoped("interrupted at any step: whole or not at all, and the result says which", () =>
  Effect.gen(function* () {
    for (let step = 1, going = true; going; step++) {
      const folder = yield* tempFolder
      const { answered, call } = interruptible()
      const writes = tool(folder).run({ path: "a", content: "new" }, call)
      const { exit, wasStopped } = yield* interruptedAt(writes, step)
      going = wasStopped
      const isThere = Exit.isSuccess(exit) || /^Successfully .*\n\nStopped$/.test(textOf(answered() ?? said("")))
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), isThere ? ["a"] : [])
    }
  })
)

import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as AtomicFiles from "../../../../src/layers/machine/files/AtomicFiles.ts"
import { interruptedAt } from "../../tools/RunTool.ts"
import { descriptorsOf, tempFolder, withFiles } from "../../tools/TempFolder.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const replace = (path: string, content: Uint8Array, onReplaced: (version: string) => void = () => {}) =>
  AtomicFiles.resolve(path).pipe(
    Effect.flatMap(AtomicFiles.inspect),
    Effect.flatMap((target) => AtomicFiles.replace(target, content, onReplaced))
  )
const content = (path: string) => Effect.promise(() => readFile(path, "utf8"))
const names = (folder: string) => Effect.promise(() => readdir(folder))
const reasonOf = (path: string) => Effect.map(Effect.flip(replace(path, bytes("x"))), ({ reason }) => reason)

it.scoped("replaces a file, keeps its mode, and gives a new one what the umask leaves", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "run.sh": "old" })
    const path = join(folder, "run.sh")
    const fresh = join(folder, "fresh")
    for (const mode of [0o755, 0o640, 0o600, 0o4711]) {
      yield* Effect.promise(() => chmod(path, mode))
      yield* replace(path, bytes(`new ${mode}`))
      assert.strictEqual((yield* Effect.promise(() => stat(path))).mode & 0o7777, mode)
      assert.strictEqual(yield* content(path), `new ${mode}`)
    }
    yield* replace(fresh, bytes(""))
    assert.strictEqual((yield* Effect.promise(() => stat(fresh))).mode & 0o777, 0o666 & ~process.umask())
    assert.sameMembers(yield* names(folder), ["run.sh", "fresh"])
  })
)

it.scoped("goes through links and leaves them, also when they lead to nothing yet", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "real/a": "old" })
    const link = (target: string, name: string) => Effect.promise(() => symlink(target, join(folder, name)))
    yield* link("real/a", "file")
    yield* link("real", "folder")
    yield* link("folder/b", "dangling")
    yield* link("dangling", "twice")
    yield* link("loop", "loop")
    yield* replace(join(folder, "file"), bytes("1"))
    assert.strictEqual(yield* content(join(folder, "real/a")), "1")
    yield* replace(join(folder, "folder/a"), bytes("2"))
    assert.strictEqual(yield* content(join(folder, "real/a")), "2")
    yield* replace(join(folder, "twice"), bytes("3"))
    assert.strictEqual(yield* content(join(folder, "real/b")), "3")
    assert.deepStrictEqual(
      yield* Effect.promise(() => Promise.all(["file", "twice"].map((name) => readlink(join(folder, name))))),
      ["real/a", "dangling"]
    )
    assert.strictEqual(yield* reasonOf(join(folder, "loop")), "unreadable")
  })
)

it.scoped("refuses what is no regular file, and a file that changed after it was looked at", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ a: "old", "folder/": "" })
    const fifo = join(folder, "fifo")
    yield* Effect.sync(() => Bun.spawnSync(["mkfifo", fifo]))
    assert.deepStrictEqual(yield* Effect.forEach([join(folder, "folder"), fifo, "/dev/null"], reasonOf), [
      "is_directory",
      "not_regular",
      "not_regular"
    ])
    const path = join(folder, "a")
    for (const change of ["longer than it was", "new"]) {
      const target = yield* AtomicFiles.inspect(path)
      yield* Effect.promise(() => writeFile(path, change))
      const { reason } = yield* Effect.flip(AtomicFiles.replace(target, bytes("x"), () => {}))
      assert.deepStrictEqual([reason, yield* content(path)], ["changed", change])
    }
    const missing = yield* AtomicFiles.inspect(join(folder, "b"))
    yield* Effect.promise(() => mkdir(missing.path))
    assert.strictEqual((yield* Effect.flip(AtomicFiles.replace(missing, bytes("x"), () => {}))).reason, "changed")
    assert.sameMembers(yield* names(folder), ["a", "b", "fifo", "folder"])
  })
)

it.scoped("a folder that is not there is an error, and nothing is left behind", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    assert.strictEqual(yield* reasonOf(join(folder, "no/such/file")), "not_found")
    yield* AtomicFiles.makeParents(join(folder, "no/such/file"))
    yield* replace(join(folder, "no/such/file"), bytes("x"))
    assert.strictEqual(yield* content(join(folder, "no/such/file")), "x")
  })
)

describe("interrupted at any step", () => {
  for (const before of ["old", undefined]) {
    it.scoped(`a ${before === undefined ? "new" : "replaced"} file is there whole or not at all`, () =>
      Effect.gen(function* () {
        const after = bytes("n".repeat(1_100_000))
        for (let step = 1, going = true; going; step++) {
          const folder = yield* withFiles(before === undefined ? {} : { a: before })
          const path = join(folder, "a")
          let replaced = false
          const { exit, wasStopped } = yield* interruptedAt(
            replace(path, after, () => (replaced = true)),
            step,
            { often: true }
          )
          going = wasStopped
          if (Exit.isSuccess(exit)) assert.isTrue(replaced)
          const found = yield* names(folder)
          if (replaced) assert.strictEqual((yield* content(path)).length, after.length)
          else assert.deepStrictEqual(found, before === undefined ? [] : ["a"])
          if (!replaced && before !== undefined) assert.strictEqual(yield* content(path), before)
          assert.strictEqual(yield* descriptorsOf(path), 0)
          assert.isAtMost(found.length, 1)
          assert.isBelow(step, 1000)
        }
      })
    )
  }
})

import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { local } from "../../../../../src/layers/machine/files/own/OwnFiles.ts"
import { tempFolder } from "../../../tools/TempFolder.ts"

it.scoped("a file that is made grows by whole texts, is its owner's, and is made once", () =>
  Effect.gen(function* () {
    const path = join(yield* tempFolder, "x.jsonl")
    const file = yield* local.create(path)
    yield* file.append("one\n")
    yield* file.append("zwei ä\n")
    yield* file.sync
    yield* file.close
    assert.strictEqual(readFileSync(path, "utf8"), "one\nzwei ä\n")
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.strictEqual((yield* Effect.flip(local.create(path))).code, "EEXIST")
    const again = yield* local.open(path)
    writeFileSync(path, "")
    yield* again.append("after what others did\n")
    yield* again.close
    assert.strictEqual(readFileSync(path, "utf8"), "after what others did\n")
  })
)

it.scoped("a file is replaced as a whole, keeps its mode, and nothing is left beside it", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const path = join(folder, "x.jsonl")
    writeFileSync(path, "old", { mode: 0o640 })
    yield* local.replace(path, "new")
    assert.strictEqual(readFileSync(path, "utf8"), "new")
    assert.strictEqual(statSync(path).mode & 0o777, 0o640)
    assert.deepStrictEqual(readdirSync(folder), ["x.jsonl"])
    assert.strictEqual((yield* Effect.flip(local.replace(join(folder, "none/x"), ""))).code, "ENOENT")
  })
)

it.scoped("what is not there is nothing to list and nothing to copy, but cannot be read", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const missing = join(folder, "none")
    assert.deepStrictEqual(yield* local.list(missing), [])
    yield* local.copyFolder(missing, join(folder, "copy"))
    assert.deepStrictEqual(readdirSync(folder), [])
    for (const look of [local.read, local.readStart]) {
      assert.strictEqual((yield* Effect.flip(look(missing))).code, "ENOENT")
    }
    mkdirSync(join(folder, "sub"))
    writeFileSync(join(folder, "long"), "x".repeat(100_000))
    const found = (yield* local.list(folder)).map(({ isFolder, name }) => `${name} ${isFolder}`)
    assert.deepStrictEqual(found.toSorted(), ["long false", "sub true"])
    assert.strictEqual((yield* local.readStart(join(folder, "long"))).length, 65_536)
  })
)

it.scoped("nothing but regular files is read, opened, replaced or copied", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const [fifo, link] = [join(folder, "fifo"), join(folder, "link")]
    spawnSync("mkfifo", [fifo])
    symlinkSync("nowhere", link)
    for (const [path, code] of [
      [fifo, "NOT_REGULAR"],
      [folder, "EISDIR"]
    ] as const) {
      const failures = [
        yield* Effect.flip(local.read(path)),
        yield* Effect.flip(local.readStart(path)),
        yield* Effect.flip(local.load(path, 1)),
        yield* Effect.flip(local.names(path)),
        yield* Effect.flip(local.open(path)),
        yield* Effect.flip(local.replace(path, ""))
      ]
      for (const failure of failures) assert.strictEqual(failure.code, code)
    }
    assert.strictEqual((yield* Effect.flip(local.real(link))).message, "a link that leads nowhere")
    writeFileSync(join(folder, "file"), "text", { mode: 0o644 })
    const copy = join(yield* tempFolder, "copy")
    yield* local.copyFolder(folder, copy)
    assert.deepStrictEqual(readdirSync(copy), ["file"])
    assert.strictEqual(statSync(join(copy, "file")).mode & 0o777, 0o600)
    assert.isTrue(statSync(fifo).isFIFO())
  })
)

/** The descriptors of this process that lead to a path. */
const openFilesAt = (path: string) =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

it.scoped.skipIf(process.platform !== "linux")(
  "a file is not loaded beyond the bound, and is closed after its syncs when it is left",
  () =>
    Effect.gen(function* () {
      const path = join(yield* tempFolder, "x")
      const file = yield* local.create(path)
      yield* file.append("0123456789")
      assert.strictEqual((yield* Effect.flip(local.load(path, 9))).code, "EFBIG")
      const { bytes, mark } = yield* Effect.scoped(local.load(path, 10))
      assert.deepStrictEqual([bytes.length, yield* local.change(path, mark)], [10, undefined])
      const syncing = yield* Effect.fork(file.sync)
      yield* Effect.yieldNow()
      yield* file.leave
      yield* syncing
      assert.deepStrictEqual(openFilesAt(path), [])
      truncateSync(path, 3)
      assert.strictEqual(yield* local.change(path, mark), "was changed by another program")
    })
)

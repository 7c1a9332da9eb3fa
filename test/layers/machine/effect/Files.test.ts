/** Files over the FileSystems of Effect, beside heddle's own: what is the same, and a FileSystem over Files. */
import { readFileSync, readdirSync, realpathSync, statSync, chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { FileSystem } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Grep from "../../../../src/layers/tools/search/Grep.ts"
import { FilesFromFileSystem, FileSystemFromFiles } from "../../../../src/platform.ts"
import { FileError, Files } from "../../../../src/services/machine/Files.ts"
import { FilesConformance } from "../../../../src/testing.ts"
import { run, textOf } from "../../tools/RunTool.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const bridged = FilesFromFileSystem.layer({ sharedWithPrograms: false })
const kinds = {
  LocalFiles: LocalFiles.layer,
  "Files over BunFileSystem": Layer.provide(bridged, BunFileSystem.layer),
  "Files over NodeFileSystem": Layer.provide(bridged, NodeFileSystem.layer)
}
const folder = Effect.map(tempFolder, (path) => realpathSync(path))

describe.each(Object.entries(kinds))("%s", (_, layer) => {
  for (const check of FilesConformance.checks) {
    it.scopedLive(check.name, () => Effect.provide(Effect.flatMap(folder, check.run), layer))
  }

  it.scopedLive("links: entries say so, writes go to the target, also where there is none yet", () =>
    Effect.gen(function* () {
      const files = yield* Files
      const root = yield* folder
      writeFileSync(join(root, "a.txt"), "a")
      symlinkSync("a.txt", join(root, "link"))
      symlinkSync("later.txt", join(root, "dangling"))
      symlinkSync("loop", join(root, "loop"))
      const entries = yield* files.entries(root)
      assert.deepStrictEqual(entries.map(({ kind, name }) => `${name} ${kind}`).toSorted(), [
        "a.txt file",
        "dangling link",
        "link link",
        "loop link"
      ])
      assert.strictEqual(yield* files.realPath(join(root, "link")), join(root, "a.txt"))
      assert.strictEqual(yield* files.resolve(join(root, "link")), join(root, "a.txt"))
      assert.strictEqual(yield* files.resolve(join(root, "dangling")), join(root, "later.txt"))
      assert.strictEqual((yield* Effect.flip(files.resolve(join(root, "loop")))).reason, "unreadable")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("a FIFO is refused without being opened", () =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = join(yield* folder, "fifo")
      Bun.spawnSync(["mkfifo", path])
      assert.strictEqual((yield* Effect.flip(Effect.scoped(files.open(path)))).reason, "not_regular")
      assert.strictEqual((yield* Effect.flip(files.inspect(path))).reason, "not_regular")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("a replacement keeps the permissions of the file", () =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = join(yield* folder, "run.sh")
      writeFileSync(path, "old")
      chmodSync(path, 0o751)
      yield* files.replace(yield* files.inspect(path), new TextEncoder().encode("new"), () => undefined)
      assert.strictEqual(readFileSync(path, "utf8"), "new")
      assert.strictEqual(statSync(path).mode & 0o777, 0o751)
    }).pipe(Effect.provide(layer))
  )
})

it.scopedLive("an interrupted replacement leaves the old file, and nothing beside it", () =>
  Effect.gen(function* () {
    const root = yield* folder
    const path = join(root, "a.txt")
    writeFileSync(path, "old")
    const started = yield* Deferred.make<void>()
    const fs = yield* FileSystem.FileSystem
    const slow = { ...fs, chmod: () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never) }
    const files = yield* Effect.provide(Files, Layer.provide(bridged, Layer.succeed(FileSystem.FileSystem, slow)))
    const target = yield* files.inspect(path)
    const replacing = yield* Effect.fork(files.replace(target, new Uint8Array(3_000_000), () => undefined))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(replacing)
    assert.deepStrictEqual(readdirSync(root), ["a.txt"])
    assert.strictEqual(readFileSync(path, "utf8"), "old")
  }).pipe(Effect.provide(BunFileSystem.layer))
)

it.scopedLive("grep searches a FileSystem of the embedder, not the disk", () =>
  Effect.gen(function* () {
    const root = yield* folder
    writeFileSync(join(root, "a.txt"), "needle\n")
    const machine = yield* Layer.build(Layer.merge(kinds["Files over BunFileSystem"], LocalProcesses.layer))
    const found = yield* run(Grep.make({ cwd: root, machine }), { pattern: "needle" })
    assert.strictEqual(textOf(found), "a.txt:1: needle")
  })
)

describe("a FileSystem over Files", () => {
  const refusing = Layer.effect(
    Files,
    Effect.map(Files, (files) => ({
      ...files,
      open: (path: string) =>
        path.includes("secret") ? new FileError({ path, reason: "refused", description: "private" }) : files.open(path)
    }))
  ).pipe(Layer.provide(LocalFiles.layer))
  const both = {
    "its own": BunFileSystem.layer,
    "over LocalFiles": Layer.provide(FileSystemFromFiles.layer, LocalFiles.layer),
    "over a guard": Layer.provide(FileSystemFromFiles.layer, refusing)
  }

  it.scopedLive.each(Object.entries(both))("%s: reads, lists and writes whole files", ([, layer]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      const path = join(root, "sub/a.txt")
      assert.isFalse(yield* fs.exists(path))
      yield* fs.makeDirectory(join(root, "sub"), { recursive: true })
      yield* fs.writeFileString(path, "one\n")
      yield* fs.writeFileString(path, "two\n", { flag: "a" })
      assert.strictEqual(yield* fs.readFileString(path), "one\ntwo\n")
      assert.propertyVal(yield* Effect.flip(fs.writeFileString(path, "x", { flag: "wx" })), "reason", "AlreadyExists")
      assert.deepInclude(yield* fs.stat(path), { type: "File", size: FileSystem.Size(8) })
      assert.propertyVal(yield* fs.stat(root), "type", "Directory")
      assert.deepStrictEqual(yield* fs.readDirectory(root), ["sub"])
      assert.deepStrictEqual((yield* fs.readDirectory(root, { recursive: true })).toSorted(), ["sub", "sub/a.txt"])
      yield* fs.copyFile(path, join(root, "b.txt"))
      assert.strictEqual(readFileSync(join(root, "b.txt"), "utf8"), "one\ntwo\n")
      assert.strictEqual(yield* fs.realPath(path), path)
      yield* fs.access(path, { writable: true })
      const large = new Uint8Array(300_000).map((_, at) => at % 251)
      yield* fs.writeFile(join(root, "large"), large)
      const pieces = yield* Stream.runCollect(fs.stream(join(root, "large"), { offset: 10, bytesToRead: 200_000 }))
      assert.deepStrictEqual(Buffer.concat([...pieces]), Buffer.from(large.slice(10, 200_010)))
      const missing = join(root, "none")
      const failures = [
        Effect.asVoid(fs.readFile(missing)),
        Effect.asVoid(fs.readDirectory(missing)),
        Effect.asVoid(fs.stat(missing))
      ]
      for (const failure of failures) assert.propertyVal(yield* Effect.flip(failure), "reason", "NotFound")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("what the guard refuses, and what Files cannot do, is denied with a sentence", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      writeFileSync(join(root, "secret"), "x")
      assert.deepInclude(yield* Effect.flip(fs.readFile(join(root, "secret"))), {
        reason: "PermissionDenied",
        description: "private"
      })
      const refused = yield* Effect.flip(fs.remove(join(root, "secret")))
      assert.match(refused.message, /PermissionDenied.*heddle's Files cannot do this: remove/)
      assert.strictEqual(readFileSync(join(root, "secret"), "utf8"), "x")
    }).pipe(Effect.provide(both["over a guard"]))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { service as files } from "../../../../src/layers/machine/files/LocalFiles.ts"
import type { FileError } from "../../../../src/services/machine/Files.ts"
import { descriptorsOf, tempFolder, withFiles } from "../../tools/TempFolder.ts"

const reasonOf = <A, R>(effect: Effect.Effect<A, FileError, R>) =>
  Effect.map(Effect.flip(effect), ({ description, reason }) => [reason, description])

describe("open", () => {
  it.scoped("reads from any position, and nothing past the end", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "0123456789" })
      const file = yield* files.open(join(folder, "a.txt"))
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
      assert.strictEqual(file.size, 10)
      assert.strictEqual(decode(yield* file.read(0)), "0123456789")
      assert.strictEqual(decode(yield* file.read(7)), "789")
      assert.strictEqual(decode(yield* file.read(10)), "")
      assert.strictEqual(decode(yield* file.readFirst(4)), "0123")
      assert.strictEqual(decode(yield* file.readFirst(99)), "0123456789")
    })
  )

  it.scoped("reads a large file in pieces of at most a mebibyte", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = join(folder, "large")
      yield* Effect.promise(() => writeFile(path, "").then(() => truncate(path, 3_000_000)))
      const file = yield* files.open(path)
      let position = 0
      for (let bytes = yield* file.read(0); bytes.length > 0; bytes = yield* file.read(position)) {
        assert.isAtMost(bytes.length, 1024 * 1024)
        position += bytes.length
      }
      assert.strictEqual(position, 3_000_000)
      assert.strictEqual((yield* file.readFirst(2_500_000)).length, 2_500_000)
    })
  )

  it.scoped("closes the file with the scope", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "a".repeat(300_000) })
      const path = join(folder, "a.txt")
      const scope = yield* Scope.make()
      yield* Scope.extend(files.open(path), scope)
      assert.strictEqual(yield* descriptorsOf(path), 1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* descriptorsOf(path), 0)
    })
  )

  it.scoped("refuses what is not a regular file", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "sub/": "" })
      const fifo = join(folder, "fifo")
      const socket = join(folder, "socket")
      assert.strictEqual(Bun.spawnSync(["mkfifo", fifo]).exitCode, 0)
      yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer().listen(socket, () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const refusals = yield* Effect.forEach([fifo, socket, "/dev/zero", join(folder, "sub")], (path) =>
        reasonOf(files.open(path))
      )
      assert.deepStrictEqual(refusals, [
        ["not_regular", "a FIFO"],
        ["not_regular", "a socket"],
        ["not_regular", "a character device"],
        ["is_directory", "a directory"]
      ])
    })
  )

  it.scoped("says what is wrong with a path", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ "a.txt": "a" })
      yield* Effect.promise(() => symlink("loop", join(folder, "loop")))
      const reasons = yield* Effect.forEach(["missing", "a.txt/inside", "loop", "nul\0byte"], (name) =>
        Effect.map(reasonOf(files.open(`${folder}/${name}`)), ([reason]) => reason)
      )
      assert.deepStrictEqual(reasons, ["not_found", "not_found", "unreadable", "unreadable"])
    })
  )
})

describe("entries", () => {
  it.scoped("tells files, folders and the rest apart", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ file: "", "sub/": "" })
      yield* Effect.promise(() => symlink("sub", join(folder, "link")))
      assert.strictEqual(Bun.spawnSync(["mkfifo", join(folder, "fifo")]).exitCode, 0)
      const found = yield* files.entries(folder)
      assert.deepStrictEqual(
        found.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        [
          { name: "fifo", kind: "other" },
          { name: "file", kind: "file" },
          { name: "link", kind: "link" },
          { name: "sub", kind: "directory" }
        ]
      )
    })
  )

  it.scoped("needs a folder", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ file: "" })
      const reasons = yield* Effect.forEach(["file", "missing", "file/inside"], (name) =>
        Effect.map(reasonOf(files.entries(join(folder, name))), ([reason]) => reason)
      )
      assert.deepStrictEqual(reasons, ["not_directory", "not_found", "not_found"])
    })
  )
})

it.scoped("isDirectory follows links, also broken ones", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ file: "", "sub/": "" })
    yield* Effect.promise(() => symlink("sub", join(folder, "link")))
    yield* Effect.promise(() => symlink("nowhere", join(folder, "broken")))
    const answers = yield* Effect.forEach(["file", "sub", "link", "broken"], (name) =>
      files.isDirectory(join(folder, name))
    )
    assert.deepStrictEqual(answers, [false, true, true, false])
  })
)

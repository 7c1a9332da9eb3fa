/**
 * Checks that every Files must pass. They make what they need with the service itself, in an empty folder that they are given, so
 * they also fit files that are on no disk.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Json from "../../../domain/Json.ts"
import { type FileError, type FileErrorReason, Files } from "../../../services/machine/Files.ts"
import * as LocalPaths from "./LocalPaths.ts"

export class NotConforming extends Schema.TaggedError<NotConforming>()("NotConforming", { message: Schema.String }) {}

export interface Check {
  readonly name: string
  /** `folder` is absolute, without links, and empty. */
  readonly run: (folder: string) => Effect.Effect<void, NotConforming | FileError, Files | Scope.Scope>
}

const same = (what: string, actual: unknown, wanted: unknown) => {
  const [found, expected] = [Json.stringify(actual), Json.stringify(wanted)]
  return found === expected ? Effect.void : new NotConforming({ message: `${what}: ${found} is not ${expected}` })
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const write = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const files = yield* Files
  yield* files.makeParents(path)
  const target = yield* files.inspect(yield* files.resolve(path))
  let version = ""
  yield* files.replace(target, bytes, (next) => {
    version = next
  })
  return version
})

const failsWith = <A, R>(what: string, reason: FileErrorReason, effect: Effect.Effect<A, FileError, R>) =>
  Effect.flatMap(Effect.either(effect), (result) =>
    same(what, result._tag === "Left" ? result.left.reason : "a success", reason)
  )

const check = (name: string, run: Check["run"]): Check => ({ name, run })

const pieceBytes = 100_000

export const checks: ReadonlyArray<Check> = [
  check("a file that was written is read from any position, and nothing past its end", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = LocalPaths.join(folder, "a.txt")
      yield* write(path, bytesOf("0123456789"))
      const file = yield* files.open(path)
      yield* same("size", file.size, 10)
      yield* same("all", textOf(yield* file.read(0)), "0123456789")
      yield* same("from the middle", textOf(yield* file.read(7)), "789")
      yield* same("from the end", (yield* file.read(10)).length, 0)
      yield* same("the first", textOf(yield* file.readFirst(4)), "0123")
      yield* same("more than there is", textOf(yield* file.readFirst(99)), "0123456789")
      yield* same("real path", yield* file.realPath, path)
    })
  ),
  check("a large file comes in pieces, and whole", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = LocalPaths.join(folder, "large")
      const bytes = new Uint8Array(30 * pieceBytes).map((_, at) => Math.floor(at / pieceBytes))
      yield* write(path, bytes)
      const file = yield* files.open(path)
      let position = 0
      for (let piece = yield* file.read(0); piece.length > 0; piece = yield* file.read(position)) {
        yield* same(`the byte at ${position}`, piece[0], bytes[position])
        position += piece.length
      }
      yield* same("length", position, bytes.length)
      yield* same("the first of it", (yield* file.readFirst(2 * pieceBytes + 1))[2 * pieceBytes], 2)
    })
  ),
  check("parents are made, and entries have their kinds", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      yield* write(LocalPaths.join(folder, "sub/deep/a.txt"), bytesOf("a"))
      yield* write(LocalPaths.join(folder, "b.txt"), bytesOf("b"))
      const entries = yield* files.entries(folder)
      const found = entries.map(({ kind, name }) => `${name} ${kind}`).toSorted()
      yield* same("entries", found, ["b.txt file", "sub directory"])
      yield* same("a folder", yield* files.isDirectory(LocalPaths.join(folder, "sub")), true)
      yield* same("a file", yield* files.isDirectory(LocalPaths.join(folder, "b.txt")), false)
      yield* same("nothing", yield* files.isDirectory(LocalPaths.join(folder, "none")), false)
    })
  ),
  check("what cannot be done fails with its reason", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      const [path, missing] = [LocalPaths.join(folder, "a.txt"), LocalPaths.join(folder, "none")]
      yield* write(path, bytesOf("a"))
      yield* failsWith("open nothing", "not_found", files.open(missing))
      yield* failsWith("open a folder", "is_directory", files.open(folder))
      yield* failsWith("open below a file", "not_found", files.open(LocalPaths.join(path, "b")))
      yield* failsWith("list nothing", "not_found", files.entries(missing))
      yield* failsWith("list a file", "not_directory", files.entries(path))
      yield* failsWith("real path of nothing", "not_found", files.realPath(missing))
      yield* failsWith("write a folder", "is_directory", files.inspect(folder))
    })
  ),
  check("a path that does not exist yet is resolved, and free", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = LocalPaths.join(folder, "not/yet.txt")
      yield* same("resolved", yield* files.resolve(path), path)
      yield* same("version", (yield* files.inspect(path)).version, undefined)
    })
  ),
  check("a replacement has a version, and fails when the file has changed meanwhile", (folder) =>
    Effect.gen(function* () {
      const files = yield* Files
      const path = LocalPaths.join(folder, "a.txt")
      const first = yield* write(path, bytesOf("one"))
      const target = yield* files.inspect(path)
      yield* same("the version of the file", target.version, first)
      yield* same("the version when it is opened", (yield* files.open(path)).version, first)
      yield* write(path, bytesOf("another"))
      const late = files.replace(target, bytesOf("late"), () => undefined)
      yield* failsWith("a late replacement", "changed", late)
      yield* same("the content", textOf(yield* (yield* files.open(path)).read(0)), "another")
      const free = { path: LocalPaths.join(folder, "b.txt"), version: undefined, owner: undefined }
      yield* write(free.path, bytesOf("taken"))
      yield* failsWith(
        "a path that is taken meanwhile",
        "changed",
        files.replace(free, bytesOf("late"), () => undefined)
      )
      const entries = yield* files.entries(folder)
      yield* same("nothing else is left", entries.map(({ name }) => name).toSorted(), ["a.txt", "b.txt"])
    })
  )
]

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OutputFile } from "../../../../src/layers/machine/files/own/OutputFile.ts"
import { FileRefused } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as Artifact from "../../../../src/layers/tools/shell/Artifact.ts"
import { tempFolder } from "../TempFolder.ts"

const write = (artifact: Artifact.Artifact, bytes: Uint8Array) => artifact.write(bytes) ?? Effect.void
const bytes = (length: number, seed = 0) => Uint8Array.from({ length }, (_, i) => (i * 31 + seed) % 251)

it.scoped("numbers go on after what is there, also after what others make meanwhile; the folder is made", () =>
  Effect.gen(function* () {
    const folder = join(yield* tempFolder, "session")
    const artifacts = yield* Artifact.make()
    const open = artifacts.open(Option.some(folder))
    const first = yield* open
    writeFileSync(join(folder, "2.bash.log"), "")
    writeFileSync(join(folder, "3.bash.log"), "")
    const others = yield* Effect.all([open, open], { concurrency: "unbounded" })
    assert.deepStrictEqual([first.id, ...others.map(({ id }) => id)], ["1", "4", "5"])
    yield* Effect.forEach([first, ...others], ({ finish }) => finish)
    const again = yield* Effect.flatMap(Artifact.make(), ({ open }) => open(Option.some(folder)))
    assert.strictEqual(again.path, join(folder, "6.bash.log"))
    assert.strictEqual(statSync(again.path).mode & 0o777, 0o600)
    yield* again.discard
    assert.strictEqual(readdirSync(folder).length, 5)
  })
)

it.scoped("what comes out is what went in, whatever the sizes", () =>
  Effect.gen(function* () {
    const artifacts = yield* Artifact.make()
    const artifact = yield* artifacts.open(Option.none())
    const parts = [0, 1, 262_143, 1, 1, 600_000, 10, 262_144, 262_145, 7].map(bytes)
    yield* Effect.forEach(parts, (part) => write(artifact, part))
    assert.deepStrictEqual(yield* artifact.finish, Option.none())
    assert.isTrue(Buffer.concat(parts).equals(readFileSync(artifact.path)))
  })
)

it.scoped("an output that is too long for the disk is given up, with a reason and without a file", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const artifacts = yield* Artifact.make({ maxBytes: 1_000_000 })
    const artifact = yield* artifacts.open(Option.some(folder))
    yield* Effect.replicateEffect(
      Effect.suspend(() => write(artifact, bytes(100_000))),
      20
    )
    assert.deepStrictEqual(yield* artifact.finish, Option.some("more than 1000000 bytes"))
    assert.deepStrictEqual(readdirSync(folder), [])
  })
)

it.scoped("a full disk is survived", () =>
  Effect.gen(function* () {
    let [calls, removed] = [0, false]
    const full: OutputFile = {
      path: "/full",
      write: () =>
        Effect.suspend(() => {
          calls++
          return new FileRefused({ path: "/full", code: "ENOSPC", message: "ENOSPC: no space left on device" })
        }),
      close: Effect.void,
      remove: Effect.sync(() => void (removed = true))
    }
    const artifact = Artifact.fromFile("1", full, 1e9)
    yield* Effect.replicateEffect(
      Effect.suspend(() => write(artifact, bytes(200_000))),
      10
    )
    assert.deepStrictEqual(yield* artifact.finish, Option.some("ENOSPC: no space left on device"))
    assert.deepStrictEqual([calls, removed], [1, true])
  })
)

it.scoped("a folder that cannot be written to is a failure, not a defect", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    writeFileSync(join(folder, "file"), "")
    chmodSync(folder, 0o700)
    const artifacts = yield* Artifact.make()
    const { message } = yield* Effect.flip(artifacts.open(Option.some(join(folder, "file"))))
    assert.match(message, /EEXIST|ENOTDIR/)
  })
)

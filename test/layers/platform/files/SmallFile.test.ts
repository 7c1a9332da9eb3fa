import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LocalFiles from "../../../../src/layers/platform/files/LocalFiles.ts"
import * as SmallFile from "../../../../src/layers/platform/files/SmallFile.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  it.scoped("a small file comes at once, with the path it really has", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const [path, link] = [join(folder, "a.txt"), join(folder, "link")]
      writeFileSync(path, "one\n")
      symlinkSync(path, link)
      assert.deepStrictEqual(SmallFile.read(link), {
        bytes: new Uint8Array(readFileSync(path)),
        path: realpathSync(path),
        version: LocalFiles.versionOf(statSync(path))
      })
    })
  )

  it.scoped("what is large, empty, missing or no file is left to others, as is what lives below /proc", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const file = (name: string, size: number) => {
        writeFileSync(join(folder, name), new Uint8Array(size))
        return join(folder, name)
      }
      const pipe = join(folder, "pipe")
      mkdirSync(join(folder, "folder"))
      assert.strictEqual(Bun.spawnSync(["mkfifo", pipe]).exitCode, 0)
      assert.isDefined(SmallFile.read(file("fits", 256 * 1024)))
      const others = [file("large", 256 * 1024 + 1), file("empty", 0), join(folder, "none"), join(folder, "folder")]
      for (const path of [...others, pipe, "/dev/zero", "/proc/self/status", "\0"]) {
        assert.isUndefined(SmallFile.read(path), path)
      }
    })
  )
})

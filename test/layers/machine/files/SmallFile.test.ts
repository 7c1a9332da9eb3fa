import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { versionOf } from "../../../../src/layers/machine/files/FileErrors.ts"
import * as SmallFile from "../../../../src/layers/machine/files/SmallFile.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  it.scoped("a small file comes at once, with the path it really has", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const [path, link] = [join(folder, "a.txt"), join(folder, "link")]
      writeFileSync(path, "one\n")
      symlinkSync(path, link)
      const file = SmallFile.read(link)
      assert.deepStrictEqual([file?.path, file?.size, file?.version], [link, 4, versionOf(statSync(path))])
      assert.strictEqual(yield* file?.realPath ?? Effect.succeed(""), realpathSync(path))
      const read = Effect.all(
        [file?.read(0), file?.read(2), file?.read(4), file?.readFirst(3)].map((e) => e ?? Effect.void)
      )
      const texts = (yield* read).map((bytes) => Buffer.from(bytes ?? []).toString())
      assert.deepStrictEqual(texts, ["one\n", "e\n", "", "one"])
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

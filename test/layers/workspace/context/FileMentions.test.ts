import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import { Files } from "../../../../src/services/machine/Files.ts"
import * as FileMentions from "../../../../src/layers/workspace/context/FileMentions.ts"

const png = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

const inFolder = <A, E>(use: (cwd: string) => Effect.Effect<A, E, Files>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const cwd = mkdtempSync(join(tmpdir(), "heddle-mentions-"))
      mkdirSync(join(cwd, "src"))
      writeFileSync(join(cwd, "src/a.ts"), "const a = 1")
      writeFileSync(join(cwd, "my notes.md"), "# Notes")
      writeFileSync(join(cwd, "dot.png"), png)
      writeFileSync(join(cwd, "data.bin"), Uint8Array.of(1, 0, 2))
      writeFileSync(join(cwd, ".hidden"), "h")
      writeFileSync(join(cwd, "big.txt"), "ä".repeat(FileMentions.mostBytes))
      symlinkSync(join(cwd, "src"), join(cwd, "sources"))
      return cwd
    }),
    (cwd) => Effect.provide(use(cwd), LocalFiles.layer),
    (cwd) => Effect.sync(() => rmSync(cwd, { recursive: true, force: true }))
  )

describe("mentions of files", () => {
  it("are words that begin with @, or quoted", () => {
    const text = 'see @src/a.ts, (@b.md) and @"my notes.md" but not me@home or @src/a.ts again'
    assert.deepStrictEqual(FileMentions.find(text), ["src/a.ts,", "b.md)", "my notes.md", "src/a.ts"])
  })

  it("the one at the cursor can be completed", () => {
    assert.deepStrictEqual(FileMentions.at("see @src/a and @s", 10), { from: 5, path: "src/a", isQuoted: false })
    assert.deepStrictEqual(FileMentions.at('@a @"my no', 10), { from: 5, path: "my no", isQuoted: true })
    assert.isUndefined(FileMentions.at("see @src/a more", 15))
    assert.isUndefined(FileMentions.at("me@home", 7))
  })

  it.effect("texts and images are attached; punctuation behind a path is no part of it", () =>
    inFolder((cwd) =>
      Effect.gen(function* () {
        const found = yield* FileMentions.attach('@src/a.ts, @"my notes.md" @dot.png @src @nope @data.bin', { cwd })
        assert.deepStrictEqual(found, {
          documents: ['<file name="src/a.ts">\nconst a = 1\n</file>', '<file name="my notes.md">\n# Notes\n</file>'],
          images: [{ type: "image", data: png.toBase64(), mimeType: "image/png" }],
          paths: ["src/a.ts", "my notes.md", "dot.png"],
          missing: ["src", "nope"],
          refused: ["@data.bin is not attached: it is neither text nor an image"]
        })
      })
    )
  )

  it.effect("of a long file the beginning is attached, and the model is told so", () =>
    inFolder((cwd) =>
      Effect.gen(function* () {
        const { documents } = yield* FileMentions.attach("@big.txt", { cwd })
        assert.match(
          documents[0] ?? "",
          /ä\n\[Only the first 256(?:\.0)? ?Ki?B are attached\. Read the rest with the read tool\.\]\n<\/file>$/
        )
      })
    )
  )

  it.effect("paths are completed folder by folder; hidden ones only when asked for", () =>
    inFolder((cwd) =>
      Effect.gen(function* () {
        const complete = (path: string) => FileMentions.complete(path, { cwd })
        assert.deepStrictEqual(yield* complete("s"), ["sources/", "src/"])
        assert.deepStrictEqual(yield* complete("src/"), ["src/a.ts"])
        assert.deepStrictEqual(yield* complete("MY"), ["my notes.md"])
        assert.deepStrictEqual(yield* complete(".h"), [".hidden"])
        assert.deepStrictEqual(yield* complete("nowhere/x"), [])
      })
    )
  )
})

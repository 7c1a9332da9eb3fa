import { spawnSync } from "node:child_process"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ContentHash from "../../../../../src/layers/machine/files/folders/ContentHash.ts"
import * as FolderEntries from "../../../../../src/layers/machine/files/folders/FolderEntries.ts"
import * as PathPattern from "../../../../../src/layers/machine/files/folders/PathPattern.ts"
import { withFiles } from "../../../tools/TempFolder.ts"

it.scoped("entries come by name with their kinds, and not more than asked for", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "b.txt": "", "a/x": "" })
    symlinkSync("a", join(folder, "c"))
    symlinkSync("b.txt", join(folder, "d"))
    symlinkSync("e", join(folder, "e"))
    spawnSync("mkfifo", [join(folder, "f")])
    const { entries, hasMore } = yield* FolderEntries.read(folder, 6)
    assert.deepStrictEqual(
      entries.map(({ isLink, kind, name }) => [name, kind, isLink]),
      [
        ["a", "folder", false],
        ["b.txt", "file", false],
        ["c", "folder", true],
        ["d", "file", true],
        ["e", "odd", true],
        ["f", "odd", false]
      ]
    )
    assert.isFalse(hasMore)
    const some = yield* FolderEntries.read(folder, 5)
    assert.deepStrictEqual([some.entries.length, some.hasMore], [5, true])
    const codes = yield* Effect.forEach(["none", "b.txt", "e"], (name) =>
      Effect.map(Effect.flip(FolderEntries.read(join(folder, name), 1)), ({ code }) => code)
    )
    assert.deepStrictEqual(codes, ["ENOENT", "ENOTDIR", "ELOOP"])
  })
)

it("patterns match whole paths; one of 500 stars is no trap, and a longer one matches nothing", () => {
  const cases: ReadonlyArray<readonly [pattern: string, path: string, matches: boolean]> = [
    ["*.ts", "a.ts", true],
    ["*.ts", "x/a.ts", false],
    ["x/**/*.ts", "x/a.ts", true],
    ["x/**/*.ts", "x/y/z/a.ts", true],
    ["{a,b}/?.[jt]s", "b/q.js", true],
    ["{a,b}/?.[jt]s", "c/q.js", false],
    [`${"*a".repeat(250)}`, "a".repeat(240), false],
    ["*".repeat(501), "a", false]
  ]
  for (const [pattern, path, matches] of cases) {
    assert.strictEqual(PathPattern.matcher(pattern)(path), matches, `${pattern} ${path}`)
  }
  assert.deepStrictEqual(["a*", "a?", "[a]", "{a}", "a.b-c@1/d"].map(PathPattern.isPattern), [
    true,
    true,
    true,
    true,
    false
  ])
})

it.scoped("a file has the hash of its bytes; larger ones and what is no file are refused", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ empty: "", full: "abc" })
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert.deepStrictEqual(yield* ContentHash.ofFile(join(folder, "full"), 3), { hash: abc, size: 3 })
    assert.strictEqual((yield* Effect.flip(ContentHash.ofFile(join(folder, "full"), 2))).code, "EFBIG")
    assert.strictEqual((yield* Effect.flip(ContentHash.ofFile(folder, 2))).code, "EISDIR")
    writeFileSync(join(folder, "full"), "abd")
    assert.notStrictEqual((yield* ContentHash.ofFile(join(folder, "full"), 3)).hash, abc)
  })
)

it("texts are hashed one by one, not joined", () => {
  assert.notStrictEqual(ContentHash.ofTexts(["ab", "c"]), ContentHash.ofTexts(["a", "bc"]))
  assert.strictEqual(ContentHash.ofTexts(["ab", "c"]), ContentHash.ofTexts(new Set(["ab", "c"])))
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import * as Look from "../../../../src/layers/pi/discovery/Look.ts"
import * as Patterns from "../../../../src/layers/pi/discovery/Patterns.ts"
import { withFiles } from "../../tools/TempFolder.ts"

describe("filters", () => {
  const paths = ["extensions/a.ts", "extensions/b.ts", "extensions/c/index.ts", "more/a.ts"]
  const cases: ReadonlyArray<readonly [patterns: ReadonlyArray<string> | undefined, left: ReadonlyArray<number>]> = [
    [undefined, [0, 1, 2, 3]],
    [[], []],
    [["extensions"], [0, 1, 2]],
    [["./extensions/"], [0, 1, 2]],
    [["a.ts"], [0, 3]],
    [["*.ts"], [0, 1, 2, 3]],
    [["extensions/*.ts"], [0, 1]],
    [["**/index.ts"], [2]],
    [["!a.ts"], [1, 2]],
    [["!extensions/c"], [0, 1, 3]],
    [
      ["extensions/*.ts", "!extensions/a.ts", "+more/a.ts"],
      [1, 3]
    ],
    [["-extensions/a.ts"], [1, 2, 3]],
    [
      ["+extensions/a.ts", "-extensions/a.ts"],
      [1, 2, 3]
    ],
    [["!**"], []]
  ]

  it.each(cases)("%j", (patterns, left) => {
    assert.deepStrictEqual(
      paths.filter(Patterns.filter(patterns)),
      left.map((at) => paths[at] ?? "")
    )
  })

  it("take a part of what is there, whatever is written in them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }), (patterns) => {
        const left = paths.filter(Patterns.filter(patterns))
        assert.includeMembers(paths, left)
        assert.deepStrictEqual(
          paths.filter(Patterns.filter([...patterns, "!**"])),
          left.filter((path) => patterns.includes(`+${path}`))
        )
      })
    )
  })
})

it.scoped(
  "globs find files and folders below the package, and do not follow links, hidden folders or node_modules",
  () =>
    Effect.gen(function* () {
      const root = yield* withFiles({
        "out/o.ts": "",
        "p/a.ts": "",
        "p/s/b.ts": "",
        "p/s/t/c.ts": "",
        "p/.hidden/d.ts": "",
        "p/node_modules/e/f.ts": "",
        "p/1/2/3/4/5/6/7/8/9/deep.ts": ""
      })
      symlinkSync("../out", join(root, "p/link"))
      symlinkSync("a.ts", join(root, "p/same.ts"))
      const look = yield* Look.make()
      const found = (...patterns: ReadonlyArray<string>) =>
        Effect.map(Patterns.included(look, join(root, "p"), patterns), (named) =>
          named.map(({ byPattern, path }) => `${path.replace(`${root}/`, "")}${byPattern ? "" : " !"}`)
        )
      assert.deepStrictEqual(yield* found("**/*.ts"), ["p/a.ts", "p/same.ts", "p/s/b.ts", "p/s/t/c.ts"])
      assert.deepStrictEqual(yield* found("s/*"), ["p/s/b.ts", "p/s/t"])
      assert.deepStrictEqual(yield* found("node_modules/e/*.ts"), ["p/node_modules/e/f.ts"])
      assert.deepStrictEqual(yield* found("link/*.ts"), ["p/link/o.ts"])
      assert.deepStrictEqual(yield* found("../*", "s/../../out/*", "!a.ts"), [])
      assert.deepStrictEqual(yield* found("a.ts", "../out", "./gone/"), ["p/a.ts !", "out !", "p/gone !"])
      assert.deepStrictEqual(yield* look.problems, [])
    })
)

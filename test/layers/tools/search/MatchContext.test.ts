import { assert, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { join } from "node:path"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as MatchContext from "../../../../src/layers/tools/search/MatchContext.ts"
import { withFiles } from "../TempFolder.ts"

const expand = (...args: Parameters<typeof MatchContext.expand>) =>
  Effect.provide(MatchContext.expand(...args), LocalFiles.layer)

it.scoped("property: exactly the lines within reach of a match, each once, blocks where there is a gap", () =>
  Effect.gen(function* () {
    const count = 60
    const text = Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n")
    const folder = yield* withFiles({ a: text, b: `${text}\n` })
    const lines = fc.uniqueArray(fc.integer({ min: 1, max: count }), { minLength: 1, maxLength: 8 })
    for (const [picked, context] of fc.sample(fc.tuple(lines, fc.integer({ min: 1, max: 5 })), 40)) {
      const sorted = picked.toSorted((x, y) => x - y)
      const paths = ["a", "b"].map((name) => join(folder, name))
      const matches = paths.flatMap((path) => sorted.map((line) => ({ path, line, text: `line ${line}` })))
      const near = Array.from({ length: count }, (_, i) => i + 1).filter((line) =>
        sorted.some((match) => Math.abs(match - line) <= context)
      )
      const expected = paths.flatMap((path) =>
        near.map((line) => ({
          path,
          line,
          text: `line ${line}`,
          isMatch: sorted.includes(line),
          opensBlock: !near.includes(line - 1)
        }))
      )
      assert.deepStrictEqual(yield* expand(matches, context), expected)
    }
  })
)

it.scoped("a file that is gone by now shows its matches alone", () =>
  Effect.gen(function* () {
    const match = { path: "/no/such/file", line: 3, text: "x" }
    const expected = [{ ...match, isMatch: true, opensBlock: true }]
    assert.deepStrictEqual(yield* expand([match], 2), expected)
    assert.deepStrictEqual(yield* expand([match], 0), [{ ...match, isMatch: true, opensBlock: false }])
    assert.deepStrictEqual(yield* expand([], 2), [])
  })
)

import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as PathArguments from "../../../src/domain/rules/PathArguments.ts"

const read = (...pieces: ReadonlyArray<string>) => {
  const args = PathArguments.make()
  for (const piece of pieces) args.push(piece)
  return args.paths()
}

describe("paths among arguments that arrive", () => {
  it("texts under path, *path and paths, at the top level only", () => {
    const args = {
      content: 'x "path": "no"',
      path: "a.ts",
      edits: [{ path: "inner.ts" }],
      filePath: "b.ts",
      paths: ["c.ts", "d.ts"],
      pathname: "no",
      old_path: 7
    }
    assert.deepStrictEqual(read(JSON.stringify(args)), ["a.ts", "b.ts", "c.ts", "d.ts"])
  })

  it("only when it is complete", () => {
    assert.deepStrictEqual(read('{"path":"src/a'), [])
    assert.deepStrictEqual(read('{"path":"src/a', '.ts"'), ["src/a.ts"])
    assert.deepStrictEqual(read('{"path"', ":", '"a\\', '"\\u00e9"'), ['a"é'])
  })

  it("the same however the text is cut", () => {
    const key = FastCheck.constantFrom("path", "paths", "file_path", "content", 'p"ath')
    const value = FastCheck.oneof(FastCheck.string(), FastCheck.array(FastCheck.string()), FastCheck.integer())
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(key, value), FastCheck.integer({ min: 1, max: 7 }), (args, size) => {
        const text = JSON.stringify(args)
        const expected = Object.entries(args).flatMap(([name, given]) =>
          name === "content" || name === 'p"ath' || typeof given === "number" ? [] : given
        )
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, at * size + size)
        )
        assert.deepStrictEqual(read(...pieces), expected)
      })
    )
  })

  it("is bounded, and takes text that is not JSON", () => {
    assert.deepStrictEqual(read(JSON.stringify({ path: "x".repeat(5000), file_path: "b" })), ["b"])
    assert.strictEqual(read(JSON.stringify({ paths: Array.from({ length: 500 }, String) })).length, 100)
    assert.deepStrictEqual(read('}}]"path"::,,"path":"a"'), [])
  })
})

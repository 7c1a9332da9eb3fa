import { assert, it } from "@effect/vitest"
import * as SimilarNames from "../../../../src/layers/tools/files/SimilarNames.ts"

const names = ["README.md", "Reader.ts", "config.yaml", "index.ts", "index.test.ts", "package.json", "a", "b"]

it.each([
  ["readme.md", ["README.md"]],
  ["REDAME.md", ["README.md"]],
  ["READM.md", ["README.md"]],
  ["config.json", ["config.yaml"]],
  ["index.js", ["index.ts"]],
  ["packages.json", ["package.json"]],
  ["c", []],
  ["nothing-like-it.txt", []]
])("%s", (wanted, expected) => {
  assert.deepStrictEqual(SimilarNames.find(wanted, names), expected)
})

it("the nearest come first, at most three", () => {
  const many = ["main4.ts", "mian.ts", "Main.ts", "main12.ts", "main.tsx"]
  assert.deepStrictEqual(SimilarNames.find("main.ts", many), ["Main.ts", "main4.ts", "mian.ts"])
})

it("a dotfile is all stem", () => {
  assert.deepStrictEqual(SimilarNames.find(".x", [".y", ".git"]), [])
})

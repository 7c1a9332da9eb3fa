import { assert, describe, it } from "@effect/vitest"
import * as GuidePrompt from "../../../../src/layers/providers/offline/GuidePrompt.ts"

const paths = (prompt: string) => GuidePrompt.namedPaths(prompt).map(({ kind, path }) => `${kind} ${path}`)

describe("paths that a prompt names", () => {
  const cases: ReadonlyArray<readonly [prompt: string, paths: ReadonlyArray<string>]> = [
    ["what is in this folder?", []],
    ["look at src", []],
    ["read src/cli.ts:12:3, please.", ["file src/cli.ts"]],
    ["summarise README.md and (package.json).", ["file README.md", "file package.json"]],
    ["@notes.md what does it say?", ["file notes.md"]],
    ["what's in `docs`? And it's in 'my dir/a b.txt'.", ["folder docs", "file my dir/a b.txt"]],
    ["look in ../other and src/", ["folder ../other", "folder src/"]],
    ["explain .gitignore and .github", ["file .gitignore", "folder .github"]],
    ["use e.g. Node.js and/or version 1.2 of https://example.com/a.html, ask me@example.com", []],
    ["a.ts b.ts a.ts c.ts d.ts", ["file a.ts", "file b.ts", "file c.ts"]]
  ]
  for (const [prompt, expected] of cases) it(prompt, () => assert.deepStrictEqual(paths(prompt), expected))
})

describe("small talk", () => {
  const cases: ReadonlyArray<readonly [prompt: string, intent: string]> = [
    ["hi", "Greeting"],
    ["Hello there!", "Greeting"],
    ["hello.ts", "Look"],
    ["hey, what is in src?", "Look"],
    ["/help", "Help"],
    ["What can you do?", "Help"],
    ["Who are you?", "Identity"],
    ["are you a language model?", "Identity"],
    ["", "Look"]
  ]
  for (const [prompt, expected] of cases) {
    it(prompt, () => assert.strictEqual(GuidePrompt.read(prompt, 0)._tag, expected))
  }
  it("an image without a word", () => assert.strictEqual(GuidePrompt.read(" ", 1)._tag, "ImagesOnly"))
})

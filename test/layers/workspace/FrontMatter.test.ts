import { assert, describe, it } from "@effect/vitest"
import * as FrontMatter from "../../../src/layers/workspace/FrontMatter.ts"

describe("front matter", () => {
  it("the keys and the text behind them", () => {
    assert.deepStrictEqual(FrontMatter.parse("---\nname: a\nlist: [x, y]\nalwaysApply: true\n---\nBody\n---\nmore"), {
      data: { name: "a", list: ["x", "y"], alwaysApply: true },
      body: "Body\n---\nmore"
    })
    assert.deepStrictEqual(FrontMatter.parse("---\r\nname: a\r\n---\r\nBody"), { data: { name: "a" }, body: "Body" })
    assert.deepStrictEqual(FrontMatter.parse("---\nname: a\n---"), { data: { name: "a" }, body: "" })
  })

  it("a text without it is all body", () => {
    for (const text of ["", "Body", "--- a rule of Markdown\nBody", "---\nnever closed", "x\n---\na: 1\n---\n"]) {
      assert.deepStrictEqual(FrontMatter.parse(text), { data: {}, body: text })
    }
    assert.deepStrictEqual(FrontMatter.parse("---\n---\nBody"), { data: {}, body: "Body" })
    assert.deepStrictEqual(FrontMatter.parse("---\n# nothing\n---\nBody"), { data: {}, body: "Body" })
  })

  it("a star needs no quotes", () => {
    assert.deepStrictEqual(FrontMatter.parse('---\nglobs: *.ts,**/*.tsx\nscope:\n  - *.rs\n  - "*.go"\n---\n').data, {
      globs: "*.ts,**/*.tsx",
      scope: ["*.rs", "*.go"]
    })
  })

  it("what cannot be read is said, and the body stays", () => {
    const problem = (yaml: string) => {
      const { body, data, problem = "" } = FrontMatter.parse(`---\n${yaml}\n---\nBody`)
      assert.deepStrictEqual([data, body], [{}, "Body"])
      return problem
    }
    assert.match(problem("a: [1"), /^The front matter is not valid YAML: /)
    assert.strictEqual(problem("- a\n- b"), "The front matter is not a list of keys")
    assert.strictEqual(problem(`a: "${"x".repeat(65_536)}"`), "The front matter is larger than 64 KiB")
  })

  it("a few lines that hold billions of values are refused at once", () => {
    const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    for (let at = 1; at < 12; at++) lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`)}]`)
    const { problem } = FrontMatter.parse(`---\n${lines.join("\n")}\n---\n`)
    assert.strictEqual(problem, "The front matter is not valid YAML: SyntaxError: YAML Parse error: Excessive aliasing")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as MarkdownBlocks from "../../../../../src/layers/modes/terminal/view/MarkdownBlocks.ts"
import * as Style from "../../../../../src/layers/modes/terminal/screen/Style.ts"

const style = Style.make({ colors: false, plain: false })

const blocksOf = (...chunks: ReadonlyArray<string>) => {
  const blocks = MarkdownBlocks.make()
  return [...chunks.flatMap((chunk) => blocks.push(chunk)), ...blocks.end()]
}
const textsOf = (...chunks: ReadonlyArray<string>) => blocksOf(...chunks).map(({ text }) => text)

describe("blocks of Markdown", () => {
  const cases: ReadonlyArray<readonly [name: string, text: string, blocks: ReadonlyArray<string>]> = [
    ["paragraphs", "one\nstill one\n\ntwo", ["one\nstill one\n\n", "two\n"]],
    ["code directly behind a paragraph", "see:\n```\na\n\nb\n```\nafter", ["see:\n", "```\na\n\nb\n```\n", "after\n"]],
    ["a loose list stays together", "- a\n\n- b\n\n  more\n\ntext", ["- a\n\n- b\n\n  more\n\n", "text\n"]],
    [
      "code inside a list item",
      "1. a\n   ```\n   x\n\n   y\n   ```\n2. b",
      ["1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n"]
    ],
    ["code without an end", "```\na\n", ["```\na\n"]],
    ["longer fences", "````\n```\n````\nx", ["````\n```\n````\n", "x\n"]]
  ]
  for (const [name, text, expected] of cases) it(name, () => assert.deepStrictEqual(textsOf(text), expected))

  it("are the same however the text arrives", () => {
    const text = cases.map(([, one]) => one).join("\n\n")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.nat(text.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const chunks = places.slice(1).map((to, at) => text.slice(places[at], to))
        assert.deepStrictEqual(blocksOf(...chunks), blocksOf(text))
      })
    )
  })

  it("what is rendered again stays short, however long a line, a list or code becomes", () => {
    const longest = (piece: string, start = "") => {
      const blocks = MarkdownBlocks.make()
      let most = 0
      blocks.push(start)
      for (let n = 0; n < 4000; n++) {
        blocks.push(piece)
        most = Math.max(most, blocks.rest().text.length)
      }
      return most
    }
    for (const most of [
      longest("word "),
      longest("nospace"),
      longest("- item of a list\n"),
      longest("const x = 1\n", "```ts\n"),
      longest("x ", "```ts\n")
    ]) {
      assert.isBelow(most, 13_000)
    }
  })

  it("code that is cut has one frame", () => {
    const lines = Array.from({ length: 800 }, (_, n) => `const x${n} = ${n}`)
    const blocks = blocksOf(`\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`)
    assert.isAbove(blocks.length, 2)
    const rows = blocks.flatMap((block) => MarkdownBlocks.render(block, style, 60))
    assert.deepStrictEqual(rows, ["+- ts", ...lines.map((line) => `| ${line}`), "+-"])
  })

  it("no row is wider than the screen", () => {
    const text = `| a | b |\n|---|---|\n| ${"long ".repeat(30)} | x |\n\n\`\`\`\n${"y".repeat(200)}\n\`\`\`\n\n${"word ".repeat(50)}`
    for (const block of blocksOf(text)) {
      for (const row of MarkdownBlocks.render(block, style, 39)) assert.isAtMost(Bun.stringWidth(row), 39)
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import type { InputContent } from "../../../../../src/domain/conversation/Content.ts"
import { maxImageChars, sendable } from "../../../../../src/layers/models/protocols/request/Sendable.ts"
import { assistant, result } from "../support.ts"

const image = (data: string): InputContent => ({ type: "image", data, mimeType: "image/png" })
const sent = (block: InputContent) => sendable({ role: "user", content: [block], timestamp: 0 }).content[0]

describe("what a server would refuse", () => {
  const refused: ReadonlyArray<readonly [string, InputContent, string]> = [
    ["text that is no Base64", image("not base64!!"), "(image omitted: its data is not Base64)"],
    ["a data URL", image("data:image/png;base64,AAAA"), "(image omitted: its data is not Base64)"],
    ["Base64 that was cut", image("AAA"), "(image omitted: its data is not Base64)"],
    ["nothing", image(""), "(image omitted: its data is not Base64)"],
    [
      "more than models take",
      image("A".repeat(maxImageChars + 4)),
      "(image omitted: 5242884 characters of Base64 are more than the 5242880 that models take)"
    ]
  ]
  for (const [name, block, text] of refused) {
    it(`an image of ${name} becomes a note`, () => assert.deepStrictEqual(sent(block), { type: "text", text }))
  }

  it("an image at the limit stays", () => {
    const block = image("A".repeat(maxImageChars))
    assert.deepStrictEqual(sent(block), block)
  })

  it("halves of surrogate pairs are replaced in everything that is said, whole pairs are not", () => {
    assert.deepStrictEqual(sent({ type: "text", text: "a\ud800b😀" }), { type: "text", text: "a\ufffdb😀" })
    const output = assistant([
      { type: "thinking", thinking: "\udc00" },
      {
        type: "toolCall",
        id: "c",
        name: "write",
        arguments: { path: "x", "\ud800": ["\udfff", { deep: "\ud800😀" }, 1] }
      }
    ])
    assert.deepStrictEqual(sendable(output).content, [
      { type: "thinking", thinking: "\ufffd" },
      {
        type: "toolCall",
        id: "c",
        name: "write",
        arguments: { path: "x", "\ufffd": ["\ufffd", { deep: "\ufffd😀" }, 1] }
      }
    ])
    assert.isTrue(JSON.stringify(sendable(result("c", "\ud83d"))).isWellFormed())
  })
})

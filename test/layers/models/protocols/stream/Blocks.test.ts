import { assert, describe, it } from "@effect/vitest"
import * as Blocks from "../../../../../src/layers/models/protocols/stream/Blocks.ts"

const call = (id: string) => ({ _tag: "ToolCallStarted", id, name: "read" }) as const

describe("an answer that is longer than anybody can use", () => {
  it.each([
    ["50000 blocks", 50_000, () => ({ _tag: "TextStarted" }) as const],
    ["2000 tool calls", 2000, (n: number) => call(`c${n}`)]
  ] as const)("has more than %s", (what, most, started) => {
    const blocks = Blocks.make()
    for (let n = 0; n < most; n++) {
      blocks.start(n, started(n))
      blocks.end(n)
    }
    assert.isUndefined(blocks.fault())
    blocks.start(most, started(most))
    assert.strictEqual(blocks.fault()?.reason, "protocol")
    assert.include(blocks.fault()?.message ?? "", `more than ${what}`)
    assert.lengthOf(blocks.drain(), 2 * most)
  })

  it.each([
    ["text", (blocks: Blocks.Blocks, text: string) => blocks.delta(0, text)],
    ["a signature", (blocks: Blocks.Blocks, text: string) => blocks.end(0, { signature: text })],
    ["a name", (blocks: Blocks.Blocks, text: string) => blocks.start(1, call(text))]
  ] as const)("has too many characters in %s, which are dropped", (_, add) => {
    const blocks = Blocks.make()
    blocks.start(0, { _tag: "TextStarted" })
    add(blocks, "a".repeat(9 * 1024 * 1024))
    assert.match(blocks.fault()?.message ?? "", /more than 8388608 characters/)
    assert.isBelow(JSON.stringify(blocks.drain()).length, 100)
  })
})

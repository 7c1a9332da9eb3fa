import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PushedItems from "../../../../src/layers/machine/engine/PushedItems.ts"

const make = () => Effect.runPromise(PushedItems.make<number, string>())

const readAll = async (items: AsyncIterable<number>) => {
  const read: Array<number> = []
  for await (const item of items) read.push(item)
  return read
}

describe("pushed items", () => {
  it("are read in order, those before the reader and those after it", async () => {
    const items = await make()
    items.push(1)
    const reading = readAll(items)
    items.push(2)
    await Promise.resolve()
    items.push(3)
    items.end("over")
    assert.deepStrictEqual([await reading, await items.result()], [[1, 2, 3], "over"])
  })

  it("are all there after the end, however many they are", async () => {
    const items = await make()
    const many = Array.from({ length: 5000 }, (_, n) => n)
    for (const n of many) items.push(n)
    items.end("over")
    items.push(-1)
    assert.deepStrictEqual(await readAll(items), many)
  })

  it("release every reader that waits", async () => {
    const items = await make()
    const iterator = items[Symbol.asyncIterator]()
    const waiting = [iterator.next(), iterator.next()]
    items.push(7)
    items.end("over")
    assert.deepStrictEqual(await Promise.all(waiting), [
      { done: false, value: 7 },
      { done: true, value: undefined }
    ])
  })

  it("are dropped when the reader leaves", async () => {
    const items = await make()
    items.push(1)
    items.push(2)
    for await (const item of items) if (item === 1) break
    items.push(3)
    assert.deepStrictEqual(await readAll(items), [])
    items.end("still told")
    assert.strictEqual(await items.result(), "still told")
  })
})

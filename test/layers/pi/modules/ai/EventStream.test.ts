import { assert, describe, it } from "@effect/vitest"
import {
  AssistantMessageEventStream,
  createAssistantMessageEventStream,
  EventStream,
  mostWaiting
} from "../../../../../src/layers/pi/modules/ai/EventStream.ts"

const read = async <A>(stream: AsyncIterable<A>) => {
  const events: Array<A> = []
  for await (const event of stream) events.push(event)
  return events
}

describe("an event stream", () => {
  it("hands out what was pushed before and after somebody waits, in order", async () => {
    const stream = new EventStream<number, string>(
      (n) => n === 9,
      (n) => `last ${n}`
    )
    stream.push(1)
    const reading = read(stream)
    await Promise.resolve()
    for (const n of [2, 3, 9, 4]) stream.push(n)
    assert.deepStrictEqual(await reading, [1, 2, 3, 9])
    assert.strictEqual(await stream.result(), "last 9")
    assert.deepStrictEqual(await read(stream), [])
  })

  it("many events cost the same each, and none is lost", async () => {
    const stream = new EventStream<number>(
      () => false,
      (n) => n
    )
    const all = Array.from({ length: 5000 }, (_, n) => n)
    for (const n of all) stream.push(n)
    stream.end(1)
    assert.deepStrictEqual(await read(stream), all)
  })

  it("ends with a result, or without one", async () => {
    const given = new EventStream<number, string>(() => false, String)
    const waiting = read(given)
    given.end("done")
    assert.deepStrictEqual([await waiting, await given.result()], [[], "done"])
    const without = new EventStream<number, string>(() => false, String)
    without.end()
    assert.strictEqual(await without.result().catch(String), "Error: the stream has ended without a result")
  })

  it("a reader that stops early ends its own loop only", async () => {
    const stream = new EventStream<number>(
      (n) => n === 3,
      (n) => n
    )
    for (const n of [1, 2, 3]) stream.push(n)
    for await (const n of stream) if (n === 1) break
    assert.deepStrictEqual(await read(stream), [2, 3])
  })

  it("refuses to hold more than it can when nobody reads", () => {
    const stream = new EventStream<number>(
      () => false,
      (n) => n
    )
    for (let n = 0; n < mostWaiting; n++) stream.push(n)
    assert.throws(() => stream.push(0), "events wait in a stream that is not read")
  })
})

it("a stream of an answer ends with its message or its error", async () => {
  const answered = createAssistantMessageEventStream()
  answered.push({ type: "start" })
  answered.push({ type: "done", message: { role: "assistant" } })
  assert.deepStrictEqual(await answered.result(), { role: "assistant" })
  const failed = new AssistantMessageEventStream()
  failed.push({ type: "error", error: { stopReason: "error" } })
  assert.deepStrictEqual(
    [await failed.result(), await read(failed)],
    [{ stopReason: "error" }, [{ type: "error", error: { stopReason: "error" } }]]
  )
})

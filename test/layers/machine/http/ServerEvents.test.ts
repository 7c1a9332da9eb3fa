import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as ServerEvents from "../../../../src/layers/machine/http/ServerEvents.ts"
import { failed } from "../../../../src/layers/machine/engine/Source.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const answer = (pieces: ReadonlyArray<Uint8Array>): Response => {
  let n = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = pieces[n++]
    if (piece === undefined) controller.close()
    else controller.enqueue(piece)
  }
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
}

/** The events of an answer, how many pieces they came in, and how it ended. */
const listen = (open: () => Promise<Response>, maxBytes = 64 * 1024 * 1024) =>
  Effect.gen(function* () {
    const events: Array<string> = []
    let pieces = 0
    const opened = () => Effect.tryPromise({ try: open, catch: failed("open") })
    const read = Effect.gen(function* () {
      const pull = yield* ServerEvents.source(opened, maxBytes)(new AbortController().signal)
      for (let piece = yield* pull; piece !== undefined; piece = yield* pull) {
        pieces++
        for (const { data, event = "-" } of piece) events.push(`${event} ${data}`)
      }
    })
    const found = yield* Effect.either(read)
    const end = Either.isRight(found) ? "end" : `${found.left.stage}: ${String(found.left.cause)}`
    return { events, pieces, end }
  })

describe("the events of an answer", () => {
  it.effect("every piece counts, comments too; events may be cut anywhere, and lines end as they like", () =>
    Effect.gen(function* () {
      const text =
        ": nothing yet\n\nevent: a\ndata: é1\ndata: 2\n\ndata: 3\r\n\r\nretry: x\nodd: field\ndata: never ended"
      const whole = bytes(text)
      const cut = Array.from(whole, (_, i) => whole.slice(i, i + 1))
      const { end, events, pieces } = yield* listen(() => Promise.resolve(answer(cut)))
      assert.deepStrictEqual([events, end], [["a é1\n2", "- 3"], "end"])
      assert.strictEqual(pieces, cut.length)
    })
  )

  it.effect("a request that fails, and a connection that breaks", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* listen(() => Promise.reject(new Error("refused")))).end, "open: Error: refused")
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.error(new Error("reset"))
      const broken = yield* listen(() => Promise.resolve(new Response(new ReadableStream({ pull }))))
      assert.strictEqual(broken.end, "read: Error: reset")
    })
  )

  it.effect("an answer without a body has no events", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* listen(() => Promise.resolve(new Response(null)))).end, "end")
    })
  )

  it.effect("an answer that is larger than allowed fails, with the events before it", () =>
    Effect.gen(function* () {
      const event = bytes("data: 1\n\n")
      const limit = event.length * 2
      const { end, events } = yield* listen(() => Promise.resolve(answer([event, event, event])), limit)
      assert.include(end, `read: AnswerTooLarge: the answer is larger than ${limit} bytes`)
      assert.strictEqual(events.length, 2)
    })
  )

  it.effect("an event without end fails instead of filling the memory", () =>
    Effect.gen(function* () {
      const piece = bytes("x".repeat(8 * 1024 * 1024))
      const endless = [bytes("data: "), ...Array.from({ length: 12 }, () => piece)]
      const { end } = yield* listen(() => Promise.resolve(answer(endless)))
      assert.include(end, "read: AnswerTooLarge: the event is larger than 16777216 bytes")
    })
  )
})

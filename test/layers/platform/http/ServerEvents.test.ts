import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Scope } from "effect"
import * as EventBuffer from "../../../../src/layers/platform/EventBuffer.ts"
import * as ServerEvents from "../../../../src/layers/platform/http/ServerEvents.ts"

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

/** What was heard of an answer, in order, and how it ended. */
const listen = (response: Response, refuse: (data: string) => boolean = () => false, odd?: string) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    let waiting: Array<string> = []
    const buffer = EventBuffer.make<string, string>(8)
    yield* ServerEvents.start(buffer, yield* Effect.scope, () => ({
      open: () => Promise.resolve(response),
      onAnswer: ({ status }) => void heard.push(`answer ${status}`),
      onBytes: () => void heard.push("bytes"),
      take: ({ data, event }) => {
        if (data === odd) throw new Error("no sense in it")
        waiting.push(`${event ?? "-"} ${data}`)
        return refuse(data) ? `refused ${data}` : undefined
      },
      drain: () => {
        const drained = waiting
        waiting = []
        return drained
      },
      failed: ({ cause, stage }) => `${stage}: ${cause instanceof Error ? cause.message : String(cause)}`,
      end: () => undefined,
      onWaiting: () => undefined,
      onClosed: () => void heard.push("closed")
    }))
    const events: Array<string> = []
    const read: Effect.Effect<void, string> = Effect.flatMap(buffer.takeAll, ([batch, done]) => {
      events.push(...batch)
      return done ? Effect.void : read
    })
    const exit = yield* Effect.exit(read)
    return { events, heard, end: Exit.isSuccess(exit) ? "end" : Cause.squash(exit.cause) }
  })

describe("the events of an answer", () => {
  it.scoped(
    "every piece counts as a sign of life, comments too; events may be cut anywhere, and lines end as they like",
    () =>
      Effect.gen(function* () {
        const text =
          ": nothing yet\n\nevent: a\ndata: é1\ndata: 2\n\ndata: 3\r\n\r\nretry: x\nodd: field\ndata: never ended"
        const whole = bytes(text)
        const pieces = Array.from(whole, (_, i) => whole.slice(i, i + 1))
        const { end, events, heard } = yield* listen(answer(pieces))
        assert.deepStrictEqual([events, end], [["a é1\n2", "- 3"], "end"])
        assert.deepStrictEqual(heard, ["answer 200", ...pieces.map(() => "bytes"), "closed"])
      })
  )

  it.scoped("what came before a refused event is handed on, what comes after it is not", () =>
    Effect.gen(function* () {
      const { end, events } = yield* listen(
        answer([bytes("data: 1\n\ndata: 2\n\ndata: 3\n\n")]),
        (data) => data === "2"
      )
      assert.deepStrictEqual([events, end], [["- 1", "- 2"], "refused 2"])
    })
  )

  it.scoped("what came before an event that makes no sense is handed on", () =>
    Effect.gen(function* () {
      const { end, events } = yield* listen(answer([bytes("data: 1\n\ndata: 2\n\n")]), undefined, "2")
      assert.deepStrictEqual([events, end], [["- 1"], "take: no sense in it"])
    })
  )

  it.scoped("an answer without a body has no events", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* listen(new Response(null))).end, "end")
    })
  )

  it.scoped("an event without end fails instead of filling the memory", () =>
    Effect.gen(function* () {
      const piece = bytes("x".repeat(8 * 1024 * 1024))
      const { end } = yield* listen(answer([bytes("data: "), ...Array.from({ length: 12 }, () => piece)]))
      assert.strictEqual(end, "read: Buffered data exceeded max buffer size of 67108864 characters")
    })
  )

  it.effect("closing the scope fires the signal at once", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const buffer = EventBuffer.make<string, string>(8)
      let signal: AbortSignal | undefined
      yield* ServerEvents.start(buffer, scope, () => ({
        open: (given) => {
          signal = given
          return new Promise(() => undefined)
        },
        onAnswer: () => undefined,
        onBytes: () => undefined,
        take: () => undefined,
        drain: () => [],
        failed: () => "failed",
        end: () => undefined,
        onWaiting: () => undefined,
        onClosed: () => undefined
      }))
      assert.isFalse(signal?.aborted)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(signal?.aborted)
      assert.isTrue(buffer.isOver())
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Mailbox, Scope } from "effect"
import type { EventSourceMessage } from "eventsource-parser"
import * as Intake from "../../../../src/layers/platform/Intake.ts"
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

const quiet: ServerEvents.Source<string, string> = {
  maxBytes: 64 * 1024 * 1024,
  open: () => new Promise(() => undefined),
  onAnswer: () => undefined,
  onBytes: () => undefined,
  take: () => undefined,
  drain: () => [],
  failed: ({ cause, stage }) => `${stage}: ${cause instanceof Error ? cause.message : String(cause)}`,
  end: () => undefined,
  onWaiting: () => undefined,
  onClosed: () => undefined
}

/** Hands every event on as text. */
const repeating = () => {
  let waiting: Array<string> = []
  return {
    take: ({ data, event }: EventSourceMessage): string | undefined => {
      waiting.push(`${event ?? "-"} ${data}`)
      return undefined
    },
    drain: () => {
      const drained = waiting
      waiting = []
      return drained
    }
  }
}

const start = (capacity: number, source: ServerEvents.Source<string, string>) =>
  ServerEvents.open<string, string>(capacity, () => source)

const readAll = Effect.fnUntraced(function* (mailbox: Mailbox.ReadonlyMailbox<string, string>) {
  const events: Array<string> = []
  const read: Effect.Effect<void, string> = Effect.flatMap(mailbox.takeAll, ([batch, done]) => {
    events.push(...batch)
    return done ? Effect.void : read
  })
  const exit = yield* Effect.exit(read)
  return { events, end: Exit.isSuccess(exit) ? "end" : Cause.squash(exit.cause) }
})

/** What was heard of an answer, in order, and how it ended. */
const listen = (
  response: Response,
  refuse: (data: string) => boolean = () => false,
  odd?: string,
  maxBytes = quiet.maxBytes
) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    const { drain, take } = repeating()
    const mailbox = yield* start(8, {
      ...quiet,
      maxBytes,
      open: () => Promise.resolve(response),
      onAnswer: ({ status }) => void heard.push(`answer ${status}`),
      onBytes: () => void heard.push("bytes"),
      onClosed: () => void heard.push("closed"),
      take: (event) => {
        if (event.data === odd) throw new Error("no sense in it")
        take(event)
        return refuse(event.data) ? `refused ${event.data}` : undefined
      },
      drain
    })
    return { ...(yield* readAll(mailbox)), heard }
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

  it.scoped("an answer that is larger than allowed fails, with the events before it", () =>
    Effect.gen(function* () {
      const event = bytes("data: 1\n\n")
      const { end, events } = yield* listen(answer([event, event, event]), () => false, undefined, event.length * 2)
      assert.deepStrictEqual([end, events.length], [`read: the answer is larger than ${event.length * 2} bytes`, 2])
    })
  )

  it.scoped("an event without end fails instead of filling the memory", () =>
    Effect.gen(function* () {
      const piece = bytes("x".repeat(8 * 1024 * 1024))
      const { end } = yield* listen(answer([bytes("data: "), ...Array.from({ length: 12 }, () => piece)]))
      assert.strictEqual(end, "read: the event is larger than 16777216 bytes")
    })
  )

  it.scoped("a reader that is behind holds the source back, and gets everything in order", () =>
    Effect.gen(function* () {
      const waits: Array<boolean> = []
      const behind = yield* Deferred.make<void>()
      let asked = 0
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        asked++
        if (asked > 6) controller.close()
        else controller.enqueue(bytes(`data: ${asked}a\n\ndata: ${asked}b\n\n`))
      }
      const mailbox = yield* start(3, {
        ...quiet,
        ...repeating(),
        open: () => Promise.resolve(new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))),
        onWaiting: (waiting) => {
          waits.push(waiting)
          if (waits.length === 1) Deferred.unsafeDone(behind, Effect.void)
        }
      })
      yield* Deferred.await(behind)
      assert.deepStrictEqual([asked, waits], [2, [true]])
      const { end, events } = yield* readAll(mailbox)
      assert.deepStrictEqual([events, end], [[1, 2, 3, 4, 5, 6].flatMap((n) => [`- ${n}a`, `- ${n}b`]), "end"])
      assert.isFalse(waits.at(-1))
    })
  )

  it.scoped("a source that is cut short fails, or ends as if the body had", () =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      for (const failure of ["too slow", undefined]) {
        const cut = yield* Deferred.make<Intake.Cut<string>>()
        const mailbox = yield* ServerEvents.open<string, string>(8, (given) => {
          Deferred.unsafeDone(cut, Effect.succeed(given))
          return {
            ...quiet,
            open: (signal) => {
              signals.push(signal)
              return new Promise(() => undefined)
            },
            drain: () => ["last words"]
          }
        })
        ;(yield* Deferred.await(cut))(failure)
        assert.deepStrictEqual(yield* readAll(mailbox), { events: ["last words"], end: failure ?? "end" })
      }
      assert.deepStrictEqual(
        signals.map(({ aborted }) => aborted),
        [true, true]
      )
    })
  )

  it.scoped.each([
    ["ends", "end"],
    ["refuses an event", "refused"],
    ["throws", "open: kaput"]
  ] as const)("the signal is fired when the source %s", ([how, expected]) =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const mailbox = yield* start(8, {
        ...quiet,
        open: (given) => {
          signal = given
          return how === "throws" ? Promise.reject(new Error("kaput")) : Promise.resolve(answer([bytes("data: 1\n\n")]))
        },
        take: () => (how === "refuses an event" ? "refused" : undefined)
      })
      assert.strictEqual((yield* readAll(mailbox)).end, expected)
      assert.isTrue(signal?.aborted)
    })
  )

  it.scoped("a source that has a bug is a defect of its reader, and nobody waits", () =>
    Effect.gen(function* () {
      const mailbox = yield* start(8, {
        ...quiet,
        open: () => Promise.reject(new Error("kaput")),
        failed: () => {
          throw new Error("a bug")
        }
      })
      assert.deepStrictEqual((yield* readAll(mailbox)).end, new Error("a bug"))
    })
  )

  it.effect("closing the scope fires the signal at once, and interrupts a reader", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const opened = yield* Deferred.make<AbortSignal>()
      const mailbox = yield* Scope.extend(
        start(8, {
          ...quiet,
          open: (given) => {
            Deferred.unsafeDone(opened, Effect.succeed(given))
            return new Promise(() => undefined)
          }
        }),
        scope
      )
      const reader = yield* Effect.fork(mailbox.takeAll)
      const signal = yield* Deferred.await(opened)
      assert.isFalse(signal.aborted)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(signal.aborted)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
    })
  )
})

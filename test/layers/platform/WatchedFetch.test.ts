import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { initOf, Watch, watchedFetch } from "../../../src/layers/platform/WatchedFetch.ts"
import * as Loopback from "../../support/LoopbackModel.ts"

const byIterator = async (body: ReadableStream<Uint8Array>) => {
  let text = ""
  for await (const piece of body) text += new TextDecoder().decode(piece)
  return text
}

const byReader = async (body: ReadableStream<Uint8Array>) => {
  const reader = body.getReader()
  let text = ""
  while (true) {
    const { done, value } = await reader.read()
    if (done) return text
    text += new TextDecoder().decode(value)
  }
}

it.scoped.each([
  ["its iterator", byIterator],
  ["its reader", byReader]
] as const)("every piece of a body is told, comments too, when it is read by %s", ([, read]) =>
  Effect.gen(function* () {
    const [first, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const parts = [": one\n\n", { _tag: "Until", go: first }, ": two\n\n", { _tag: "Until", go: second }] as const
    const server = yield* Loopback.make(Loopback.sse(...parts))
    const answers: Array<string> = []
    let pieces = 0
    const heard = [first, second]
    const watch = new Watch(
      ({ contentType, status }) => void answers.push(`${status} ${contentType}`),
      () => {
        // The server goes on only when the piece before was told.
        const next = heard[pieces++]
        if (next !== undefined) Deferred.unsafeDone(next, Effect.void)
      }
    )
    const init = { ...initOf(watch), method: "POST", body: "{}" }
    const { body } = yield* Effect.promise(() => watchedFetch(server.baseUrl, init))
    if (body === null) return assert.fail("no body")
    assert.strictEqual(yield* Effect.promise(() => read(body)), ": one\n\n: two\n\n")
    assert.deepStrictEqual([pieces, answers], [2, ["200 text/event-stream"]])
  })
)

it.scoped("what nobody watches is fetched all the same", () =>
  Effect.gen(function* () {
    const server = yield* Loopback.make(Loopback.json(200, { fine: true }))
    const answer = yield* Effect.promise(() => watchedFetch(server.baseUrl, { method: "POST", body: "{}" }))
    assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), { fine: true })
  })
)

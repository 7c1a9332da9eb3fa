import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "../../../../../src/layers/models/protocols/stream/Dialect.ts"
import type { Stop } from "../../../../../src/layers/models/protocols/stream/Machine.ts"

type Read = readonly [stop: Stop | undefined, taken: ReadonlyArray<object>, over: boolean]

const read = (dialect: Dialect.Dialect, data: string, event?: string): Read => {
  const taken: Array<object> = []
  let over = false
  const listener = {
    take: (raw: object) => {
      taken.push(raw)
      return undefined
    },
    over: () => {
      over = true
    }
  }
  return [dialect(event === undefined ? { data } : { data, event }, listener), taken, over]
}

const notJson = { reason: "stream_ended", message: "The server sent an event that is not JSON" } as const
const unknownForm = { reason: "protocol", message: "The server sent an event of unknown form" } as const

describe.each([
  ["Anthropic", Dialect.anthropic],
  ["OpenAI", Dialect.openAi]
] as const)("%s", (_, dialect) => {
  it("an event of the model is taken, whatever it is called", () => {
    assert.deepStrictEqual(read(dialect, '{"type":"a"}', "a"), [undefined, [{ type: "a" }], false])
    assert.deepStrictEqual(read(dialect, '{"type":"a"}'), [undefined, [{ type: "a" }], false])
  })
  it("what is not JSON is a stream that broke, what is no object a server that speaks otherwise", () => {
    assert.deepStrictEqual(read(dialect, '{"type":'), [notJson, [], false])
    for (const text of ["null", "5", '"text"', "[1]"])
      assert.deepStrictEqual(read(dialect, text), [unknownForm, [], false])
  })
  it("an error event is the body of an error", () => {
    const [stop] = read(dialect, '{"type":"error","message":"overloaded"}', "error")
    assert.deepStrictEqual(stop, { error: { type: "error", message: "overloaded" } })
  })
})

it("Anthropic: the text of an error that is not JSON is its body", () =>
  assert.deepStrictEqual(read(Dialect.anthropic, "upstream died", "error"), [{ error: "upstream died" }, [], false]))

it("OpenAI: the sentinel ends the stream, and an error may come under any name", () => {
  assert.deepStrictEqual(read(Dialect.openAi, "[DONE]"), [undefined, [], true])
  assert.deepStrictEqual(read(Dialect.openAi, '{"error":{"code":"x"}}'), [{ error: { code: "x" } }, [], false])
  assert.deepStrictEqual(read(Dialect.openAi, '{"id":"1","error":null}'), [
    undefined,
    [{ id: "1", error: null }],
    false
  ])
})

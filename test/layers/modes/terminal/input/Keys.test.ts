import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Keys from "../../../../../src/layers/modes/terminal/input/Keys.ts"

/** What the chunks mean together, with the texts that stand next to each other joined. */
const decodeAll = (chunks: ReadonlyArray<string>): ReadonlyArray<Keys.Input> => {
  const found: Array<Keys.Input> = []
  let pending = Keys.nothing
  const take = ([inputs, rest]: Keys.Decoded) => {
    pending = rest
    for (const input of inputs) {
      const last = found.at(-1)
      if (input._tag === "Text" && last?._tag === "Text")
        found.splice(-1, 1, { _tag: "Text", text: last.text + input.text })
      else found.push(input)
    }
  }
  for (const chunk of chunks) take(Keys.decode(pending, chunk))
  take(Keys.flush(pending))
  return found
}

const text = (value: string): Keys.Input => ({ _tag: "Text", text: value })
const key = (id: string): Keys.Input => ({ _tag: "Key", id })
const pasted = (value: string): Keys.Input => ({ _tag: "Paste", text: value })

describe("keys", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<Keys.Input>]> = [
    ["typed text and Enter", "héllo 日本\r", [text("héllo 日本"), key("enter")]],
    ["Enter and Ctrl-J are different bytes", "a\nb\r", [text("a"), key("ctrl+j"), text("b"), key("enter")]],
    ["control keys", "\u0001\u0003\u007f\t", [key("ctrl+a"), key("ctrl+c"), key("backspace"), key("tab")]],
    ["arrows of both kinds", "\u001b[A\u001bOB\u001b[1;5C", [key("up"), key("down"), key("ctrl+right")]],
    [
      "Shift-Enter and Ctrl-Left of kitty and xterm",
      "\u001b[13;2u\u001b[27;2;13~\u001b[1;5D\u001b[3~\u001b[200u",
      [key("shift+enter"), key("shift+enter"), key("ctrl+left"), key("delete"), key("è")]
    ],
    ["Alt with a key", "\u001b\r\u001bb\u001bd", [key("alt+enter"), key("alt+left"), key("alt+d")]],
    ["pasted text with keys in it", "\u001b[200~a\r\n\u001b[Ab\u001b[201~c", [pasted("a\r\n\u001b[Ab"), text("c")]],
    ["a reply to a query is dropped", "\u001b]11;rgb:0/0/0\u0007\u001b[>1;2cx", [text("x")]],
    ["escape alone", "a\u001b", [text("a"), key("escape")]],
    ["escape twice, then text", "\u001b\u001b", [key("escape"), key("escape")]]
  ]
  for (const [name, bytes, expected] of cases) {
    it(name, () => assert.deepStrictEqual(decodeAll([bytes]), expected))
  }

  it("mean the same wherever they are cut", () => {
    const all = "añb\u001b[A\u001b[200~one\r\ntwo\u001b[20x\u001b[201~\u001bOA\u001b[3~\u001b\rz\r"
    const whole = decodeAll([all])
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.nat(all.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), all.length]
        const chunks = places.slice(1).map((to, at) => all.slice(places[at], to))
        assert.deepStrictEqual(decodeAll(chunks), whole)
      })
    )
  })
})

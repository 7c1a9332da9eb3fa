import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as DialogFrames from "../../../src/rpc/dialogs/DialogFrames.ts"

const marker = "… [cut]"
const cut = (text: string, most: number) => text.slice(0, most - marker.length) + marker
const huge = "x".repeat(10_000_000)
const [short, long] = [65_536, 1_048_576]

it("texts of any length become frames of bounded size, with a mark where they were cut", () => {
  const question = { title: huge }
  assert.deepStrictEqual(DialogFrames.confirm({ ...question, message: huge }), {
    method: "confirm",
    title: cut(huge, short),
    message: cut(huge, long)
  })
  assert.deepStrictEqual(DialogFrames.input({ ...question, placeholder: huge }), {
    method: "input",
    title: cut(huge, short),
    placeholder: cut(huge, short)
  })
  assert.deepStrictEqual(DialogFrames.editor({ ...question, prefill: huge }), {
    method: "editor",
    title: cut(huge, short),
    prefill: cut(huge, long)
  })
  assert.deepStrictEqual(DialogFrames.notify({ message: huge, level: "error" }), {
    method: "notify",
    message: cut(huge, short),
    notifyType: "error"
  })
  assert.deepStrictEqual(DialogFrames.setStatus(huge, huge), {
    method: "setStatus",
    statusKey: cut(huge, 1000),
    statusText: cut(huge, short)
  })
  assert.deepStrictEqual(DialogFrames.setTitle(huge), { method: "setTitle", title: cut(huge, short) })
  assert.deepStrictEqual(DialogFrames.setEditorText(huge), { method: "set_editor_text", text: cut(huge, long) })
})

it("widgets have a thousand lines of two thousand characters", () => {
  const lines = Array.from({ length: 3000 }, () => "y".repeat(3000))
  assert.deepStrictEqual(DialogFrames.setWidget({ key: "k", lines }), {
    method: "setWidget",
    widgetKey: "k",
    widgetLines: [...Array.from({ length: 999 }, () => cut("y".repeat(3000), 2000)), marker]
  })
  const fits = lines.slice(0, 1000).map(() => "y")
  assert.deepStrictEqual(DialogFrames.setWidget({ key: "k", lines: fits })["widgetLines"], fits)
})

it("an option that was shown cut is answered as it was asked", () => {
  const options = ["short", `${"a".repeat(600)}1`, `${"b".repeat(600)}2`]
  const question = { title: "Which?", options, details: [{ description: "d".repeat(600) }] }
  const shown = [options[0], cut(options[1] ?? "", 500), cut(options[2] ?? "", 500)]
  assert.deepStrictEqual(DialogFrames.select(question), {
    method: "select",
    title: "Which?",
    options: shown,
    optionDetails: [{ description: cut("d".repeat(600), 500) }, {}, {}]
  })
  assert.deepStrictEqual(
    shown.map((value) => DialogFrames.optionAsAsked(question, value ?? "")),
    options
  )
  assert.strictEqual(DialogFrames.optionAsAsked(question, `other${marker}`), `other${marker}`)
})

it("a text is not cut between the halves of a character", () => {
  fc.assert(
    fc.property(fc.nat({ max: 3 }), (before) => {
      const title = "x".repeat(before) + "\u{1F600}".repeat(short)
      const shown = String(DialogFrames.setTitle(title)["title"])
      assert.isAtMost(shown.length, short)
      assert.isTrue(shown.isWellFormed())
    })
  )
})

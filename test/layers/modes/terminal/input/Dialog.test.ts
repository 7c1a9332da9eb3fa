import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import * as Dialog from "../../../../../src/layers/modes/terminal/input/Dialog.ts"
import * as Dialogs from "../../../../../src/layers/modes/terminal/input/Dialogs.ts"
import type { Input } from "../../../../../src/layers/modes/terminal/input/Keys.ts"
import * as Style from "../../../../../src/layers/modes/terminal/screen/Style.ts"

const style = Style.make({ colors: false, plain: false })
const key = (id: string): Input => ({ _tag: "Key", id })
const text = (value: string): Input => ({ _tag: "Text", text: value })

const answerOf = (asked: Dialog.Asked, ...inputs: ReadonlyArray<Input>) => {
  let dialog = Dialog.make(asked)
  for (const input of inputs) {
    const step = Dialog.press(dialog, input)
    if ("answer" in step) return Option.getOrNull(step.answer)
    dialog = step.dialog
  }
  return undefined
}

const many = Array.from({ length: 30 }, (_, n) => `option ${n + 1}`)
const select = (options: ReadonlyArray<string>): Dialog.Asked => ({
  _tag: "Select",
  question: { title: "Which?", options }
})
const confirm: Dialog.Asked = { _tag: "Confirm", question: { title: "Sure?", message: "Really." } }
const editor: Dialog.Asked = { _tag: "Text", question: { title: "Edit", prefill: "old" } }

describe("a question", () => {
  it("of few options is answered with a digit, of many with a number and Enter", () => {
    assert.strictEqual(answerOf(select(["a", "b"]), text("2")), "b")
    assert.isUndefined(answerOf(select(["a", "b"]), text("3")))
    assert.strictEqual(answerOf(select(many), text("1"), text("2"), key("enter")), "option 12")
  })

  it("is answered with arrows and Enter, around the ends", () => {
    assert.strictEqual(answerOf(select(["a", "b", "c"]), key("down"), key("enter")), "b")
    assert.strictEqual(answerOf(select(["a", "b", "c"]), key("up"), key("enter")), "c")
  })

  it("is cancelled with Escape", () => {
    for (const asked of [select(["a"]), confirm, editor]) assert.isNull(answerOf(asked, key("escape")))
  })

  it("of yes or no: Enter is no, other letters are nothing", () => {
    assert.strictEqual(answerOf(confirm, text("Y")), "y")
    assert.strictEqual(answerOf(confirm, text("q"), key("enter")), "n")
  })

  it("of a text begins with what it was given, and takes several lines", () => {
    assert.strictEqual(answerOf(editor, key("enter")), "old")
    assert.strictEqual(answerOf(editor, key("ctrl+u"), text("a\\"), key("enter"), text("b"), key("enter")), "a\nb")
  })

  it("of a text shows its placeholder, in one row without sequences, until something is typed", () => {
    const asked: Dialog.Asked = {
      _tag: "Text",
      question: { title: "Name?", placeholder: "such as\nAda\u001b[2J Lovelace" }
    }
    const room = { width: 20, mostRows: 10 }
    const empty = Dialog.make(asked)
    const { cursor, rows } = Dialog.live(empty, style, room)
    assert.deepStrictEqual([rows.length, rows[1], cursor], [3, "  > such as Ada Lov…", { row: 1, column: 4 }])
    const step = Dialog.press(empty, text("B"))
    assert.strictEqual("dialog" in step && Dialog.live(step.dialog, style, room).rows[1], "  > B")
    assert.deepStrictEqual(Dialog.plain(empty, style).slice(1), ["? Name?", "  (such as Ada Lovelace)", "> "])
    assert.strictEqual(answerOf(asked, key("enter")), "")
  })

  it("shows the options around the chosen one where there is no room for all", () => {
    let dialog = Dialog.make(select(many))
    for (let n = 0; n < 20; n++) {
      const step = Dialog.press(dialog, key("down"))
      if ("dialog" in step) dialog = step.dialog
    }
    const { cursor, rows } = Dialog.live(dialog, style, { width: 40, mostRows: 6 })
    assert.strictEqual(rows.length, 6)
    assert.strictEqual(rows[cursor.row], "❯ 21. option 21")
  })
})

describe("questions", () => {
  it.effect("come one after the other; an interrupt withdraws one, and only that one", () =>
    Effect.gen(function* () {
      const over: Array<string> = []
      const dialogs = Dialogs.make({
        style,
        changed: () => undefined,
        over: (title, answer) => void over.push(`${title} ${answer}`)
      })
      const first = yield* Effect.fork(dialogs.ui.select({ title: "First?", options: ["a", "b"] }))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(dialogs.ui.confirm({ title: "Second?", message: "" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      dialogs.press(text("y"))
      assert.isTrue(yield* Fiber.join(second))
      assert.isFalse(dialogs.isOpen())
      assert.deepStrictEqual(over, ["First? (withdrawn)", "Second? yes"])
    })
  )

  it.effect("a confirm that is cancelled runs onUnanswered", () =>
    Effect.gen(function* () {
      let told = false
      const dialogs = Dialogs.make({ style, changed: () => undefined, over: () => undefined })
      const onUnanswered = Effect.sync(() => void (told = true))
      const asked = yield* Effect.fork(dialogs.ui.confirm({ title: "Sure?", message: "", onUnanswered }))
      yield* Effect.yieldNow()
      dialogs.cancelAll()
      assert.isFalse(yield* Fiber.join(asked))
      assert.isTrue(told)
    })
  )
})

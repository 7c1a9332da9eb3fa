import { assert, describe, it } from "@effect/vitest"
import * as Components from "../../../../../src/layers/pi/modules/tui/Components.ts"
import * as InertComponents from "../../../../../src/layers/pi/modules/tui/InertComponents.ts"
import * as Keybindings from "../../../../../src/layers/pi/modules/tui/Keybindings.ts"
import * as PiTui from "../../../../../src/layers/pi/modules/tui/PiTui.ts"
import { call, construct } from "../../../../support/extensions/Calling.ts"

const tui = PiTui.make()

describe("components that lay out text", () => {
  it("Text wraps, pads and paints", () => {
    assert.deepStrictEqual(new Components.Text("hello world", 1, 1).render(8), [
      "        ",
      " hello  ",
      " world  ",
      "        "
    ])
    assert.deepStrictEqual(new Components.Text("").render(8), [])
    const text = new Components.Text("hi", 0, 0, (line) => `[${line}]`)
    text.setText("ho")
    assert.deepStrictEqual(text.render(4), ["[ho  ]"])
    text.setCustomBgFn()
    assert.deepStrictEqual(text.render(4), ["ho  "])
  })

  it("Container, Box and Spacer hold others", () => {
    const box = new Components.Box(1, 1)
    const first = new Components.Text("hi", 0, 0)
    assert.deepStrictEqual(box.render(8), [])
    box.addChild(first)
    box.addChild(new Components.Spacer(1))
    assert.deepStrictEqual(box.render(6), ["      ", " hi   ", "      ", "      "])
    box.removeChild(first)
    assert.deepStrictEqual(box.children.length, 1)
    box.clear()
    const container = new Components.Container()
    container.addChild({})
    container.addChild(new Components.TruncatedText("hello world\nmore"))
    assert.deepStrictEqual(container.render(8), ["hello..."])
    const spacer = new Components.Spacer()
    spacer.setLines(2)
    assert.deepStrictEqual(spacer.render(5), ["", ""])
  })
})

describe("components that need a terminal", () => {
  it("every class can be made with any arguments, extended and rendered", () => {
    for (const [name, value] of Object.entries(tui)) {
      if (typeof value !== "function" || !/^[A-Z]/.test(name) || /Keybindings|Provider$/.test(name)) continue
      const component = construct(tui, name)
      assert.isArray(call(component, "render", 10), name)
      call(component, "invalidate")
      call(component, "handleInput", "x")
    }
  })

  it("keep what they are told", () => {
    const editor = new InertComponents.Editor({}, {})
    editor.setText("one")
    editor.insertTextAtCursor("\ntwo")
    assert.deepStrictEqual(
      [editor.getText(), editor.getLines(), editor.getCursor()],
      ["one\ntwo", ["one", "two"], { line: 1, col: 3 }]
    )
    const list = new InertComponents.SelectList([{ value: "a" }, { value: "b" }], 5)
    list.setSelectedIndex(9)
    assert.deepStrictEqual(list.getSelectedItem(), { value: "b" })
    list.setItems([])
    assert.isNull(list.getSelectedItem())
    const loader = new InertComponents.CancellableLoader({}, {}, {}, "Waiting")
    assert.deepStrictEqual([loader.render(8), loader.aborted, loader.signal.aborted], [["Waiting "], false, false])
    const input = new InertComponents.Input()
    input.setValue("x")
    assert.strictEqual(input.getValue(), "x")
    assert.deepStrictEqual(new InertComponents.SelectList().arguments, [[]])
  })
})

describe("keybindings", () => {
  it("the defaults have both generations of names, and no key matches", () => {
    const current = call(tui, "getKeybindings")
    assert.isFalse(call(current, "matches", "\r", "tui.select.confirm"))
    assert.deepStrictEqual(call(current, "getKeys", "tui.select.confirm"), ["enter"])
    assert.deepStrictEqual(call(current, "getKeys", "selectCancel"), ["escape", "ctrl+c"])
    assert.deepStrictEqual(call(current, "getKeys", "app.tools.expand"), ["ctrl+o"])
    assert.deepStrictEqual(call(current, "getKeys", "unknown"), [])
  })

  it("can be replaced", () => {
    const mine = new Keybindings.EditorKeybindingsManager({ submit: "ctrl+x" })
    call(tui, "setEditorKeybindings", mine)
    assert.strictEqual(call(tui, "getKeybindings"), mine)
    assert.deepStrictEqual(mine.getKeys("submit"), ["ctrl+x"])
    mine.setConfig({})
    assert.deepStrictEqual(mine.getKeys("submit"), ["enter"])
    assert.deepStrictEqual(mine.getResolvedBindings()["tui.input.submit"], ["enter"])
    assert.deepStrictEqual([mine.getConflicts(), mine.getUserBindings()], [[], {}])
    assert.deepStrictEqual(mine.getDefinition("tui.input.tab"), { defaultKeys: "tab" })
  })
})

it("the terminal can do nothing but text", () => {
  assert.deepStrictEqual(call(tui, "getCapabilities"), { images: null, trueColor: false, hyperlinks: false })
  assert.isTrue(call(tui, "isFocusable", new InertComponents.Input()))
  assert.isFalse(call(tui, "isFocusable", null))
  assert.strictEqual(call(tui, "imageFallback", "image/png"), "[image/png]")
})

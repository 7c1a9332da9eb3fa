import { assert, describe, it } from "@effect/vitest"
import * as Keys from "../../../../../src/layers/extensions/modules/tui/Keys.ts"

describe("parseKey", () => {
  it.each([
    ["a", "a"],
    ["A", "A"],
    ["?", "?"],
    [" ", "space"],
    ["\r", "enter"],
    ["\n", "enter"],
    ["\t", "tab"],
    ["\u001b", "escape"],
    ["\u007f", "backspace"],
    ["\u0000", "ctrl+space"],
    ["\u0001", "ctrl+a"],
    ["\u001ba", "alt+a"],
    ["\u001bb", "alt+left"],
    ["\u001b\u0001", "ctrl+alt+a"],
    ["\u001b\r", "alt+enter"],
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[H", "home"],
    ["\u001b[5~", "pageUp"],
    ["\u001b[3;5~", "ctrl+delete"],
    ["\u001b[1;5A", "ctrl+up"],
    ["\u001b[1;6D", "shift+ctrl+left"],
    ["\u001b[a", "shift+up"],
    ["\u001bOa", "ctrl+up"],
    ["\u001b[Z", "shift+tab"],
    ["\u001bOP", "f1"],
    ["\u001b[15~", "f5"],
    ["\u001b[97;5u", "ctrl+a"],
    ["\u001b[97:65;2u", "shift+a"],
    ["\u001b[13;2u", "shift+enter"],
    ["\u001b[57399u", "0"],
    ["\u001b[27;5;97~", "ctrl+a"],
    ["ab", undefined],
    ["é", undefined],
    ["", undefined],
    ["\u001b[999~", undefined]
  ])("%j is %s", (data, key) => assert.strictEqual(Keys.parseKey(data), key))
})

describe("matchesKey", () => {
  it.each([
    ["\n", "enter", true],
    ["\n", "ctrl+j", true],
    ["\n", "shift+enter", false],
    ["A", "shift+a", true],
    ["A", "a", false],
    ["\b", "ctrl+h", true],
    ["\u001b", "esc", true],
    ["\r", "return", true],
    ["\u001bb", "alt+b", true],
    ["\u001b[1;6D", "ctrl+shift+left", true],
    ["\u001b[1;6D", "shift+ctrl+left", true],
    ["\u001b[112;6u", "Ctrl+Shift+P", true],
    ["+", "+", true],
    ["\u001b[43;5u", "ctrl++", true],
    ["x", "y", false],
    ["pasted text", "p", false]
  ])("%j as %s: %s", (data, key, expected) => assert.strictEqual(Keys.matchesKey(data, key), expected))
})

it("tells press, repeat and release apart", () => {
  const events = ["\u001b[97;1:1u", "\u001b[97;1:2u", "\u001b[97;1:3u", "\u001b[1;1:3A", "a"]
  assert.deepStrictEqual(events.map(Keys.isKeyRepeat), [false, true, false, false, false])
  assert.deepStrictEqual(events.map(Keys.isKeyRelease), [false, false, true, true, false])
})

it("decodes the characters of kitty", () => {
  const typed = ["\u001b[97u", "\u001b[97:65;2u", "\u001b[97;5u", "\u001b[27u", "a"]
  assert.deepStrictEqual(typed.map(Keys.decodeKittyPrintable), ["a", "A", undefined, undefined, undefined])
})

it("Key names keys and puts modifiers before them", () => {
  const { Key } = Keys
  assert.deepStrictEqual([Key["escape"], Key["pageUp"], Key["backslash"], Key["plus"]], ["escape", "pageUp", "\\", "+"])
  const { ctrl, ctrlShiftAlt, superShift } = Key
  assert.isTrue(typeof ctrl === "function" && ctrl("c") === "ctrl+c")
  assert.isTrue(typeof ctrlShiftAlt === "function" && ctrlShiftAlt("up") === "ctrl+shift+alt+up")
  assert.isTrue(typeof superShift === "function" && superShift("x") === "super+shift+x")
})

import { assert, it } from "@effect/vitest"
import * as Keys from "../../../../../src/layers/pi/modules/tui/Keys.ts"
import { call } from "../../../../support/extensions/Calling.ts"

it("no key matches, because none arrives", () => {
  assert.deepStrictEqual(
    [Keys.parseKey("a"), Keys.matchesKey("\r", "enter"), Keys.isKeyRelease("\u001b[97;1:3u"), Keys.isKeyRepeat("a")],
    [undefined, false, false, false]
  )
  assert.isUndefined(Keys.decodeKittyPrintable("\u001b[97u"))
})

it("Key names keys and combines them with modifiers", () => {
  const { backtick, esc, f12, pageUp, plus } = Keys.Key
  assert.deepStrictEqual([backtick, esc, f12, pageUp, plus], ["`", "esc", "f12", "pageUp", "+"])
  assert.strictEqual(call(Keys.Key, "ctrlShift", "p"), "ctrl+shift+p")
  assert.strictEqual(call(Keys.Key, "superAlt", "x"), "super+alt+x")
})

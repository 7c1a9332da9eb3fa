import { assert, it } from "@effect/vitest"
import * as Problems from "../../../../src/layers/workspace/settings/Problems.ts"
import { merge } from "../../../../src/layers/workspace/settings/SettingsMerge.ts"

const sentences = (text: string, name = "settings.json") =>
  Problems.sentences(merge([{ name, values: JSON.parse(text), text }]).problems)

it("a problem is told with line and column", () => {
  const text = ["{", '  "retry": {', '    "enabled": "no",', '    "maxRetry": 1', "  },", '  "maxTurns": 0', "}"]
  assert.deepStrictEqual(sentences(text.join("\n")), [
    'settings.json:3:5: retry.enabled: expected true or false, got "no"',
    "settings.json:4:5: retry.maxRetry is not a setting. Did you mean retry.maxRetries?",
    "settings.json:6:3: maxTurns: expected a whole number above 0, got 0"
  ])
})

it("a value that may be a key is not repeated", () => {
  const key = `sk-${"a".repeat(40)}`
  const told = sentences(
    JSON.stringify({ steeringMode: key, ["ask.timeout"]: { key }, enabledModels: [[key]], apiKey: key })
  )
  assert.deepStrictEqual(told, [
    'settings.json:1:2: steeringMode: expected "all" or "one-at-a-time", got a text of 43 characters',
    "settings.json:1:63: ask.timeout: expected a number of at least 0, got an object that does not fit",
    "settings.json:1:131: enabledModels: expected a list of texts, got a list that does not fit",
    "settings.json:1:197: apiKey is not a setting."
  ])
})

it("there are at most 20 sentences, each of them short and printable", () => {
  const name = `\u001b[31m${"x".repeat(1000)}`
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${name}${at}`, 1]))
  const told = sentences(JSON.stringify(many))
  assert.strictEqual(told.length, 21)
  assert.strictEqual(told.at(-1), "and 4980 more like these")
  assert.strictEqual(told[0], `settings.json:1:2: ?[31m${"x".repeat(95)}… is not a setting.`)
  assert.isBelow(Problems.notice(told).length, 5000)
})

it("a notice is one text for people", () => {
  assert.strictEqual(
    Problems.notice(["a", "b"]),
    "Some settings have no effect; docs/settings.md lists all that there are.\n- a\n- b"
  )
})

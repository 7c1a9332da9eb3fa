import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Positions from "../../../../src/layers/workspace/settings/Positions.ts"

const inJson = (text: string, ...path: ReadonlyArray<string>) => Positions.of("settings.json", text)(path)
const inYaml = (text: string, ...path: ReadonlyArray<string>) => Positions.of("config.yml", text)(path)

describe("positions in JSON", () => {
  const text = [
    '{ // "retry": 1',
    '  /* "retry": { */ "retry": {',
    '    "maxRetries": 1, "fallbackChains": { "a": ["retry", "b:"] }',
    '  }, "enabledModels": [ { "x": 1 }, "y" ],',
    '  "a\\u002eb": "retry\\"",',
    '  "todo": { "reminders.max": 3, },',
    "}"
  ].join("\n")

  it("are those of the names, past comments, texts and lists", () => {
    assert.deepStrictEqual(inJson(text, "retry"), { line: 2, column: 20 })
    assert.deepStrictEqual(inJson(text, "retry", "fallbackChains"), { line: 3, column: 22 })
    assert.deepStrictEqual(inJson(text, "retry", "fallbackChains", "a"), { line: 3, column: 42 })
    assert.deepStrictEqual(inJson(text, "enabledModels"), { line: 4, column: 6 })
    assert.deepStrictEqual(inJson(text, "a.b"), { line: 5, column: 3 })
    assert.deepStrictEqual(inJson(text, "todo", "reminders.max"), { line: 6, column: 13 })
  })

  it("of a name that is not there are those of the object that would hold it, or none", () => {
    assert.deepStrictEqual(inJson(text, "retry", "nope"), { line: 2, column: 20 })
    assert.isUndefined(inJson(text, "x"))
    assert.isUndefined(inJson("[]", "x"))
    assert.isUndefined(inJson('}}]"', "x"))
  })

  it("of a name that stands twice are those of the last one, which counts", () => {
    assert.deepStrictEqual(inJson('{"a":1,\n"a":2}', "a"), { line: 2, column: 1 })
  })

  it("are found for every member of any document", () => {
    const document = fc.dictionary(
      fc.string(),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(fc.string(), fc.string()))
    )
    fc.assert(
      fc.property(document, fc.constantFrom(0, 2), (values, indent) => {
        const json = JSON.stringify(values, null, indent)
        const lines = json.split("\n")
        for (const name of Object.keys(values)) {
          const found = inJson(json, name)
          const rest = lines[(found?.line ?? 0) - 1]?.slice((found?.column ?? 0) - 1) ?? ""
          assert.isTrue(rest.startsWith(`${JSON.stringify(name)}:`), `${JSON.stringify(name)} in ${json}`)
        }
      })
    )
  })

  it("take time in proportion to a file that only nests", () => {
    assert.isUndefined(inJson('{"a":'.repeat(100_000), "b"))
  })
})

describe("positions in YAML", () => {
  const text = [
    "# retry: 1",
    "steeringMode: all",
    "retry:",
    "  maxRetries: 3",
    '  "baseDelayMs": 5',
    "todo: { eager: true }",
    "enabledModels:",
    "  - a:b",
    "thinkingBudgets:",
    "    high: 2000",
    "compaction.enabled: false"
  ].join("\n")

  it("follow the indentation; a member in braces has that of the whole", () => {
    assert.deepStrictEqual(inYaml(text, "steeringMode"), { line: 2, column: 1 })
    assert.deepStrictEqual(inYaml(text, "retry", "maxRetries"), { line: 4, column: 3 })
    assert.deepStrictEqual(inYaml(text, "retry", "baseDelayMs"), { line: 5, column: 3 })
    assert.deepStrictEqual(inYaml(text, "todo", "eager"), { line: 6, column: 1 })
    assert.deepStrictEqual(inYaml(text, "thinkingBudgets", "high"), { line: 10, column: 5 })
    assert.deepStrictEqual(inYaml(text, "compaction.enabled"), { line: 11, column: 1 })
    assert.isUndefined(inYaml(text, "high"))
  })
})

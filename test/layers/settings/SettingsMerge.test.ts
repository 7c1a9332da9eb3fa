import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parseOverride } from "../../../src/layers/settings/FileSettings.ts"
import { merge } from "../../../src/layers/settings/SettingsMerge.ts"
import { defaults } from "../../../src/services/Settings.ts"

describe("merge", () => {
  it("later sources win, nested and dotted keys mean the same, arrays replace", () => {
    const { problems, values } = merge([
      { name: "user", values: { steeringMode: "all", rpc: { maxFrameBytes: 2048 }, enabledModels: ["a", "b"] } },
      { name: "project", values: { "rpc.maxFrameBytes": 4096, enabledModels: ["c"], unknownKey: { deep: 1 } } }
    ])
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(values, {
      ...defaults,
      steeringMode: "all",
      "rpc.maxFrameBytes": 4096,
      enabledModels: ["c"]
    })
  })

  it("a value of the wrong type leaves the one before it in force and is reported", () => {
    const { problems, values } = merge([
      { name: "user", values: { interruptMode: "immediate" } },
      { name: "project", values: { interruptMode: 5, "rpc.maxFrameBytes": 3 } },
      { name: "broken", values: [] }
    ])
    assert.strictEqual(values.interruptMode, "immediate")
    assert.deepStrictEqual(problems, [
      "project: interruptMode has a value that does not fit: 5",
      "project: rpc.maxFrameBytes has a value that does not fit: 3",
      "broken: expected an object of settings"
    ])
  })
})

it("what is not among the choices is refused, not ignored", () => {
  const { problems, values } = merge([{ name: "user", values: { compaction: { strategy: "magic", enabled: false } } }])
  assert.deepStrictEqual(values, { ...defaults, "compaction.enabled": false })
  assert.deepStrictEqual(problems, ['user: compaction.strategy has a value that does not fit: "magic"'])
})

it("a project cannot choose the shell", () => {
  const values = { shellPath: "./evil", shellCommandPrefix: "evil", steeringMode: "all" }
  const merged = merge([
    { name: "user", values: { shellPath: "/bin/zsh" } },
    { name: "project", values, isProject: true }
  ])
  assert.deepStrictEqual(merged.values, { ...defaults, shellPath: "/bin/zsh", steeringMode: "all" })
  assert.deepStrictEqual(merged.problems, [
    "project: shellPath counts only in your own settings or with --set",
    "project: shellCommandPrefix counts only in your own settings or with --set"
  ])
})

describe("parseOverride", () => {
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ["a=1", ["a", 1]],
    ["a=true", ["a", true]],
    ['a={"b":[1]}', ["a", { b: [1] }]],
    ["a=some/path=x.json", ["a", "some/path=x.json"]],
    ["a=", ["a", ""]]
  ]
  for (const [text, expected] of cases) {
    it(text, () => assert.deepStrictEqual<unknown>(Either.getOrThrow(parseOverride(text)), expected))
  }
  it("refuses what is not an assignment", () => {
    assert.deepStrictEqual(parseOverride("novalue"), Either.left('--set expects <key>=<value>, got "novalue"'))
  })
})

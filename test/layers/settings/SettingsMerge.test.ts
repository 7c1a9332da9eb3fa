import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parseOverride } from "../../../src/layers/settings/FileSettings.ts"
import { merge } from "../../../src/layers/settings/SettingsMerge.ts"
import { defaults, marked, SettingsValues } from "../../../src/services/Settings.ts"

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

describe("a project that is not trusted", () => {
  const from = (values: object) => merge([{ name: "project", values, isUntrusted: true }])

  it("cannot choose the shell; what it may set counts", () => {
    const values = { shellPath: "./evil", shellCommandPrefix: "evil", steeringMode: "all" }
    const merged = merge([
      { name: "user", values: { shellPath: "/bin/zsh" } },
      { name: "project", values, isUntrusted: true }
    ])
    assert.deepStrictEqual(merged, {
      values: { ...defaults, shellPath: "/bin/zsh", steeringMode: "all" },
      problems: [],
      leftOut: ["shellPath", "shellCommandPrefix"]
    })
  })

  it("sets these and no others; a setting is closed to projects unless it is marked", () => {
    const free = [
      "steeringMode",
      "followUpMode",
      "interruptMode",
      "retry.enabled",
      "retry.maxRetries",
      "compaction.enabled",
      "compaction.keepRecentTokens",
      "todo.enabled",
      "tasks.todoClearDelay"
    ]
    assert.deepStrictEqual([...marked("free")], free)
    const all = Object.fromEntries(Object.keys(SettingsValues().fields).map((key) => [key, 1]))
    const closed = Object.keys(all).filter((key) => !free.includes(key))
    assert.deepStrictEqual(from(all).leftOut, closed)
    assert.isTrue(closed.includes("offline.scenario"))
  })

  it("is held to it however the setting is spelt", () => {
    const spellings = {
      offline: { scenario: "a" },
      "offline.scenario": "b",
      retry: { fallbackChains: { default: ["x"] } }
    }
    assert.deepStrictEqual(from(spellings), {
      values: defaults,
      problems: [],
      leftOut: ["offline.scenario", "retry.fallbackChains"]
    })
  })
})

it("settings nested thousands of levels deep, and values of any length, are only a problem of their own", () => {
  const deep = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ a: inner }), {})
  assert.deepStrictEqual(merge([{ name: "deep", values: deep }]), { values: defaults, problems: [], leftOut: [] })
  const [problem = ""] = merge([{ name: "long", values: { steeringMode: "x".repeat(1e6) } }]).problems
  assert.isBelow(problem.length, 300)
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

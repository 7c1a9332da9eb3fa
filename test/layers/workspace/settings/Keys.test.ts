import { assert, describe, it } from "@effect/vitest"
import * as Keys from "../../../../src/layers/workspace/settings/Keys.ts"

describe("members", () => {
  const members = (values: object) => [...Keys.members({ ...values })]

  it("of groups are followed, however they are written; the path is that in the file", () => {
    assert.deepStrictEqual(members({ task: { "isolation.mode": "none", isolation: { merge: "patch" } } }), [
      { path: ["task", "isolation.mode"], key: "task.isolation.mode", value: "none" },
      { path: ["task", "isolation", "merge"], key: "task.isolation.merge", value: "patch" }
    ])
  })

  it("of a setting that is an object belong to the setting", () => {
    const chains = { default: ["a"] }
    assert.deepStrictEqual(members({ retry: { fallbackChains: chains }, "retry.fallbackChains.b.c": ["d"] }), [
      { path: ["retry", "fallbackChains"], key: "retry.fallbackChains", value: chains },
      { path: ["retry.fallbackChains.b.c"], key: "retry.fallbackChains", value: { "b.c": ["d"] } }
    ])
  })

  it("below a setting that is no object are no settings", () => {
    assert.deepStrictEqual(members({ "steeringMode.x": 1, shellPath: { a: 1 } }), [
      { path: ["steeringMode.x"], key: undefined, value: 1 },
      { path: ["shellPath"], key: "shellPath", value: { a: 1 } }
    ])
  })

  it("that only editors read are left out, at the top", () => {
    assert.deepStrictEqual(members({ $schema: "a", retry: { $schema: "b" } }), [
      { path: ["retry", "$schema"], key: undefined, value: "b" }
    ])
  })
})

it("the only settings that are also groups are todo.reminders and sandbox", () => {
  const { groups, types } = Keys.known()
  assert.deepStrictEqual(
    [...groups].filter((group) => types.has(group)),
    ["todo.reminders", "sandbox"]
  )
})

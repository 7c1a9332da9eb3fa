/** docs/settings.schema.json accepts what heddle accepts. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { merge } from "../../src/layers/workspace/settings/SettingsMerge.ts"
import { defaults } from "../../src/services/Settings.ts"

const text = readFileSync(join(import.meta.dirname, "../../docs/settings.schema.json"), "utf8")
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(text))

const accepts = (values: object) =>
  merge([{ name: "", values }]).problems.filter(({ kind }) => kind !== "planned").length === 0

describe("settings.schema.json", () => {
  const right: ReadonlyArray<object> = [
    {},
    defaults,
    { $schema: "./settings.schema.json" },
    { todo: { reminders: { max: 9 }, enabled: false } },
    { todo: { reminders: true, "reminders.max": 9 } },
    { "todo.reminders": { max: 2 }, task: { "isolation.mode": "worktree", budget: { maxCostUsd: 1.5 } } },
    { retry: { fallbackChains: { default: ["a/b"] } }, "retry.fallbackChains.small": ["c"] },
    { packages: ["npm:x", { source: "y", skills: [] }], steeringMode: "all", maxTurns: 4 }
  ]
  for (const values of right) {
    it(`accepts ${JSON.stringify(values).slice(0, 80)}`, () => {
      assert.isTrue(validate(values), JSON.stringify(validate.errors))
      assert.isTrue(accepts(values))
    })
  }

  const wrong: ReadonlyArray<object> = [
    { steeringMod: "all" },
    { steeringMode: "some" },
    { todo: { reminder: true } },
    { todo: { reminders: { max: -1 } } },
    { "thinkingBudgets.low": 1 },
    { retry: true },
    { "retry.fallbackChains.small": "c" },
    { task: { budget: { maxCostUsd: 0 } } },
    { enabledModels: "a" }
  ]
  for (const values of wrong) {
    it(`refuses ${JSON.stringify(values)}`, () => {
      assert.isFalse(validate(values))
      assert.isFalse(accepts(values))
    })
  }
})

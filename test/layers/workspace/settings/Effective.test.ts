import { assert, describe, it } from "@effect/vitest"
import * as Effective from "../../../../src/layers/workspace/settings/Effective.ts"
import { merge, type SettingsSource } from "../../../../src/layers/workspace/settings/SettingsMerge.ts"
import { SettingsValues } from "../../../../src/services/Settings.ts"

const hide = (text: string) => text.replaceAll("hunter22", "[redacted]")

const list = (...sources: ReadonlyArray<SettingsSource>) => {
  const { origins, values } = merge(sources)
  return Effective.list(values, origins, hide)
}
const file = (values: object): SettingsSource => ({ name: "f.json", values, text: JSON.stringify(values, null, 1) })

describe("the settings in force", () => {
  it("are all there, in the order of the schema", () => {
    assert.deepStrictEqual(
      list().map(({ key }) => key),
      Object.keys(SettingsValues.fields)
    )
  })

  it("say what they are, who may set them, and where the value stands", () => {
    const found = list(
      file({ steeringMode: "all", todo: { eager: true } }),
      { name: "rpc mode", values: {}, isReset: true },
      { name: "--set", values: { "task.budget.maxCostUsd": 2 } }
    )
    const of = (name: string) => found.find(({ key }) => key === name)
    assert.deepStrictEqual(of("steeringMode"), {
      key: "steeringMode",
      value: "all",
      default: "one-at-a-time",
      type: '"all" or "one-at-a-time"',
      description: "Whether queued steering messages are delivered one by one or together.",
      free: true,
      sources: [{ name: "f.json", line: 2, column: 2 }],
      isReset: false
    })
    assert.deepStrictEqual(of("todo.eager"), {
      key: "todo.eager",
      value: false,
      default: false,
      type: "true or false",
      description: "Whether the model has to make a todo list at the first prompt.",
      reset: true,
      sources: [{ name: "f.json", line: 4, column: 3 }],
      isReset: true
    })
    assert.deepStrictEqual(of("task.budget.maxCostUsd"), {
      key: "task.budget.maxCostUsd",
      value: 2,
      type: "a number above 0",
      description: "What a session and its subagents may cost, in US dollars.",
      sources: [{ name: "--set" }],
      isReset: false
    })
    assert.notProperty(of("maxTurns"), "value")
  })

  it("hide secrets wherever a text stands, and passwords of addresses", () => {
    const found = list(
      file({
        shellCommandPrefix: "export X=hunter22",
        enabledModels: ["hunter22/a"],
        "retry.fallbackChains": { default: ["b/hunter22"] },
        "telemetry.endpoint": "https://me:pass@host/?key=1"
      })
    )
    const shown = found.filter(({ sources }) => sources.length > 0).map(({ key, value }) => [key, value])
    assert.deepStrictEqual<unknown>(shown, [
      ["shellCommandPrefix", "export X=[redacted]"],
      ["enabledModels", ["[redacted]/a"]],
      ["retry.fallbackChains", { default: ["b/[redacted]"] }],
      ["telemetry.endpoint", "https://[redacted]@host/?key=[redacted]"]
    ])
  })
})

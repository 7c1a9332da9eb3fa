import { assert, describe, it } from "@effect/vitest"
import * as ExportedNames from "../../../../src/layers/pi/modules/ExportedNames.ts"
import { none } from "../../../../src/layers/pi/modules/HostBindings.ts"
import { modules } from "../../../../src/layers/pi/modules/Importable.ts"
import { holding } from "../../../support/extensions/PlainBindings.ts"

const found = modules(holding())
const scopes = [
  ["@earendil-works", "pi"],
  ["@mariozechner", "pi"],
  ["@oh-my-pi", "omp"]
] as const
const packages = ["pi-coding-agent", "pi-ai", "pi-tui", "pi-agent-core"]
const valuesOf = (specifier: string) => {
  const make = found.get(specifier)
  if (make === undefined) throw new Error(`${specifier} is not served`)
  return make()
}

describe("the modules of the three scopes", () => {
  it("export every name that a released version exported", () => {
    let counted = 0
    for (const [scope, family] of scopes) {
      for (const path of ExportedNames.paths(family)) {
        const values = valuesOf(`${scope}/${path}`)
        const missing = [...ExportedNames.of(family, path)].filter((name) => !Object.hasOwn(values, name))
        assert.deepStrictEqual(missing, [], `${scope}/${path}`)
        counted += Object.keys(values).length
      }
    }
    assert.isAbove(counted, 5000)
  })

  it("know the names that extensions use most", () => {
    const used = {
      "pi-coding-agent": ["getAgentDir", "DynamicBorder", "SettingsManager", "createAgentSession", "AuthStorage"],
      "pi-ai": ["StringEnum", "Type", "completeSimple", "getModel", "anthropicMessagesApi", "loginAnthropic"],
      "pi-tui": ["Text", "truncateToWidth", "renderFakeCursor", "getEditorKeybindings", "TUI"],
      "pi-agent-core": ["Agent", "agentLoop", "uuidv7"],
      "pi-ai/oauth": ["getOAuthProviders", "refreshAnthropicToken"],
      "pi-ai/providers/anthropic": ["anthropicProvider"],
      "pi-ai/models": ["createModels", "calculateCost"]
    }
    for (const [path, names] of Object.entries(used)) {
      const listed = ExportedNames.of("pi", path)
      assert.deepStrictEqual(
        names.filter((name) => !listed.has(name)),
        [],
        path
      )
    }
  })

  it("are the same objects under every scope and path, so that instanceof holds", () => {
    for (const name of packages) {
      const values = scopes.map(([scope]) => valuesOf(`${scope}/${name}`))
      const real = Object.keys(values[0] ?? {}).filter((key) => values.every((each) => each[key] === values[0]?.[key]))
      assert.isAbove(real.length, 20, name)
    }
    assert.strictEqual(
      valuesOf("@earendil-works/pi-ai/compat")["EventStream"],
      valuesOf("@mariozechner/pi-ai/utils/event-stream")["EventStream"]
    )
  })

  it("a subpath has its own names only", () => {
    assert.deepStrictEqual(Object.keys(valuesOf("@earendil-works/pi-ai/utils/uuid")), ["uuidv7"])
  })

  it("nothing is made before the first import, and the host must be there by then", () => {
    const early = modules(none)
    assert.throws(() => early.get("@earendil-works/pi-coding-agent")?.(), "heddle has not started yet")
  })
})

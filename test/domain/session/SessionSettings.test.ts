import { describe, expect, it } from "@effect/vitest"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import { settingsOf, type SessionSettings } from "../../../src/domain/session/SessionSettings.ts"
import { answers, line, says } from "../../support/sessions/Entries.ts"

const model = (modelId: string): NewEntry => ({ type: "model_change", provider: "x", modelId })
const level = (thinkingLevel: "low" | "high"): NewEntry => ({ type: "thinking_level_change", thinkingLevel })
const answered = { provider: "p", modelId: "m" }

describe("settingsOf", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<NewEntry>, SessionSettings]> = [
    ["nothing was said", [says("a")], {}],
    ["who answered", [says("a"), answers("b")], { model: answered }],
    ["a change", [model("1"), level("low")], { model: { provider: "x", modelId: "1" }, thinkingLevel: "low" }],
    ["a change after the answer", [answers("a"), model("2")], { model: { provider: "x", modelId: "2" } }],
    [
      "an answer after the change",
      [model("2"), level("high"), answers("a")],
      { model: answered, thinkingLevel: "high" }
    ],
    ["the newest of several", [level("low"), answers("a"), level("high")], { model: answered, thinkingLevel: "high" }]
  ]
  it.each(cases)("%s", (_, entries, settings) => expect(settingsOf(line(...entries))).toEqual(settings))
})

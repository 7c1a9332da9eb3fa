import { assert, it } from "@effect/vitest"
import * as Foreign from "../../../../src/layers/workspace/settings/Foreign.ts"
import { merge } from "../../../../src/layers/workspace/settings/SettingsMerge.ts"

const problemsOf = (values: object, text?: string) =>
  merge([{ name: "settings.json", values, ...(text === undefined ? {} : { text }) }]).problems

const names = (problems: ReadonlyArray<{ readonly path: ReadonlyArray<string> }>) =>
  problems.map(({ path }) => path.join("."))

it("a name that nobody can have meant as one of ours is of another program; a mistake is not", () => {
  const values = {
    theme: "dark",
    themeX: 1,
    stearingMode: "all",
    maxTurns: 0,
    retry: { maxAgentDelayMs: 1, maxRetry: 2 }
  }
  const { foreign, mistakes } = Foreign.split(problemsOf(values, JSON.stringify(values)))
  assert.deepStrictEqual(names(foreign), ["theme", "themeX", "retry.maxAgentDelayMs"])
  assert.deepStrictEqual(names(mistakes), ["stearingMode", "maxTurns", "retry.maxRetry"])
})

it("what stands on the command line is always a mistake", () => {
  const { foreign, mistakes } = Foreign.split(problemsOf({ theme: "dark" }))
  assert.deepStrictEqual([names(foreign), names(mistakes)], [[], ["theme"]])
})

it("the sentence is short and printable, however many names there are", () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`\u001b[31m${"x".repeat(70)}${at}`, 1]))
  const { foreign, mistakes } = Foreign.split(problemsOf(many, JSON.stringify(many)))
  assert.deepStrictEqual([foreign.length, mistakes.length], [5000, 0])
  const sentence = Foreign.sentence(foreign)
  assert.isBelow(sentence.length, 600)
  assert.match(sentence, /^heddle has no settings of these names: \?\[31mx+0, .* and 4995 more \(settings\.json\)$/)
})

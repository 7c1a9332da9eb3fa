import { assert, describe, it } from "@effect/vitest"
import { Either, Option, Schema, SchemaAST } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defaults, marked, SettingsValues } from "../../../src/services/Settings.ts"
import { marksOf } from "../../../src/services/settings/Setting.ts"
import * as TypeText from "../../../src/services/settings/TypeText.ts"

const settings = SchemaAST.getPropertySignatures(SettingsValues.ast)

describe("the settings", () => {
  it("have defaults that fit", () => {
    assert.deepStrictEqual(Schema.decodeUnknownEither(SettingsValues)(defaults), Either.right(defaults))
    const unset = settings.filter(({ isOptional }) => isOptional).map(({ name }) => name)
    assert.deepStrictEqual(
      settings.map(({ name }) => name).filter((name) => !Object.hasOwn(defaults, name)),
      unset
    )
  })

  it("are all described, in sentences", () => {
    for (const { name, type } of settings) {
      const description = Option.getOrElse(SchemaAST.getDescriptionAnnotation(type), () => "")
      assert.match(description, /^[A-Z].*\.$/s, String(name))
    }
  })

  it("are reset in rpc mode exactly as the protocol says", () => {
    const list = [
      "todo.enabled",
      "todo.reminders",
      "todo.reminders.max",
      "todo.eager",
      "async.enabled",
      "async.maxJobs",
      "bash.autoBackground.enabled",
      "bash.autoBackground.thresholdMs",
      "task.isolation.mode",
      "task.isolation.merge",
      "task.isolation.commits",
      "task.eager",
      "task.maxConcurrency",
      "task.maxRecursionDepth",
      "task.disabledAgents",
      "task.agentModelOverrides"
    ]
    assert.deepStrictEqual([...marked("reset")].map(String).toSorted(), list.toSorted())
  })

  it("are free for projects only where they start nothing and spend nothing", () => {
    const risky = /path|dir|shell|command|provider|model|extension|package|skill|prompt|budget|endpoint|root/i
    for (const { name, type } of settings) {
      if (risky.test(String(name))) assert.isUndefined(marksOf(type).free, String(name))
    }
  })
})

describe("a type in words", () => {
  const cases: ReadonlyArray<readonly [Schema.Schema.Any, string]> = [
    [Schema.Boolean, "true or false"],
    [Schema.Literal("a", "b", "c"), '"a", "b" or "c"'],
    [Schema.Int, "a whole number"],
    [Schema.Int.pipe(Schema.between(0, 5)), "a whole number from 0 to 5"],
    [Schema.Finite.pipe(Schema.positive()), "a number above 0"],
    [Schema.Finite, "a number"],
    [Schema.NonEmptyString, "a non-empty text"],
    [Schema.Array(Schema.Union(Schema.String, Schema.Struct({}))), "a list of texts or objects"],
    [Schema.Record({ key: Schema.String, value: Schema.Boolean }), "an object whose members are each true or false"],
    [Schema.Struct({ a: Schema.String }), "an object"],
    [Schema.Unknown, "a value"]
  ]
  for (const [schema, words] of cases) it(words, () => assert.strictEqual(TypeText.of(schema.ast), words))
})

it("docs/settings.md names every setting", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8")
  for (const { name } of settings) assert.include(page, `| \`${String(name)}\``)
})

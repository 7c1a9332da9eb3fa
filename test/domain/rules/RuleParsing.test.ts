import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/domain/conversation/Content.ts"
import * as RuleParsing from "../../../src/domain/rules/RuleParsing.ts"

const parse = (data: JsonObject, body = "\nBody\n") => {
  const problems: Array<string> = []
  const parsed = RuleParsing.parse({ name: "r", path: "/r.md", data, body }, (message) => problems.push(message))
  return { parsed, problems }
}

const stream = (info: object, watches: ReadonlyArray<object>) => ({
  parsed: { _tag: "Stream", rule: { info: { name: "r", path: "/r.md", content: "Body", ...info }, watches } },
  problems: []
})

const everywhere = [{ kind: "text" }, { kind: "tool" }]

describe("rules from front matter", () => {
  it("without a condition it is guidance", () => {
    const guidance = (more: object) => ({
      parsed: { _tag: "Guidance", guidance: { name: "r", path: "/r.md", content: "Body", ...more } },
      problems: []
    })
    assert.deepStrictEqual<object>(parse({}), guidance({ alwaysApply: false }))
    assert.deepStrictEqual<object>(
      parse({ description: "D", globs: "*.ts", alwaysApply: true }),
      guidance({ description: "D", alwaysApply: true })
    )
    assert.deepStrictEqual<object>(parse({ condition: null, alwaysApply: "true" }), guidance({ alwaysApply: true }))
  })

  it("conditions as text, as list, and under their old names", () => {
    for (const key of ["condition", "ttsr_trigger", "ttsrTrigger"]) {
      assert.deepStrictEqual<object>(
        parse({ [key]: "a,b" }),
        stream({ condition: ["a,b"] }, [{ pattern: "a,b", scope: everywhere }])
      )
    }
    assert.deepStrictEqual<object>(
      parse({
        condition: ["a", "b"],
        scope: ["text, thinking", "edit(*.rs)"],
        globs: "*.ts, src/**",
        description: "D"
      }),
      stream(
        {
          description: "D",
          globs: ["*.ts", "src/**"],
          condition: ["a", "b"],
          scope: ["text", "thinking", "edit(*.rs)"]
        },
        ["a", "b"].map((pattern) => ({
          pattern,
          scope: [{ kind: "text" }, { kind: "thinking" }, { kind: "tool", name: "edit", glob: "*.rs" }]
        }))
      )
    )
    assert.deepStrictEqual<object>(
      parse({ condition: "a", interruptMode: "prose-only" }),
      stream({ condition: ["a"], interruptMode: "prose-only" }, [{ pattern: "a", scope: everywhere }])
    )
  })

  it("a condition that is a file glob means any edit or write of such a file", () => {
    const edits = (glob: string) => [
      { kind: "tool", name: "edit", glob },
      { kind: "tool", name: "write", glob }
    ]
    assert.deepStrictEqual<object>(
      parse({ condition: "*.rs" }),
      stream({ condition: [".*"], scope: ["tool:edit(*.rs)", "tool:write(*.rs)"] }, [
        { pattern: ".*", scope: edits("*.rs") }
      ])
    )
    assert.deepStrictEqual<object>(
      parse({ condition: ["src/**/*.{ts,tsx}", "TODO"], scope: "text" }),
      stream(
        {
          condition: ["TODO", ".*"],
          scope: ["text", "tool:edit(src/**/*.{ts,tsx})", "tool:write(src/**/*.{ts,tsx})"]
        },
        [
          { pattern: "TODO", scope: [{ kind: "text" }] },
          { pattern: ".*", scope: edits("src/**/*.{ts,tsx}") }
        ]
      )
    )
    assert.deepStrictEqual<object>(
      parse({ condition: "src/.*\\.rs" }),
      stream({ condition: ["src/.*\\.rs"] }, [{ pattern: "src/.*\\.rs", scope: everywhere }])
    )
  })

  it("wrong parts are left out and reported", () => {
    assert.deepStrictEqual(
      parse({ condition: ["a", 7, ""], scope: "text, two words", interruptMode: "sometimes" }).problems,
      [
        "condition: expected text, got 7",
        'condition: expected text, got ""',
        'scope: "two words" is neither text, thinking, nor the name of a tool',
        'interruptMode: must be one of never, prose-only, tool-only, always; got "sometimes"'
      ]
    )
    const ignored = [{ condition: [] }, { condition: {} }, { condition: "a", scope: "two words" }]
    for (const data of ignored) {
      const { parsed, problems } = parse(data)
      assert.isUndefined(parsed)
      assert.strictEqual(problems.at(-1), "the rule is ignored: it has no condition or scope that can be used")
    }
    assert.deepStrictEqual(parse({ condition: "a" }, " \n"), {
      parsed: undefined,
      problems: ["the rule is ignored: it has no text"]
    })
    const many = Array.from({ length: 101 }, (_, at) => `c${at}`)
    assert.deepStrictEqual(parse({ condition: many }).problems, ["condition: only the first 100 entries count"])
  })
})

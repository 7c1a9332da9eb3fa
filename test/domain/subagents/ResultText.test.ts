import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as ResultText from "../../../src/domain/subagents/ResultText.ts"
import type { SubagentResult } from "../../../src/domain/subagents/Subagent.ts"

const result = (more: Partial<SubagentResult> = {}): SubagentResult => ({
  index: 0,
  id: "0-A",
  agent: "task",
  agentSource: "bundled",
  task: "t",
  exitCode: 0,
  output: "Done.",
  stderr: "",
  truncated: false,
  durationMs: 1500,
  tokens: 1,
  ...more
})

const bytes = (text: string) => new TextEncoder().encode(text).length

describe("the limits of an output", () => {
  it("nothing is cut that fits", () => {
    assert.deepStrictEqual(ResultText.cap("a\nb\n", { maxBytes: 4, maxLines: 2 }), {
      text: "a\nb\n",
      truncated: false,
      meta: { lineCount: 2, charCount: 4 }
    })
  })

  it("lines and bytes, and what was cut", () => {
    const lines = ResultText.cap("a\nb\nc", { maxBytes: 100, maxLines: 2 })
    assert.strictEqual(lines.text, "a\nb\n")
    assert.strictEqual(lines.note, "[Output cut: the first 2 of 3 lines, 4 of 5 characters.]")
    assert.strictEqual(ResultText.cap("aä😀", { maxBytes: 6, maxLines: 1 }).text, "aä")
    assert.strictEqual(ResultText.cap("aä😀", { maxBytes: 7, maxLines: 1 }).truncated, false)
  })

  it("always a beginning of whole characters within the limits", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "ä", "€", "😀"), maxLength: 40 })
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(20), (output, maxBytes, maxLines) => {
        const capped = ResultText.cap(output, { maxBytes, maxLines })
        assert.isTrue(output.startsWith(capped.text))
        assert.isTrue(capped.text.isWellFormed())
        assert.isAtMost(bytes(capped.text), maxBytes)
        assert.isAtMost(capped.text.split("\n").length - (capped.text.endsWith("\n") ? 1 : 0), Math.max(1, maxLines))
        assert.strictEqual(capped.truncated, capped.text !== output)
        assert.strictEqual(capped.note !== undefined, capped.truncated)
      })
    )
  })
})

describe("the text of a batch", () => {
  it("what succeeded, each result, and the merge", () => {
    const results = [
      result({
        outputPath: "/s/0-A.md",
        verification: { requested: true, status: "passed", attempts: [], retriesUsed: 1 }
      }),
      result({ id: "1-B", exitCode: 1, error: "No way.", output: "" }),
      result({ id: "2-C", exitCode: 1, aborted: true, abortReason: "Cancelled before start", output: "" })
    ]
    assert.strictEqual(
      ResultText.summary({ results, totalDurationMs: 61_000, merge: ["0-A: applied"] }),
      [
        "<task-summary>",
        "1/3 succeeded [1m1s]",
        '\n<agent id="0-A" name="task" status="completed" time="1.5s">',
        "Verification: passed after a repair",
        "Output: /s/0-A.md",
        "<result>\nDone.\n</result>\n</agent>",
        '\n<agent id="1-B" name="task" status="failed" time="1.5s">',
        "Error: No way.",
        "<result>\n(no output)\n</result>\n</agent>",
        '\n<agent id="2-C" name="task" status="aborted" time="1.5s">',
        "Error: Cancelled before start",
        "<result>\n(no output)\n</result>\n</agent>",
        "\n<merge>\n0-A: applied\n</merge>",
        "</task-summary>"
      ].join("\n")
    )
  })

  it("a long output is a preview that says where the rest is", () => {
    const shown = ResultText.preview(result({ output: `${"x".repeat(4999)}😀y`, outputPath: "/s/0-A.md" }))
    assert.strictEqual(shown, `${"x".repeat(4999)}\n[The first 4999 of 5002 characters. Full output: /s/0-A.md]`)
    assert.strictEqual(ResultText.preview(result({ output: "x".repeat(5000) })), "x".repeat(5000))
  })

  it("durations", () => {
    assert.deepStrictEqual([0, 999, 1000, 59_949, 59_960, 3_600_000].map(ResultText.duration), [
      "0ms",
      "999ms",
      "1.0s",
      "59.9s",
      "1m0s",
      "1h0m"
    ])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { text } from "../../../../../src/domain/conversation/Content.ts"
import * as Offline from "../../../../../src/layers/models/offline/Offline.ts"
import * as Interrupts from "../../../../../src/layers/modes/terminal/session/Interrupts.ts"
import * as Style from "../../../../../src/layers/modes/terminal/screen/Style.ts"
import * as View from "../../../../../src/layers/modes/terminal/session/View.ts"
import * as Notices from "../../../../../src/layers/modes/terminal/view/Notices.ts"
import * as StatusLine from "../../../../../src/layers/modes/terminal/view/StatusLine.ts"
import * as ToolLines from "../../../../../src/layers/modes/terminal/view/ToolLines.ts"
import * as Transcript from "../../../../../src/layers/modes/terminal/view/Transcript.ts"
import { assistant } from "../../../../support/sessions/Entries.ts"

const style = Style.make({ colors: false, plain: false })

const ended = (name: string, args: Record<string, unknown>, output: string, more: Partial<ToolLines.Ended> = {}) =>
  ToolLines.ended(
    { name, args, result: { content: [text(output)] }, isError: false, durationMs: 0, ...more },
    style,
    40
  )

describe("tool lines", () => {
  it("show what was called and a part of the output", () => {
    assert.deepStrictEqual(ended("read", { path: "a.ts" }, "1\n2\n3"), ["✓ read a.ts", "  │ 3 lines"])
    assert.deepStrictEqual(ended("bash", { command: "seq 9" }, "1\n2\n3\n4\n5\n6\n7\n8\n9", { durationMs: 2345 }), [
      "✓ bash seq 9 (2.3 s)",
      "  │ … 4 more lines (Ctrl-O shows all)",
      "  │ 5",
      "  │ 6",
      "  │ 7",
      "  │ 8",
      "  │ 9"
    ])
    assert.deepStrictEqual(ended("fancy", { a: [1] }, ""), ['✓ fancy {"a":[1]}'])
  })

  it("fit into a row, and show failures and changes", () => {
    assert.deepStrictEqual(ended("grep", { pattern: "x".repeat(60), path: "src" }, "no", { isError: true }), [
      `✗ grep ${"x".repeat(32)}…`,
      "  │ no"
    ])
    const result = { content: [text("Edited")], details: { diff: " a\n-b\n+c" } }
    assert.deepStrictEqual(ended("edit", { path: "f" }, "", { result }), ["✓ edit f", "  │  a", "  │ -b", "  │ +c"])
  })

  it("show the last lines of a call that goes on, and all of one that ended", () => {
    const call = { name: "bash", args: { command: "make" } }
    assert.deepStrictEqual(ToolLines.running(call, { content: [text("a\nb\nc\nd\n")] }, style, 40), [
      "• bash make",
      "  │ b",
      "  │ c",
      "  │ d"
    ])
    const whole = { ...call, result: { content: [text("a\nb")] }, isError: false, durationMs: 1 }
    assert.deepStrictEqual(ToolLines.whole(whole, style, 40), ["Output of bash make", "  │ a", "  │ b"])
  })
})

describe("the status line", () => {
  const status = {
    model: Offline.guide,
    thinkingLevel: "high",
    contextPercent: 12.4,
    tokens: 12_345,
    cost: 0.0123,
    folder: "~/work"
  } as const
  it("has everything on a wide screen, and the important parts on a narrow one", () => {
    assert.strictEqual(
      StatusLine.render(status, 100),
      "offline/guide · thinking high · context 12% · 12k tokens · $0.0123 · ~/work"
    )
    assert.strictEqual(StatusLine.render(status, 50), "offline/guide · context 12% · $0.0123 · ~/work")
    assert.strictEqual(StatusLine.render(status, 30), "offline/guide · context 12%")
    assert.strictEqual(StatusLine.render(status, 8), "offline…")
  })

  it("says what is not known", () => {
    const unknown = { ...status, model: undefined, contextPercent: null, cost: 0, tokens: 999 }
    assert.strictEqual(
      StatusLine.render(unknown, 100),
      "no model · thinking high · context ? · 999 tokens · $0.00 · ~/work"
    )
  })
})

describe("Ctrl-C", () => {
  it("aborts what runs, and leaves when it is pressed again within a second", () => {
    const interrupts = Interrupts.make()
    assert.strictEqual(interrupts.press({ now: 0, isBusy: true }), "abort")
    assert.strictEqual(interrupts.press({ now: 999, isBusy: true }), "leave")
  })

  it("aborts again after a second", () => {
    const interrupts = Interrupts.make()
    interrupts.press({ now: 0, isBusy: true })
    assert.strictEqual(interrupts.press({ now: 1000, isBusy: true }), "abort")
  })

  it("leaves when it is pressed twice while idle, unless another key comes in between", () => {
    const interrupts = Interrupts.make()
    assert.strictEqual(interrupts.press({ now: 0, isBusy: false }), "clear")
    interrupts.reset()
    assert.strictEqual(interrupts.press({ now: 5000, isBusy: false }), "clear")
    assert.isTrue(interrupts.isArmed())
    assert.strictEqual(interrupts.press({ now: 60_000, isBusy: false }), "leave")
  })
})

describe("live rows", () => {
  it("where the screen is low, the beginning of what runs gives way", () => {
    const parts = {
      running: ["1", "2", "3"],
      above: [""],
      field: { rows: ["> "], cursor: { row: 0, column: 2 } },
      below: ["status"]
    }
    assert.deepStrictEqual(View.compose(parts, 24), {
      rows: ["1", "2", "3", "", "> ", "status"],
      cursor: { row: 4, column: 2 }
    })
    assert.deepStrictEqual(View.compose(parts, 5), {
      rows: ["3", "", "> ", "status"],
      cursor: { row: 2, column: 2 }
    })
  })
})

describe("notices", () => {
  it("are sentences for people", () => {
    const retry = {
      _tag: "RetryScheduled",
      runId: "r",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
      errorMessage: "Overloaded"
    } as const
    assert.deepStrictEqual(Notices.of(retry), { level: "warning", text: "Overloaded. Trying again in 2 s (1 of 3)." })
    const moved = { _tag: "PersistFailed", error: "No space left" } as const
    assert.deepStrictEqual(Notices.of(moved), {
      level: "error",
      text: "This session is not stored any more: No space left"
    })
    assert.isUndefined(Notices.of({ _tag: "SessionSettled" }))
  })
})

describe("what a failed answer leaves in the scrollback", () => {
  const make = () => Transcript.make(style, () => 80)
  const ended = { _tag: "MessageEnded", messageId: "m", runId: "r" } as const
  const failed = { ...ended, message: { ...assistant("", 0, "error"), errorMessage: "Overloaded." } }
  const runEnded = { _tag: "RunEnded", messages: [], runId: "r" } as const

  it("is its error when the run ends, once", () => {
    const { event } = make()
    assert.deepStrictEqual(event(failed), [])
    assert.lengthOf(
      event(runEnded).filter((row) => row.includes("Overloaded.")),
      1
    )
    assert.deepStrictEqual(event(runEnded), [])
  })

  it("is the notice of the retry, without the error before it", () => {
    const { event } = make()
    const retry = { attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "Overloaded." }
    event(failed)
    const rows = event({ _tag: "RetryScheduled", ...retry, runId: "r" })
    assert.lengthOf(
      rows.filter((row) => row.includes("Overloaded.")),
      1
    )
    assert.deepStrictEqual(event(runEnded), [])
  })

  it("is a word at once where it was aborted", () => {
    assert.include(
      make()
        .event({ ...ended, message: assistant("", 0, "aborted") })
        .join("\n"),
      "Aborted."
    )
  })
})

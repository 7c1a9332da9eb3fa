import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "../../../src/domain/session/Ledger.ts"
import * as SessionHandoff from "../../../src/domain/session/SessionHandoff.ts"
import type { NewEntry, SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import { answers, line, message, says, toolResult, usage } from "../../support/sessions/Entries.ts"

/** Entries with the second at which each was written. */
const timed = (...steps: ReadonlyArray<readonly [second: number, entry: NewEntry]>): ReadonlyArray<SessionEntry> =>
  line(...steps.map(([, entry]) => entry)).map((entry, at) => ({
    ...entry,
    timestamp: new Date(1000 * (steps[at]?.[0] ?? 0)).toISOString()
  }))

const seconds = (entries: ReadonlyArray<SessionEntry>) => Ledger.total(entries).wallTimeMs / 1000
const result = message(toolResult())
const unfinished = (call: "not_started" | "cut_off"): NewEntry => ({ type: "message", message: toolResult(), call })
const bash = message({
  role: "bashExecution",
  command: "ls",
  output: "",
  exitCode: 0,
  cancelled: false,
  truncated: false,
  timestamp: 0
})
const summary: NewEntry = { type: "usage", source: "compaction", provider: "p", model: "m", usage: usage({ input: 1 }) }
const note: NewEntry = { type: "custom_message", customType: "note", content: "n", display: true }

describe("wall time", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<SessionEntry>, number]> = [
    ["a run from its prompt to its last answer", timed([10, says("a")], [13, answers("b")], [20, result]), 10],
    ["not what lies between runs", timed([0, says("a")], [2, answers("b")], [900, says("c")], [901, answers("d")]), 3],
    ["attempts and the waits between them", timed([0, says("a")], [1, answers("", 0, "error")], [9, answers("b")]), 9],
    ["not a summary of an idle session", timed([0, says("a")], [1, answers("b")], [301, summary], [302, says("c")]), 1],
    ["not a command of the user", timed([0, says("a")], [1, answers("b")], [60, bash], [90, says("c")]), 1],
    ["a run that a custom message starts", timed([0, answers("a")], [50, note], [52, answers("b")]), 2],
    ["a clock that was set back takes none", timed([10, says("a")], [4, answers("b")], [5, result]), 1],
    [
      "not the time until a session was opened again after a crash",
      timed([0, says("a")], [2, answers("b")], [9000, unfinished("cut_off")]),
      2
    ]
  ]
  it.each(cases)("%s", (_, entries, expected) => assert.strictEqual(seconds(entries), expected))
})

describe("tool calls", () => {
  it("count if they were started, and with what they spent on models of their own", () => {
    const entries = line(
      unfinished("not_started"),
      unfinished("cut_off"),
      { type: "message", message: toolResult(), toolUsage: usage({ input: 5 }) },
      // The details of the tool say it themselves.
      { type: "message", message: toolResult({ usage: usage({ input: 7 }) }), toolUsage: usage({ input: 7 }) }
    )
    const { tokens, toolCalls } = Ledger.total(entries)
    assert.deepStrictEqual([toolCalls, tokens.total], [3, 12])
  })
})

describe("a handoff", () => {
  it("carries everything over: the new entries add up to the old ones", () => {
    const old = timed(
      [0, says("a")],
      [3, answers("b", 10)],
      [5, unfinished("not_started")],
      [6, result],
      [90, says("c")],
      [94, answers("d", 20)]
    )
    const copied = SessionHandoff.kept(old, "e4")
    const { entries, branch } = { entries: old, branch: old }
    const model = { provider: "p", modelId: "m" }
    const begun = line(...SessionHandoff.inForce({ entries, branch, copied, name: undefined }, model))
    assert.deepStrictEqual(Ledger.total([...begun, ...copied]), Ledger.total(old))
  })
})

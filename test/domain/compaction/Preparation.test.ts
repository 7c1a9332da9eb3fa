import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as Preparation from "../../../src/domain/compaction/Preparation.ts"
import * as ContextTokens from "../../../src/domain/compaction/ContextTokens.ts"
import type { AgentMessage } from "../../../src/domain/conversation/Message.ts"
import * as SessionContext from "../../../src/domain/session/SessionContext.ts"
import type { NewEntry, SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import { bash, branch, calls, compaction, left, level, message, note, result, says, user } from "./support.ts"

/** Eight characters, two tokens. */
const two = "12345678"

const word = (said: AgentMessage): string => {
  switch (said.role) {
    case "assistant":
      return said.content.some(({ type }) => type === "toolCall") ? "call" : "answer"
    default:
      return said.role
  }
}

const outline = (entries: ReadonlyArray<SessionEntry>, keep: number) =>
  Either.match(Preparation.prepare(entries, keep), {
    onLeft: (refusal) => refusal,
    onRight: ({ firstKeptEntryId, history, kept, prefix }) =>
      `${firstKeptEntryId}: ${[history, prefix, kept].map((part) => part.map(word).join(" ")).join(" | ")}`
  })

describe("Preparation.prepare", () => {
  const turn = [message(user(two)), message(says(two))]
  const toolTurn = [message(user(two)), message(calls("read", {})), message(result(two)), message(says(two))]
  const cases: ReadonlyArray<readonly [why: string, entries: ReadonlyArray<NewEntry>, keep: number, outcome: string]> =
    [
      ["an empty session", [], 1, "nothing_to_compact"],
      ["nothing but settings", [level, level], 0, "nothing_to_compact"],
      ["less than is kept", [...turn, ...turn], 100, "nothing_to_compact"],
      ["the cut would come before everything", turn, 4, "nothing_to_compact"],
      ["a compaction is the last entry", [...turn, compaction("e1")], 1, "already_compacted"],
      ["at a turn: no prefix", [...turn, ...turn], 4, "e2: user answer |  | user answer"],
      ["inside a turn: its beginning is the prefix", [...turn, ...turn], 2, "e3: user answer | user | answer"],
      [
        "never at a result: the next valid cut",
        [...turn, ...toolTurn],
        4,
        "e5: user answer | user call toolResult | answer"
      ],
      [
        "a long result at the end stays with its call",
        [...turn, message(user(two)), message(calls("read", {})), message(result(two))],
        1,
        "e3: user answer | user | call toolResult"
      ],
      ["one turn that is too long: only a prefix", toolTurn, 2, "e3:  | user call toolResult | answer"],
      [
        "settings before the cut are kept with it",
        [...turn, level, level, ...turn],
        4,
        "e2: user answer |  | user answer"
      ],
      ["settings inside a split turn too", [message(user(two)), level, message(says(two))], 2, "e1:  | user | answer"],
      [
        "bash begins a turn",
        [...turn, message(bash("1234")), message(says(two))],
        3,
        "e2: user answer |  | bashExecution answer"
      ],
      ["a note begins a turn", [...turn, note(two), message(says(two))], 3, "e2: user answer |  | custom answer"],
      [
        "a branch summary begins a turn",
        [...turn, left(two), message(says(two))],
        3,
        "e2: user answer |  | branchSummary answer"
      ],
      [
        "what an earlier compaction kept is summarised by the next",
        [...turn, ...turn, compaction("e2"), ...turn],
        4,
        "e5: user answer |  | user answer"
      ],
      [
        "an earlier compaction that kept nothing, by its own id",
        [...turn, compaction("e2"), ...turn, ...turn],
        4,
        "e5: user answer |  | user answer"
      ],
      [
        "an earlier compaction whose first kept entry is unknown",
        [...turn, compaction("gone"), ...turn, ...turn],
        4,
        "e5: user answer |  | user answer"
      ],
      [
        "a kept part that begins inside a turn: that turn began before",
        [...turn, compaction("e1"), message(result(two)), message(says(two))],
        2,
        "e4: answer toolResult |  | answer"
      ],
      [
        "the cut may lie before the earlier compaction",
        [...turn, ...turn, compaction("e0"), message(user(two))],
        6,
        "e2: user answer |  | user answer user"
      ]
    ]
  for (const [why, entries, keep, outcome] of cases) {
    it(why, () => assert.strictEqual(outline(branch(...entries), keep), outcome))
  }

  const text = fc.string({ maxLength: 60 })
  const entry = fc.oneof(
    { weight: 3, arbitrary: text.map((said) => message(user(said))) },
    { weight: 3, arbitrary: text.map((said) => message(says(said))) },
    { weight: 3, arbitrary: text.map((said) => message(calls("read", { path: said }))) },
    { weight: 4, arbitrary: text.map((said) => message(result(said))) },
    { weight: 1, arbitrary: text.map((said) => message(bash(said))) },
    { weight: 1, arbitrary: text.map(note) },
    { weight: 1, arbitrary: text.map(left) },
    { weight: 1, arbitrary: fc.constant(level) },
    { weight: 1, arbitrary: fc.nat(40).map((at) => compaction(`e${at}`)) }
  )

  it("loses nothing, cuts at no result, and leaves the summary and what is kept", () => {
    let prepared = 0
    fc.assert(
      fc.property(fc.array(entry, { minLength: 4, maxLength: 40, size: "max" }), fc.nat(60), (entries, keep) => {
        const path = branch(...entries)
        const outcome = Preparation.prepare(path, keep)
        if (Either.isLeft(outcome)) return
        prepared++
        const { firstKeptEntryId, history, kept, prefix } = outcome.right
        const before = SessionContext.conversation(path).filter(({ role }) => role !== "compactionSummary")
        assert.deepStrictEqual([...history, ...prefix, ...kept], before)
        assert.isAbove(history.length + prefix.length, 0)
        assert.notInclude(["toolResult", undefined], kept[0]?.role)
        if (prefix.length > 0) {
          assert.notInclude(["toolResult", "assistant"], prefix[0]?.role)
          assert.strictEqual(kept[0]?.role, "assistant")
        }
        const isShort = ContextTokens.estimateAll(kept) < keep
        // Less than was asked for stays only where the cut moved on past results.
        if (isShort) assert.strictEqual([...history, ...prefix].at(-1)?.role, "toolResult")
        const after = SessionContext.conversation(branch(...entries, compaction(firstKeptEntryId, "new")))
        assert.deepStrictEqual(after.slice(1), kept)
      }),
      { numRuns: 1000 }
    )
    assert.isAbove(prepared, 300)
  })
})

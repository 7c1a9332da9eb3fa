/** The parts of the viewer that need no browser. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Diff from "../../../src/layers/export/viewer/text/Diff.ts"
import * as Entries from "../../../src/layers/export/viewer/conversation/Entries.ts"
import * as Format from "../../../src/layers/export/viewer/text/Format.ts"
import * as Items from "../../../src/layers/export/viewer/conversation/Items.ts"
import { rows, titleOf } from "../../../src/layers/export/viewer/outline/OutlineRows.ts"
import * as Timeline from "../../../src/layers/export/viewer/overview/Timeline.ts"
import * as Totals from "../../../src/layers/export/viewer/overview/Totals.ts"
import * as DiffTool from "../../../src/layers/tools/edit/Diff.ts"
import * as Document from "../../../src/layers/export/Document.ts"
import * as Sample from "../../support/sessions/SampleSessions.ts"

const decoded = (document: Document.Document) => Entries.read(JSON.parse(Document.encode(document)))
const rich = () => {
  const data = decoded(Sample.rich())
  const tree = Entries.makeTree(data.entries)
  const path = tree.path(data.leafId)
  return { data, tree, path, branch: Items.make(path) }
}
const message = (role: string, more: object = {}) => ({ type: "message", message: { role, ...more } })
const of = (...entries: ReadonlyArray<unknown>) => Entries.read({ entries }).entries

describe("entries", () => {
  it("whatever is embedded, ids are unique, parents come first and no value is lost", () => {
    const id = fc.constantFrom("a", "b", "c", "", 7, null, undefined)
    const entry = fc.oneof(
      fc.record({ id, parentId: id, type: fc.constantFrom("message", "label", 3) }),
      fc.jsonValue()
    )
    fc.assert(
      fc.property(fc.array(entry), fc.jsonValue(), (entries, leafId) => {
        const data = Entries.read({ entries, leafId })
        const seen = new Set<string>()
        for (const { id, parentId } of data.entries) {
          assert.isTrue(parentId === null || seen.has(parentId))
          assert.isFalse(seen.has(id))
          seen.add(id)
        }
        assert.strictEqual(
          seen.size,
          entries.filter((each) => typeof each === "object" && each !== null && !Array.isArray(each)).length
        )
        const { childrenOf, leafBelow, path } = Entries.makeTree(data.entries)
        for (const { id } of data.entries) assert.deepStrictEqual(childrenOf(leafBelow(id)), [])
        assert.isAtMost(path(data.leafId).length, seen.size)
      })
    )
  })

  it("files of version 1 have no ids: one entry follows the other", () => {
    const entries = of(message("user"), message("assistant"), message("user"))
    assert.deepStrictEqual(
      entries.map(({ parentId }) => parentId),
      [null, entries[0]?.id, entries[1]?.id]
    )
  })

  it("no data at all is an empty session", () => {
    for (const data of [undefined, null, 3, "x", [], {}]) {
      assert.deepStrictEqual(Entries.read(data), { header: {}, entries: [], leafId: null, systemPrompt: "", tools: [] })
    }
  })
})

describe("items", () => {
  it("one for each entry that shows, results inside their calls, labels on their targets", () => {
    const { branch, path } = rich()
    const kinds = [
      "user",
      "assistant",
      "assistant",
      "assistant",
      "user",
      "note",
      "assistant",
      "bash",
      "summary",
      "user",
      "assistant",
      "assistant",
      "note"
    ]
    assert.deepStrictEqual(
      branch.items.map(({ kind }) => kind),
      kinds
    )
    assert.deepStrictEqual([...(branch.items[1]?.results.keys() ?? [])], ["c1", "c2"])
    assert.deepStrictEqual([...branch.labels], [[branch.items[6]?.id, "checkpoint"]])
    const homes = path.filter(({ id }) => !branch.itemOf.has(id)).map(({ type }) => type)
    assert.deepStrictEqual(homes, ["label"])
  })

  it("a result without its call, or a second one for a call, stands alone", () => {
    const call = message("assistant", { content: [{ type: "toolCall", id: "c", name: "ls" }] })
    const answer = message("toolResult", { toolCallId: "c" })
    const stray = message("toolResult", { toolCallId: "x" })
    assert.deepStrictEqual(
      Items.make(of(stray, call, answer, answer)).items.map(({ kind }) => kind),
      ["result", "assistant", "result"]
    )
  })

  it("a label that is taken away is gone; unknown entries are shown as what they are", () => {
    const [first] = of(message("user"))
    const label = (text?: string) => ({ type: "label", targetId: first?.id, label: text })
    assert.deepStrictEqual([...Items.make(of(message("user"), label("x"), label())).labels], [])
    assert.deepStrictEqual(
      of({ type: "wild" }, message("martian"), message("hookMessage"), { type: "branch_summary" }).map(Items.kindOf),
      ["other", "other", "custom", "summary"]
    )
  })

  it("a search finds every text an entry holds", () => {
    const { data } = rich()
    const words = data.entries.map(Items.wordsOf).join("\n")
    for (const part of [
      "one thread short",
      "first suspect",
      "npm test -- weave",
      "expected 99 rows",
      "thread(i + 1)",
      "529 overloaded",
      "## Goal",
      "git diff",
      "claude-opus-4-5",
      "The missing thread"
    ]) {
      assert.include(words, part)
    }
  })
})

describe("differences", () => {
  const kinds = (lines: ReadonlyArray<Diff.DiffLine>) =>
    lines.map(({ after, before, kind, text }) => [kind, before ?? 0, after ?? 0, text])

  it("of diff -u, with and without its header lines", () => {
    const hunk = "@@ -2,2 +2,2 @@\n a\n-b\n+c\n"
    const expected = [
      ["hunk", 0, 0, "@@ -2,2 +2,2 @@"],
      ["same", 2, 2, "a"],
      ["removed", 3, 0, "b"],
      ["added", 0, 3, "c"]
    ]
    assert.deepStrictEqual(kinds(Diff.parse(hunk)), expected)
    assert.deepStrictEqual(kinds(Diff.parse(`--- x.ts\n+++ x.ts\n${hunk}`)), expected)
  })

  it("with a number behind each sign, as other programs of the family write them", () => {
    assert.deepStrictEqual(kinds(Diff.parse(" 11 a\n-12 b\n+12 \n    ...\n 20 z")), [
      ["same", 11, 0, "a"],
      ["removed", 12, 0, "b"],
      ["added", 0, 12, ""],
      ["hunk", 0, 0, "..."],
      ["same", 20, 0, "z"]
    ])
  })

  it("what our edit tool writes gives back both texts around the changes", () => {
    const line = fc.constantFrom("a", "b", "", "  c", "@@ d", "-e", "+f", "-- g", "++ h", "\\ i")
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join("\n")}\n`)
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after)
        const lines = Diff.parse(DiffTool.make(before, after).diff).filter(({ kind }) => kind !== "hunk")
        const [old, fresh] = [before.split("\n"), after.split("\n")]
        for (const { after: at, before: from, text } of lines) {
          if (from !== undefined) assert.strictEqual(old[from - 1], text)
          if (at !== undefined) assert.strictEqual(fresh[at - 1], text)
        }
        assert.strictEqual(Diff.changes(lines).added - Diff.changes(lines).removed, fresh.length - old.length)
      })
    )
  })

  it("an edit that stored none shows what it replaced", () => {
    assert.deepStrictEqual(kinds(Diff.replacement("a\nb", "c")), [
      ["removed", 0, 0, "a"],
      ["removed", 0, 0, "b"],
      ["added", 0, 0, "c"]
    ])
  })
})

describe("sums", () => {
  it("of a branch and of everything; calls for summaries and of subagents count", () => {
    const { data, path } = rich()
    const [branch, all] = [Totals.sum(Totals.turns(path)), Totals.sum(Totals.turns(data.entries))]
    assert.deepStrictEqual([branch.total, all.total], [37_290, 46_280])
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } }
    const extra = of(
      { type: "usage", usage, model: "m" },
      message("toolResult", { details: { usage } }),
      message("user")
    )
    assert.deepStrictEqual(Totals.sum(Totals.turns(extra)), {
      tokens: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8 },
      total: 20,
      cost: 1
    })
    assert.deepStrictEqual(Totals.count(path), { prompts: 3, answers: 6, toolCalls: 3, failedCalls: 1 })
  })

  it("groups keep everything in order and are at most as many as asked for", () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 20 }), (all, most) => {
        const groups = Totals.group(all, most)
        assert.deepStrictEqual(groups.flat(), all)
        assert.isAtMost(groups.length, most)
      })
    )
  })
})

describe("the timeline", () => {
  it("stays inside its width, in order, and cuts long pauses short", () => {
    const gaps = fc.array(fc.integer({ min: -1000, max: 3 * 3_600_000 }), { minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(gaps, (all) => {
        let time = 1_700_000_000_000
        const entries = of(
          ...all.map((gap) => ({ ...message("user"), timestamp: new Date((time += gap)).toISOString() }))
        )
        const { breaks, spots } = Timeline.layout(entries, 720)
        const places = spots.map(({ x }) => x)
        assert.deepStrictEqual(
          places,
          places.toSorted((one, other) => one - other)
        )
        for (const x of places) assert.isTrue(x >= 0 && x <= 720)
        assert.strictEqual(breaks.length, all.slice(1).filter((gap) => gap > 600_000).length)
      })
    )
  })

  it("a failure is seen before a prompt, a prompt before an answer", () => {
    const at = { timestamp: "2026-01-01T00:00:00.000Z" }
    const same = [message("assistant"), message("user"), message("toolResult", { isError: true })]
    const { spots } = Timeline.layout(of(...same.map((each) => ({ ...each, ...at }))), 720)
    assert.deepStrictEqual(
      spots.map(({ kind }) => kind),
      ["bad"]
    )
  })
})

describe("the outline", () => {
  it("indents where branches part and nowhere else", () => {
    const { tree } = rich()
    const all = rows(tree).map(({ depth, entry, isFork }) => [depth, isFork, titleOf(entry)])
    assert.deepStrictEqual(
      all.filter(([, isFork]) => isFork === true),
      [
        [1, true, "Actually, make thread() count from 0 instead."],
        [1, true, "Good. Now add a clamp so that nobody passes a wrong index again."]
      ]
    )
    assert.deepStrictEqual(all[0], [
      0,
      false,
      "The cloth comes out one thread short. Can you find out why? It happens with every pattern."
    ])
    assert.deepStrictEqual(all.at(-1), [1, false, "Name: The missing thread"])
    assert.isFalse(rows(tree).some(({ entry }) => entry.type === "label"))
  })

  it("a conversation may be as deep as it is long", () => {
    const entries = of(...Array.from({ length: 50_000 }, () => message("user", { content: "x" })))
    assert.strictEqual(rows(Entries.makeTree(entries)).length, 50_000)
  })
})

describe("words for people", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    [Format.money(0), "$0"],
    [Format.money(12.345), "$12.35"],
    [Format.money(0.0707), "$0.071"],
    [Format.money(0.00001234), "$0.000012"],
    [Format.compact(999), "999"],
    [Format.compact(12_345), "12.3K"],
    [Format.duration(59_400), "59 s"],
    [Format.duration(61_000), "1 min 1 s"],
    [Format.duration(3 * 3_600_000), "3 h 0 min"],
    [Format.duration(72 * 3_600_000), "3 days"],
    [Format.bytes(1), "1 character"],
    [Format.bytes(5_242_880), "5.0 MB"],
    [Format.excerpt("  a\n b  ", 10), "a b"],
    [Format.excerpt("abcdefgh", 5), "abcd…"],
    [Format.gist("## Goal\n- `x` and **y**", 40), "Goal x and y"],
    [Format.time(0), ""]
  ]
  for (const [made, expected] of table) it(expected || "nothing", () => assert.strictEqual(made, expected))
})

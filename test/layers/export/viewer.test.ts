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
import * as Json from "../../../src/layers/export/viewer/text/Json.ts"
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
    [Format.money(1), "$1.00"],
    [Format.money(0.5), "$0.50"],
    [Format.compact(999), "999"],
    [Format.compact(1000), "1K"],
    [Format.whole(1_234_567), "1,234,567"],
    [Format.plural(1, "branch", "branches"), "1 branch"],
    [Format.plural(2, "branch", "branches"), "2 branches"],
    [Format.plural(0, "line"), "0 lines"],
    [Format.lines("a\nb\n\n"), "2 lines"],
    [Format.lines("a"), "1 line"],
    [Format.compact(12_345), "12.3K"],
    [Format.duration(59_400), "59 s"],
    [Format.duration(59_600), "1 min 0 s"],
    [Format.duration(61_000), "1 min 1 s"],
    [Format.duration(47 * 3_600_000 + 59 * 60_000), "47 h 59 min"],
    [Format.duration(48 * 3_600_000), "2 days"],
    [Format.duration(3 * 3_600_000), "3 h 0 min"],
    [Format.duration(72 * 3_600_000), "3 days"],
    [Format.bytes(1), "1 character"],
    [Format.bytes(1023), "1,023 characters"],
    [Format.bytes(1024), "1 KB"],
    [Format.bytes(1024 * 1024), "1.0 MB"],
    [Format.bytes(5_242_880), "5.0 MB"],
    [Format.excerpt("  a\n b  ", 10), "a b"],
    [Format.excerpt("abcdefgh", 5), "abcd…"],
    [Format.excerpt("abcde", 5), "abcde"],
    [Format.excerpt("abc defgh", 5), "abc…"],
    [Format.gist("## Goal\n- `x` and **y**", 40), "Goal x and y"],
    [Format.gist("> quoted\n* item", 40), "quoted item"],
    [Format.time(0), ""],
    [Format.date(-1), ""]
  ]
  for (const [made, expected] of table) it(expected || "nothing", () => assert.strictEqual(made, expected))
})

describe("input of any form", () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64")

  it("the embedded session is decoded as UTF-8", () => {
    const value = { text: "häß 漢字 🙂 \u2028 </script>", list: [1, null] }
    assert.deepStrictEqual(Json.decode(encoded(value)), value)
  })

  it.each([
    ["nothing", ""],
    ["no base64", "*** not base64 ***"],
    ["no JSON", Buffer.from("{").toString("base64")],
    ["a page that was cut", encoded({ a: "long enough to cut" }).slice(0, 12)]
  ])("%s is no session", (_, damaged) => assert.isUndefined(Json.decode(damaged)))

  it("values of another type than expected read as empty", () => {
    const all = [undefined, null, "x", 7, Number.NaN, [1], { a: 1 }]
    assert.deepStrictEqual(all.map(Json.isRecord), [false, false, false, false, false, false, true])
    assert.deepStrictEqual(all.map(Json.record), [{}, {}, {}, {}, {}, {}, { a: 1 }])
    assert.deepStrictEqual(all.map(Json.list), [[], [], [], [], [], [1], []])
    assert.deepStrictEqual(all.map(Json.text), ["", "", "x", "", "", "", ""])
    assert.deepStrictEqual(all.map(Json.number), [0, 0, 0, 7, 0, 0, 0])
    assert.deepStrictEqual(Json.records([1, { a: 1 }, null, [{}]]), [{ a: 1 }])
  })

  it("a text is shown as it is, everything else as JSON", () => {
    assert.deepStrictEqual(["a\nb", { a: [1] }, undefined, 7].map(Json.show), [
      "a\nb",
      '{\n  "a": [\n    1\n  ]\n}',
      "",
      "7"
    ])
  })

  it("attempt answers otherwise only if the first throws", () => {
    const thrower = (): string => {
      throw new Error("library")
    }
    assert.strictEqual(
      Json.attempt(
        () => "fine",
        () => "otherwise"
      ),
      "fine"
    )
    assert.strictEqual(
      Json.attempt(thrower, () => "otherwise"),
      "otherwise"
    )
  })
})

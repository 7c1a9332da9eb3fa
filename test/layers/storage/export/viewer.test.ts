/** The parts of the viewer that need no browser. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Entries from "../../../../src/layers/storage/export/viewer/conversation/Entries.ts"
import * as Items from "../../../../src/layers/storage/export/viewer/conversation/Items.ts"
import { rows, titleOf } from "../../../../src/layers/storage/export/viewer/outline/OutlineRows.ts"
import * as Timeline from "../../../../src/layers/storage/export/viewer/overview/Timeline.ts"
import * as Totals from "../../../../src/layers/storage/export/viewer/overview/Totals.ts"
import * as Occurrences from "../../../../src/layers/storage/export/viewer/text/Occurrences.ts"
import * as Document from "../../../../src/layers/storage/export/Document.ts"
import { project } from "../../../support/sessions/ProjectSession.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"

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

  it("the leaf is the one that is named, else the last entry; a session may stand before its first entry", () => {
    const entries = [{ id: "a" }, { id: "b", parentId: "a" }, { id: "c", parentId: "a" }]
    const leaf = (leafId: unknown) => Entries.read({ entries, leafId }).leafId
    assert.deepStrictEqual([leaf("b"), leaf("x"), leaf(undefined), leaf(7), leaf(null)], ["b", "c", "c", "c", null])
  })

  it("the time is that of the entry, else of its message, else unknown", () => {
    const times = of(
      { ...message("user", { timestamp: 7 }), timestamp: "1970-01-01T00:00:01.000Z" },
      { ...message("user", { timestamp: 7 }), timestamp: "yesterday" },
      message("user")
    ).map(({ time }) => time)
    assert.deepStrictEqual(times, [1000, 7, 0])
  })

  it("tools are read as far as they have the right form", () => {
    const tools = [{ name: "ls", description: "lists", more: 1 }, "x", { name: 3 }]
    assert.deepStrictEqual(Entries.read({ tools, systemPrompt: 4 }).tools, [
      { name: "ls", description: "lists" },
      { name: "", description: "" }
    ])
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
})

describe("the branches of a tree", () => {
  it("every entry off a branch is in one stretch, which ends where the newest branch through it ends", () => {
    const parents = fc.array(fc.nat({ max: 20 }), { maxLength: 20 })
    fc.assert(
      fc.property(parents, fc.nat({ max: 20 }), (all, chosen) => {
        const { entries } = Entries.read({
          entries: all.map((parent, at) => ({ id: `${at}`, parentId: parent < at ? `${parent}` : null }))
        })
        const tree = Entries.makeTree(entries)
        const branch = new Set(tree.path(`${chosen}`).map(({ id }) => id))
        const stretches = tree.stretchesOff(branch)
        assert.deepStrictEqual(
          stretches
            .flat()
            .map(({ id }) => Number(id))
            .toSorted((one, other) => one - other),
          entries.filter(({ id }) => !branch.has(id)).map(({ id }) => Number(id))
        )
        for (const stretch of stretches)
          for (const { id } of stretch) assert.strictEqual(tree.leafBelow(id), stretch.at(-1)?.id)
      })
    )
  })
})

describe("occurrences", () => {
  it("are counted without overlaps, whatever the case, and each has a position", () => {
    const text = Occurrences.folded("Thread, THREAD and threads")
    assert.strictEqual(Occurrences.count(text, "thread"), 3)
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((index) => Occurrences.positionOf(text, "thread", index)),
      [0, 8, 19, text.length]
    )
    assert.strictEqual(Occurrences.count("aaaa", "aa"), 2)
    assert.strictEqual(Occurrences.count("", "a"), 0)
  })

  it("folding keeps positions, and is the same for a text and for its pieces", () => {
    assert.deepStrictEqual(["İstanbul ΣΑΣ", "ὈΔΥΣΣΕΎΣ"].map(Occurrences.folded), ["İstanbul σασ", "ὀδυσσεύσ"])
    const letter = fc.constantFrom("a", "B", "İ", "ß", "Σ", "ς", "Ǆ", "𐐀", " ")
    fc.assert(
      fc.property(fc.array(letter), fc.array(letter), (one, other) => {
        const [left, right] = [one.join(""), other.join("")]
        assert.strictEqual(Occurrences.folded(left).length, left.length)
        assert.strictEqual(Occurrences.folded(left + right), Occurrences.folded(left) + Occurrences.folded(right))
      })
    )
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

  it.each([
    ["user", {}, "user"],
    ["bash", {}, "user"],
    ["assistant", {}, "model"],
    ["assistant", { stopReason: "error" }, "bad"],
    ["assistant", { stopReason: "aborted" }, "model"],
    ["result", {}, "tool"],
    ["result", { isError: true }, "bad"],
    ["summary", {}, "other"],
    ["note", {}, "other"]
  ] as const)("%s %j is drawn as %s", (kind, more, spot) => assert.strictEqual(Timeline.spotKind(kind, more), spot))

  it("entries at one time share a spot, which counts them", () => {
    const at = (seconds: number) => ({ timestamp: new Date(1_700_000_000_000 + seconds * 1000).toISOString() })
    const entries = [0, 0, 0, 100].map((seconds) => ({ ...message("user"), ...at(seconds) }))
    const { breaks, spots } = Timeline.layout(of(...entries), 720)
    assert.deepStrictEqual(
      spots.map(({ count, x }) => [x, count]),
      [
        [0, 3],
        [716, 1]
      ]
    )
    assert.deepStrictEqual(breaks, [])
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

  const titles: ReadonlyArray<readonly [string, object]> = [
    ["What is here?", message("user", { content: "# What is here?" })],
    ["Image", message("user", { content: [{ type: "image" }] })],
    [
      "Yes.",
      message("assistant", {
        content: [
          { type: "text", text: "Yes." },
          { type: "toolCall", name: "ls" }
        ]
      })
    ],
    ["ls, read", message("assistant", { content: ["ls", "read"].map((name) => ({ type: "toolCall", name })) })],
    ["overloaded", message("assistant", { content: [], errorMessage: "overloaded" })],
    ["Empty answer", message("assistant", { content: [] })],
    ["make", message("bashExecution", { command: "make" })],
    ["Result", message("toolResult", { content: [] })],
    ["Summary: so far", { type: "compaction", summary: "so far" }],
    ["Summary", { type: "compaction", summary: "" }],
    ["Model: claude", { type: "model_change", modelId: "claude" }],
    ["Model: a/b", { type: "model_change", model: "a/b" }],
    ["Thinking: high", { type: "thinking_level_change", thinkingLevel: "high" }],
    ["Name: weaving", { type: "session_info", name: "weaving" }],
    ["Note", { type: "custom_message", customType: "x", content: " " }],
    ["Entry", { type: "weather" }]
  ]
  it.each(titles)("a row is called %s", (title, entry) => assert.deepStrictEqual(of(entry).map(titleOf), [title]))

  it("names each call by its tool and its argument, and marks what failed", () => {
    const { entries } = decoded(project())
    const named = rows(Entries.makeTree(entries)).map(({ title, trouble }) => [title.slice(0, 60), trouble])
    assert.deepStrictEqual(named, [
      ["Plan the internationalisation of the administration interfac", ""],
      ["grep Intl\\. in packages/administration/src", ""],
      ["bash npm test -- administration 2>&1 | tail -20", "failed"],
      ["Module Responsibility Configuration Implementation Dependenc", ""],
      ["Do it in one go instead.", ""],
      ["One change of all modules would be hard to review. Locale by", ""],
      ["Good. Give the parts to subagents, each in a worktree of its", ""],
      ["Three tasks, none of which depends on another.", ""],
      ["task worker: locale-tables, plural-rules, dates", "2 failed"],
      ["The tables are moved. The tests of the plural rules failed, ", "no result"],
      ["edit src/i18n/plural.ts", ""],
      ["All 14 locales pass now.", ""],
      ["Name: Internationalisation of the administration interface", ""]
    ])
  })

  const troubles: ReadonlyArray<readonly [string, object]> = [
    ["failed", message("toolResult", { isError: true })],
    ["failed", message("assistant", { stopReason: "error" })],
    ["failed", message("bashExecution", { command: "make", exitCode: 2 })],
    ["", message("bashExecution", { command: "make", exitCode: 0 })],
    ["no result", message("assistant", { content: [{ type: "toolCall", id: "x", name: "ls" }] })],
    ["1 failed", message("toolResult", { toolName: "task", details: { results: [{ exitCode: 0 }, { exitCode: 1 }] } })],
    ["", message("user", { isError: "no" })]
  ]
  it.each(troubles)("trouble: %s", (trouble, entry) =>
    assert.deepStrictEqual(
      rows(Entries.makeTree(of(entry))).map((row) => row.trouble),
      [trouble]
    )
  )

  it("a call that is its answer's only content has one row, also where branches part at its result", () => {
    const call = message("assistant", {
      content: [{ type: "toolCall", id: "c", name: "ls", arguments: { path: "a" } }]
    })
    const entries = of(
      { ...call, id: "1", parentId: null },
      { ...message("toolResult", { toolCallId: "c", content: "one" }), id: "2", parentId: "1" },
      { ...message("toolResult", { toolCallId: "c", content: "two", isError: true }), id: "3", parentId: "1" }
    )
    assert.deepStrictEqual(
      rows(Entries.makeTree(entries)).map(({ entry, isFork, title, trouble }) => [entry.id, isFork, title, trouble]),
      [
        ["2", true, "ls a", ""],
        ["3", true, "ls a", "failed"]
      ]
    )
  })

  it("has no rows for labels, usage and the prompt, but for the entries below them", () => {
    const entries = of(
      { type: "label", id: "l" },
      { ...message("user"), id: "u" },
      { type: "usage" },
      { type: "custom", customType: "heddle.prompt", data: { cwd: "/", text: "Environment" } },
      message("assistant")
    )
    assert.deepStrictEqual(
      Items.make(entries).items.map(({ kind }) => kind),
      ["user", "assistant"]
    )
    assert.deepStrictEqual(
      rows(Entries.makeTree(entries)).map(({ kind }) => kind),
      ["user", "assistant"]
    )
  })

  it("a conversation may be as deep as it is long", () => {
    const entries = of(...Array.from({ length: 50_000 }, () => message("user", { content: "x" })))
    assert.strictEqual(rows(Entries.makeTree(entries)).length, 50_000)
  })
})

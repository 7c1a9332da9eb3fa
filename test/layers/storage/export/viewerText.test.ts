/** The viewer's reading of text: diffs, numbers, times, and input of any form. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Diff from "../../../../src/layers/storage/export/viewer/text/Diff.ts"
import * as Format from "../../../../src/layers/storage/export/viewer/text/Format.ts"
import * as Json from "../../../../src/layers/storage/export/viewer/text/Json.ts"
import * as DiffTool from "../../../../src/layers/tools/edit/Diff.ts"

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

  it("lines without a sign stand between hunks, and each hunk counts anew", () => {
    const diff = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n@@ -9,2 +9,1 @@ name\n b\n-c"
    assert.deepStrictEqual(kinds(Diff.parse(diff)), [
      ["hunk", 0, 0, "@@ -1 +1 @@"],
      ["removed", 1, 0, "a"],
      ["hunk", 0, 0, "\\ No newline at end of file"],
      ["hunk", 0, 0, "@@ -9,2 +9,1 @@ name"],
      ["same", 9, 9, "b"],
      ["removed", 10, 0, "c"]
    ])
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
    [Format.gist("| Case | After |\n| --- | ---: |\n| first | 1 |", 40), "Case After first 1"],
    [Format.gist("a || b", 40), "a || b"],
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

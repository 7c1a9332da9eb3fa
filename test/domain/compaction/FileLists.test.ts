import { assert, describe, it } from "@effect/vitest"
import * as FileLists from "../../../src/domain/compaction/FileLists.ts"
import * as SummaryPrompts from "../../../src/domain/compaction/SummaryPrompts.ts"
import { calls, result, says } from "./support.ts"

describe("FileLists", () => {
  it("collects what was read and what was changed, sorted, with what was known before", () => {
    const lists = FileLists.collect(
      [
        calls("read", { path: "b.ts" }),
        calls("read", { path: "a.ts" }),
        calls("edit", { path: "a.ts" }),
        calls("write", { file_path: "new.ts" }),
        calls("bash", { command: "cat c.ts", path: "d.ts" }),
        calls("read", { path: 7 }),
        result("read e.ts"),
        says("read f.ts")
      ],
      [{ readFiles: ["z.ts", "new.ts", 4], modifiedFiles: ["y.ts"] }, undefined, { readFiles: "no list" }]
    )
    assert.deepStrictEqual(lists, { readFiles: ["b.ts", "z.ts"], modifiedFiles: ["a.ts", "new.ts", "y.ts"] })
  })

  it("appends the lists and replaces those that are there", () => {
    const once = FileLists.append("Done.", { readFiles: ["a"], modifiedFiles: ["b"] })
    assert.strictEqual(once, "Done.\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\n</modified-files>")
    const twice = FileLists.append(once, { readFiles: [], modifiedFiles: ["c"] })
    assert.strictEqual(twice, "Done.\n\n<modified-files>\nc\n</modified-files>")
    assert.strictEqual(FileLists.append(twice, { readFiles: [], modifiedFiles: [] }), "Done.")
  })

  it("names at most twenty of a kind", () => {
    const many = Array.from({ length: 23 }, (_, n) => `f${n}`)
    const lines = FileLists.append("", { readFiles: many, modifiedFiles: many.slice(0, 20) }).split("\n")
    assert.include(lines, "… (3 more files omitted)")
    assert.strictEqual(lines.filter((line) => line.startsWith("f")).length, 40)
    assert.strictEqual(lines.filter((line) => line.startsWith("…")).length, 1)
  })
})

describe("SummaryPrompts.merge", () => {
  it("puts the split turn behind the history", () => {
    const split = "\n\n---\n\n**Turn Context (split turn):**\n\nprefix"
    assert.strictEqual(SummaryPrompts.merge("history", undefined), "history")
    assert.strictEqual(SummaryPrompts.merge("history", "prefix"), `history${split}`)
    assert.strictEqual(SummaryPrompts.merge(undefined, "prefix"), `No prior history.${split}`)
  })
})

/** Copies of a path for a branched session, and the tree that hosts draw. */
import { describe, expect, it } from "@effect/vitest"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionForest from "../../../src/domain/session/SessionForest.ts"
import { copyPath } from "../../../src/domain/session/SessionTree.ts"
import { answers, label, line, placed, says, time } from "../../support/sessions/Entries.ts"

const ids = (entries: ReadonlyArray<SessionEntry>) => entries.map(({ id, parentId }) => `${id}<${parentId ?? ""}`)

describe("copyPath", () => {
  const path = line(says("a"), answers("b"))
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<SessionEntry>, ReadonlyArray<string>]> = [
    ["without labels", path, ["e0<", "e1<e0"]],
    ["a label from elsewhere comes last", [...path, placed("l", "x", label("e0", "A"))], ["e0<", "e1<e0", "l<e1"]],
    [
      "only the newest of an entry",
      [...path, placed("l", "x", label("e0", "A")), placed("k", "x", label("e0", "B"))],
      ["e0<", "e1<e0", "k<e1"]
    ],
    [
      "one that was taken away does not",
      [...path, placed("l", "x", label("e0", "A")), placed("k", "x", label("e0"))],
      ["e0<", "e1<e0"]
    ],
    ["one of an entry that is not copied does not", [...path, placed("l", "e1", label("z", "Z"))], ["e0<", "e1<e0"]],
    [
      "several hang together",
      [...path, placed("l", "x", label("e0", "A")), placed("k", "x", label("e1", "B"))],
      ["e0<", "e1<e0", "l<e1", "k<l"]
    ]
  ]
  it.each(cases)("%s", (_, entries, copied) => expect(ids(copyPath(path, entries))).toEqual(copied))

  it("a label on the path stays where it is", () => {
    const labelled = [placed("a", null, says("1")), placed("l", "a", label("a", "A")), placed("b", "l", says("2"))]
    expect(ids(copyPath(labelled, labelled))).toEqual(["a<", "l<a", "b<l"])
  })
})

describe("SessionForest", () => {
  type Drawn = { readonly [name: string]: Drawn }
  const draw = (nodes: ReadonlyArray<SessionForest.TreeNode<string>>): Drawn =>
    Object.fromEntries(nodes.map(({ children, entry, label }) => [label ? `${entry}=${label}` : entry, draw(children)]))
  const forest = (...rows: ReadonlyArray<readonly [string, string | null]>) =>
    SessionForest.make(
      rows.map(([id, parent]) => placed(id, parent, says(id))),
      ({ id }) => id
    )

  it.each([
    ["nothing", [], {}, 0],
    [
      "a line",
      [
        ["a", null],
        ["b", "a"],
        ["c", "b"]
      ],
      { a: { b: { c: {} } } },
      3
    ],
    [
      "branches",
      [
        ["a", null],
        ["b", "a"],
        ["c", "a"],
        ["d", "b"]
      ],
      { a: { b: { d: {} }, c: {} } },
      3
    ],
    [
      "several roots",
      [
        ["a", null],
        ["b", null]
      ],
      { a: {}, b: {} },
      1
    ],
    [
      "an orphan",
      [
        ["a", null],
        ["b", "gone"],
        ["c", "b"]
      ],
      { a: {}, b: { c: {} } },
      2
    ],
    [
      "a circle",
      [
        ["a", "b"],
        ["b", "a"]
      ],
      { a: { b: {} } },
      2
    ]
  ] as const)("%s", (_, rows, drawn, depth) => {
    const { depth: levels, roots } = forest(...rows)
    expect([draw(roots), levels]).toEqual([drawn, depth])
  })

  it("names entries with their newest label", () => {
    const entries = [
      placed("a", null, says("a")),
      placed("b", "a", label("a", "old")),
      placed("c", "b", label("a", "new")),
      placed("d", "c", label("b", "gone")),
      placed("e", "d", label("b"))
    ]
    const { roots } = SessionForest.make(entries, ({ id }) => id)
    expect(draw(roots)).toEqual({ "a=new": { b: { c: { d: { e: {} } } } } })
    expect(roots[0]?.labelTimestamp).toBe(time)
  })

  it("grows with a hundred thousand entries in a line", () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => [`${at}`, at === 0 ? null : `${at - 1}`] as const)
    expect(forest(...rows).depth).toBe(100_000)
  })
})

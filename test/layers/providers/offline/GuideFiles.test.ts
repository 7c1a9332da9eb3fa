import { assert, it } from "@effect/vitest"
import * as GuideFiles from "../../../../src/layers/providers/offline/GuideFiles.ts"
import * as GuideListing from "../../../../src/layers/providers/offline/GuideListing.ts"

const lines = (...all: ReadonlyArray<string>) => ({ lines: all, totalLines: all.length })

it("the notice of the tool tells how long the file is", () => {
  assert.deepStrictEqual(GuideFiles.excerpt("a\nb\n"), { lines: ["a", "b"], totalLines: 2 })
  assert.deepStrictEqual(GuideFiles.excerpt("a\n\n[Showing lines 1-1 of 90. Use offset=2 to continue.]"), {
    lines: ["a"],
    totalLines: 90
  })
  assert.deepStrictEqual(GuideFiles.excerpt("a\nb\n\n[40 more lines in file. Use offset=3 to continue.]"), {
    lines: ["a", "b"],
    totalLines: 42
  })
  assert.deepStrictEqual(GuideFiles.excerpt(""), { lines: [], totalLines: 0 })
  assert.deepStrictEqual(GuideFiles.excerpt("(empty file)"), { lines: [], totalLines: 0 })
})

it("title and first paragraph leave out badges, markup and code", () => {
  const badge = "[![build](x.svg)](x)"
  assert.deepStrictEqual(
    GuideFiles.prose(["<p>", "# The *title* #", "", badge, "```", "code", "```", "First", "part.", "", "Second."]),
    { title: "The *title*", paragraph: "First part." }
  )
  assert.deepStrictEqual(GuideFiles.prose(["Title", "=====", "Text"]), { title: "Title", paragraph: "Text" })
  assert.deepStrictEqual(GuideFiles.prose(["Only text"]), { paragraph: "Only text" })
  assert.deepStrictEqual(GuideFiles.prose([]), {})
})

it("manifests tell what kind of project it is", () => {
  assert.deepStrictEqual(
    GuideFiles.manifest(
      "package.json",
      lines('{ "name": "x", "description": "does x",', '"scripts": { "test": "t", "b')
    ),
    { kind: "a JavaScript or TypeScript project", name: "x", description: "does x", scripts: ["test"] }
  )
  assert.deepStrictEqual(
    GuideFiles.manifest("Cargo.toml", lines("[package]", 'name = "y"', 'description = "does y"')),
    {
      kind: "a Rust project",
      name: "y",
      description: "does y",
      scripts: []
    }
  )
  assert.deepStrictEqual(GuideFiles.manifest("pyproject.toml", lines("[project]", "name = 'z'")), {
    kind: "a Python project",
    name: "z",
    scripts: []
  })
  assert.deepStrictEqual(GuideFiles.manifest("go.mod", lines("module example.com/m")), {
    kind: "a Go module",
    name: "example.com/m",
    scripts: []
  })
  assert.deepStrictEqual(GuideFiles.manifest("package.json", lines("not json")), {
    kind: "a JavaScript or TypeScript project",
    scripts: []
  })
  assert.isUndefined(GuideFiles.manifest("other.json", lines("{}")))
})

it("a listing is told apart from its notice", () => {
  assert.deepStrictEqual(
    GuideListing.parse("a/\n[id]/\nb.txt\n\n[500 entries limit reached. Use limit=1000 for more.]"),
    {
      folders: ["a", "[id]"],
      files: ["b.txt"],
      isPartial: true
    }
  )
  assert.deepStrictEqual(GuideListing.parse("(empty directory)"), { folders: [], files: [], isPartial: false })
})

it("what is worth reading: readme, manifest, main file; else any text, but nothing generated", () => {
  const pick = (output: string) => GuideListing.worthReading(GuideListing.parse(output))
  assert.deepStrictEqual(pick("src/\nindex.ts\nMakefile\npackage.json\nREADME.md\nx.ts"), [
    "README.md",
    "package.json",
    "index.ts"
  ])
  assert.deepStrictEqual(pick(".env.json\na.ts\nb.png\nc.rs\npackage-lock.json\nyarn.lock\nz.d.ts"), ["a.ts", "c.rs"])
  assert.deepStrictEqual(pick("src/\nlogo.png"), [])
})

import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ResourcePath } from "../../../../src/layers/workspace/skills/ResourcePaths.ts"
import * as SkillFiles from "../../../../src/layers/workspace/skills/SkillFiles.ts"
import { fifo, makePlace, search, skill, without } from "../support.ts"

const origin = { source: "auto", scope: "project", origin: "top-level" } as const

/** Skills in `work/skills`, inside of `work`. */
const find = Effect.fnUntraced(function* (root: string, ...more: ReadonlyArray<Partial<ResourcePath>>) {
  const { finding, notes } = yield* search(join(root, "work"))
  const own: ResourcePath = {
    path: join(root, "work/skills"),
    origin,
    within: join(root, "work"),
    hasLooseFiles: true,
    isNamed: false
  }
  const places = more.length === 0 ? [own] : more.map((place) => ({ ...own, ...place }))
  const found = yield* SkillFiles.find(finding, places)
  return { found, names: found.map(({ name }) => name), notes: notes.all().map((note) => without(root, note)) }
})

describe("which files are skills", () => {
  it.scoped("folders with SKILL.md at any depth, and single files with a description at the top", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/skills/pdf/SKILL.md": skill("pdf"),
        "work/skills/pdf/references/SKILL.md": skill("part-of-pdf"),
        "work/skills/group/deep/er/SKILL.md": skill("deep"),
        "work/skills/loose.md": skill("loose"),
        "work/skills/README.md": "# How to write skills",
        "work/skills/group/notes.md": skill("not-at-the-top"),
        "work/skills/.hidden/SKILL.md": skill("hidden"),
        "work/skills/node_modules/x/SKILL.md": skill("dependency")
      })
      assert.deepStrictEqual(yield* Effect.map(find(root), ({ names, notes }) => ({ names, notes })), {
        names: ["loose", "deep", "pdf"],
        notes: []
      })
      assert.deepStrictEqual((yield* find(root, { hasLooseFiles: false })).names, ["deep", "pdf"])
      assert.deepStrictEqual((yield* find(root, { path: join(root, "work/skills/loose.md") })).names, ["loose"])
      assert.deepStrictEqual((yield* find(root, { path: join(root, "work/skills/pdf") })).names, ["pdf"])
    })
  )

  it.scoped("what front matter says", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/skills/a/SKILL.md": skill(
          "a",
          "One\n  two",
          'argument-hint: "[file]"\ndisable-model-invocation: true\nmodel: x\n'
        ),
        "work/skills/named-by-folder/SKILL.md": "---\ndescription: D\n---\nBody"
      })
      const { found } = yield* find(root)
      const at = (name: string) => join(root, "work/skills", name)
      assert.deepStrictEqual(found, [
        {
          name: "a",
          description: "One two",
          path: at("a/SKILL.md"),
          baseDir: at("a"),
          argumentHint: "[file]",
          isForModels: false,
          sourceInfo: { path: at("a/SKILL.md"), ...origin },
          within: join(root, "work")
        },
        {
          name: "named-by-folder",
          description: "D",
          path: at("named-by-folder/SKILL.md"),
          baseDir: at("named-by-folder"),
          isForModels: true,
          sourceInfo: { path: at("named-by-folder/SKILL.md"), ...origin },
          within: join(root, "work")
        }
      ])
    })
  )

  it.scoped("of equal names the first counts, with a warning; one file that is found twice is no clash", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/skills/one/SKILL.md": skill("same"),
        "work/skills/two/SKILL.md": skill("same"),
        "agent/skills/mine/SKILL.md": skill("same"),
        "agent/skills/other/SKILL.md": skill("other")
      })
      symlinkSync(join(root, "work/skills/one"), join(root, "agent/skills/linked"))
      const { found, notes } = yield* find(root, {}, { path: join(root, "agent/skills"), within: root }, {})
      assert.deepStrictEqual(
        found.map(({ name, path }) => [name, without(root, path)]),
        [
          ["same", "work/skills/one/SKILL.md"],
          ["other", "agent/skills/other/SKILL.md"]
        ]
      )
      assert.deepStrictEqual(notes, [
        'skills/two/SKILL.md was left out: work/skills/one/SKILL.md has the name "same", too',
        'agent/skills/mine/SKILL.md was left out: work/skills/one/SKILL.md has the name "same", too'
      ])
    })
  )
})

describe("hostile skills", () => {
  it.scoped("errors in front matter, names that cannot be typed, long descriptions", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/skills/a/SKILL.md": "No front matter",
        "work/skills/b/SKILL.md": "---\nname: b\ndescription: [oops\n---\n",
        "work/skills/c/SKILL.md": "---\nname: c\ndescription: Use it: always\n---\n",
        "work/skills/d/SKILL.md": skill('"two words"'),
        "work/skills/e/SKILL.md": skill("x".repeat(65)),
        "work/skills/f/SKILL.md": skill("f", "y".repeat(3000)),
        "work/skills/g/SKILL.md": skill("../../etc")
      })
      const { found, notes } = yield* find(root)
      assert.deepStrictEqual(
        found.map(({ description, name }) => [name, description.length]),
        [
          ["c", 14],
          ["f", 1024]
        ]
      )
      const yaml = /\(.*?\)/
      const name = 'has a name that cannot be typed: use lower case letters, digits and "-", at most 64'
      assert.deepStrictEqual(
        notes.map((note) => note.replace(yaml, "(why)")),
        [
          "skills/a/SKILL.md has no description, so the skill was left out",
          "skills/b/SKILL.md has no description: front matter is not YAML (why), so the skill was left out",
          "skills/c/SKILL.md was read line by line: its front matter is not YAML (why)",
          `skills/d/SKILL.md ${name}`,
          `skills/e/SKILL.md ${name}`,
          `skills/g/SKILL.md ${name}`
        ]
      )
    })
  )

  it.scoped("links out of the project, links in a circle, FIFOs, folders that cannot be read", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "outside/x/SKILL.md": skill("outside"),
        "work/skills/ok/SKILL.md": skill("ok"),
        "work/skills/file/": "",
        "work/skills/fifo/": "",
        "work/skills/closed/": "",
        "work/elsewhere/SKILL.md": skill("inside")
      })
      symlinkSync(join(root, "outside"), join(root, "work/skills/away"))
      symlinkSync(join(root, "outside/x/SKILL.md"), join(root, "work/skills/file/SKILL.md"))
      symlinkSync(join(root, "work/elsewhere"), join(root, "work/skills/linked"))
      symlinkSync(join(root, "work/skills"), join(root, "work/skills/circle"))
      fifo(join(root, "work/skills/fifo/SKILL.md"))
      chmodSync(join(root, "work/skills/closed"), 0)
      yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(join(root, "work/skills/closed"), 0o700)))
      const { names, notes } = yield* find(root)
      assert.deepStrictEqual(names, ["inside", "ok"])
      assert.deepStrictEqual(notes, [
        "skills/away is a link that leads out of the project, so it was left out",
        "skills/fifo/SKILL.md is a FIFO, not a file, so the skill was left out",
        "skills/file/SKILL.md is a link that leads out of the folder, so the skill was left out"
      ])
      // In the user's own folder links are followed wherever they lead.
      assert.include((yield* find(root, { path: join(root, "work/skills/away"), within: root })).names, "outside")
    })
  )

  it.scoped(
    "10,000 skills: the first thousand, and one note",
    () =>
      Effect.gen(function* () {
        const root = yield* makePlace({ "work/skills/": "" })
        for (let at = 0; at < 10_000; at++) {
          const name = `s${String(at).padStart(5, "0")}`
          writeFileSync(join(root, "work/skills", `${name}.md`), skill(name))
        }
        const { names, notes } = yield* find(root)
        assert.deepStrictEqual([names.length, names.at(0), names.at(-1)], [1000, "s00000", "s00999"])
        assert.deepStrictEqual(notes, [
          "skills/s01000.md was left out, and all skills after it: there are more than 1000"
        ])
      }),
    60_000
  )

  it.scoped("a path that was named and does not exist is told; others are not", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({})
      assert.deepStrictEqual((yield* find(root)).notes, [])
      assert.deepStrictEqual((yield* find(root, { isNamed: true })).notes, [
        "skills does not exist, so there are no skills in it"
      ])
    })
  )
})

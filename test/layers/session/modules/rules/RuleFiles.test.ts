import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RuleFiles from "../../../../../src/layers/session/modules/rules/RuleFiles.ts"
import { fixed, Trust } from "../../../../../src/services/Trust.ts"

/** A folder with these files; `work` is the project and `agent` the agent folder. */
const place = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-rules-"))),
      (root) => Effect.sync(() => rmSync(root, { recursive: true }))
    ),
    (root) => {
      mkdirSync(join(root, "work"))
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true })
        writeFileSync(join(root, name), content)
      }
      return root
    }
  )

const load = (root: string) => RuleFiles.read({ cwd: join(root, "work"), agentDir: join(root, "agent") })

/** Names with the content, paths and problems relative to the root. */
const names = Effect.fnUntraced(function* (root: string) {
  const { guidance, problems, stream } = yield* load(root)
  return {
    stream: stream.map(({ info }) => [info.name, info.content]),
    guidance: guidance.map(({ content, name }) => [name, content]),
    problems: problems.map(({ message, path }) => `${path.slice(root.length)}: ${message}`)
  }
})

const when = (body: string) => `---\ncondition: x\n---\n${body}`

describe("files of rules", () => {
  it.scoped("five conventions, the first of equal names wins", () =>
    Effect.gen(function* () {
      const root = yield* place({
        "work/.heddle/rules/a.md": when("project"),
        "work/.heddle/rules/notes.txt": "no",
        "work/.heddle/rules/deep/z.md": "no",
        "agent/rules/a.mdc": when("user"),
        "agent/rules/b.md": when("user"),
        "work/.cursor/rules/b.mdc": when("cursor"),
        "work/.cursor/rules/c.mdc": "---\ndescription: D\nglobs: *.ts\nalwaysApply: true\n---\ncursor",
        "work/.windsurf/rules/d.md": when("windsurf"),
        "work/.clinerules/e.md": "cline"
      })
      assert.deepStrictEqual(yield* names(root), {
        stream: [
          ["a", "project"],
          ["b", "user"],
          ["d", "windsurf"]
        ],
        guidance: [
          ["c", "cursor"],
          ["e", "cline"]
        ],
        problems: []
      })
      const { guidance } = yield* load(root)
      assert.deepStrictEqual(guidance[0], {
        name: "c",
        path: join(root, "work/.cursor/rules/c.mdc"),
        description: "D",
        content: "cursor",
        alwaysApply: true
      })
    })
  )

  it.scoped("nothing where there are none; a single file .clinerules", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* names(yield* place({})), { stream: [], guidance: [], problems: [] })
      const single = yield* names(yield* place({ "work/.clinerules": "one" }))
      assert.deepStrictEqual(single.guidance, [["clinerules", "one"]])
    })
  )

  it.scoped("what cannot be used is reported, and the others stay", () =>
    Effect.gen(function* () {
      const root = yield* place({
        "work/.heddle/rules/broken.md": "---\ncondition: [x\n---\nB",
        "work/.heddle/rules/empty.md": "---\ncondition: x\n---\n",
        "work/.heddle/rules/good.md": when("G"),
        "work/.heddle/rules/huge.md": "x".repeat(256 * 1024 + 1),
        "work/.heddle/rules/latin.md": new Uint8Array([0xff, 0xfe, 0x41]),
        "work/.windsurf/rules": "a file"
      })
      const { guidance, problems, stream } = yield* names(root)
      assert.deepStrictEqual(stream, [["good", "G"]])
      assert.deepStrictEqual(
        guidance.map(([name]) => name),
        ["latin", "rules"]
      )
      assert.deepStrictEqual(
        problems.map((problem) => problem.replace(/(YAML ).*/, "$1…")),
        [
          "/work/.heddle/rules/broken.md: the rule is ignored: front matter is not YAML …",
          "/work/.heddle/rules/empty.md: the rule is ignored: it has no text",
          "/work/.heddle/rules/huge.md: is larger than 256 KiB"
        ]
      )
    })
  )

  it.scoped("links out of the project count only where it is trusted", () =>
    Effect.gen(function* () {
      const root = yield* place({ "else/out.md": when("O"), "work/.heddle/rules/in.md": when("I"), "agent/x": "" })
      symlinkSync(join(root, "else/out.md"), join(root, "work/.heddle/rules/out.md"))
      symlinkSync(join(root, "work/.heddle/rules/in.md"), join(root, "work/.heddle/rules/again.md"))
      symlinkSync("/dev/zero", join(root, "work/.heddle/rules/zero.md"))
      mkdirSync(join(root, "agent/rules"))
      symlinkSync(join(root, "else/out.md"), join(root, "agent/rules/mine.md"))
      const untrusted = yield* names(root)
      assert.deepStrictEqual(untrusted.stream, [
        ["again", "I"],
        ["in", "I"],
        ["mine", "O"]
      ])
      assert.deepStrictEqual(untrusted.problems, [
        "/work/.heddle/rules/out.md: is a link that leads out of the folder",
        "/work/.heddle/rules/zero.md: is a link that leads out of the folder"
      ])
      const trusted = yield* Effect.provideService(names(root), Trust, fixed("trusted"))
      assert.deepStrictEqual(
        trusted.stream.map(([name]) => name),
        ["again", "in", "out", "mine"]
      )
      assert.deepStrictEqual(trusted.problems, ["/work/.heddle/rules/zero.md: is a character device, not a file"])
    })
  )

  it.scoped("at most 1000 rules", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(
        Array.from({ length: 1002 }, (_, at) => [`work/.heddle/rules/r${String(at).padStart(4, "0")}.md`, "g"])
      )
      const { guidance, problems } = yield* names(yield* place(many))
      assert.strictEqual(guidance.length, 1000)
      assert.deepStrictEqual(problems, [
        "/work/.heddle/rules/r1000.md: was left out: 1000 other rules were found before it"
      ])
    })
  )
})

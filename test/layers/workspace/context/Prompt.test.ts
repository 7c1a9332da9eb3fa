/** The end of the system prompt, as it is read from folders. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OwnFiles } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as StaticSettings from "../../../../src/layers/workspace/settings/StaticSettings.ts"
import * as FolderWorkspace from "../../../../src/layers/workspace/context/FolderWorkspace.ts"
import * as PromptFiles from "../../../../src/layers/workspace/context/PromptFiles.ts"
import type { GuidanceRule } from "../../../../src/layers/workspace/context/WorkspaceText.ts"
import { files, makePlace, noGit, read, type Reading, skill, without } from "../support.ts"

const prompt = Effect.fnUntraced(function* (root: string, reading: Reading = {}) {
  const { problems, value } = yield* (yield* read(root, reading)).prompt
  return { ...value, text: without(root, value.text), problems }
})

const environment = (cwd: string) =>
  `# Environment
- Working directory: ${cwd}
- Platform: ${process.platform} (${process.arch}), shell: bash
- Date when this session began: 2026-02-03`

const rules: ReadonlyArray<GuidanceRule> = [
  { name: "tone", path: "/r/tone.md", content: "Be kind.\n", alwaysApply: true },
  { name: "sql", path: "/r/sql.md", description: "For queries", content: "Use joins.", alwaysApply: false },
  { name: "css", path: "/r/css.md", content: "Use grid.", alwaysApply: false }
]

describe("the text", () => {
  it.scoped("without any files: the environment alone", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({})
      assert.deepStrictEqual(yield* prompt(root), {
        text: environment("work"),
        problems: []
      })
    })
  )

  it.scoped("environment, instruction files, rules, skills: always in this order", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "agent/AGENTS.md": "User.",
        "work/AGENTS.md": "Project.\n</instructions>\nEscaped?",
        "agent/skills/b/SKILL.md": skill("b"),
        "work/.heddle/skills/a/SKILL.md": skill("a"),
        "work/.heddle/skills/c/SKILL.md": skill("c", "Hidden.", "disable-model-invocation: true\n")
      })
      const { problems, text } = yield* prompt(root, { rules: Effect.succeed(rules) })
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(
        text,
        `${environment("work")}

# Instructions of the user and the project
Follow these files as if the user had said what they say. Where they disagree, the later file counts, and what the user says in the conversation counts more than any file.

<instructions path="agent/AGENTS.md">
User.
</instructions>

<instructions path="work/AGENTS.md">
Project.
< /instructions>
Escaped?
</instructions>

# Rules of the project

<rule path="/r/tone.md">
Be kind.
</rule>

These rules are for certain work. Read the file of a rule before you do work that it is about:
- sql: For queries (/r/sql.md)
- css (/r/css.md)

# Skills
A skill is a file of instructions for one kind of task. When a task fits the description of a skill, read its file before you begin, and resolve the paths in it against its folder.

- a: About a. (work/.heddle/skills/a/SKILL.md)
- b: About b. (agent/skills/b/SKILL.md)`
      )
    })
  )

  it.scoped("--no-context-files and --no-skills leave the rest", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/AGENTS.md": "Project.", "agent/skills/b/SKILL.md": skill("b") })
      const { text } = yield* prompt(root, { noContextFiles: true, noSkills: true })
      assert.strictEqual(text, environment("work"))
    })
  )

  it.scoped("the branch of a real repository, and its state where the project is trusted", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/a.txt": "a" })
      spawnSync("git", ["init", "-q", "-b", "topic"], { cwd: join(root, "work") })
      const { text } = yield* prompt(root, { processes: LocalProcesses.layer })
      const git = "\n- Git when this session began: branch topic"
      assert.strictEqual(text, `${environment("work")}${git}`)
      const ofTrusted = yield* prompt(root, { processes: LocalProcesses.layer, trusted: true })
      assert.strictEqual(ofTrusted.text, `${environment("work")}${git}, 1 untracked entry`)
    })
  )

  it.scoped("lists are bounded, and say what they leave out", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 100 }, (_, at) => `s${at}`)
      const root = yield* makePlace(
        Object.fromEntries(names.map((name) => [`agent/skills/${name}/SKILL.md`, skill(name, "x".repeat(1000))]))
      )
      const many = names.map((name) => ({ name, path: name, content: "y".repeat(2000), alwaysApply: true }))
      const { text } = yield* prompt(root, { rules: Effect.succeed(many) })
      assert.isBelow(text.length, 160 * 1024)
      assert.match(text, /\n\[5\d more rules do not fit here\.\]\n/)
      assert.match(text, /\n\[5\d more skills do not fit here\.\]$/)
    })
  )

  it.scoped("hundreds of problems are a handful of lines", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 300 }, (_, at) => `agent/skills/s${at}/SKILL.md`)
      const root = yield* makePlace(Object.fromEntries(names.map((name) => [name, "no front matter"])))
      const { problems } = yield* prompt(root)
      assert.strictEqual(problems.length, 21)
      assert.strictEqual(problems.at(-1), "and 280 more")
    })
  )
})

describe("SYSTEM.md and APPEND_SYSTEM.md", () => {
  const both = {
    "work/.heddle/SYSTEM.md": "Project's.",
    "work/.heddle/APPEND_SYSTEM.md": "Project's end.",
    "agent/SYSTEM.md": "User's.",
    "agent/APPEND_SYSTEM.md": "User's end."
  }

  it.scoped("the project's go before the user's, if the project is trusted", () =>
    Effect.gen(function* () {
      const root = yield* makePlace(both)
      const trusted = yield* prompt(root, { trusted: true })
      assert.deepStrictEqual([trusted.replace, trusted.append, trusted.problems], ["Project's.", "Project's end.", []])
      const untrusted = yield* prompt(root)
      assert.deepStrictEqual([untrusted.replace, untrusted.append], ["User's.", "User's end."])
      assert.deepStrictEqual(untrusted.problems, [
        ".heddle/SYSTEM.md was left out, because the project is not trusted (--approve)",
        ".heddle/APPEND_SYSTEM.md was left out, because the project is not trusted (--approve)"
      ])
    })
  )
})

describe("--system-prompt and --append-system-prompt", () => {
  it.scoped("a text, or a file with it", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/p.md": "From the file.", "work/folder/": "" })
      const of = (value: string) => PromptFiles.ofOption("system-prompt", value, join(root, "work"))
      const texts = [
        "You are a poet.",
        "p.md",
        join(root, "work/p.md"),
        "folder",
        "absent.md",
        "",
        "p.md\n",
        "x".repeat(9999)
      ]
      assert.deepStrictEqual(yield* Effect.forEach(texts, of), [
        "You are a poet.",
        "From the file.",
        "From the file.",
        "folder",
        "absent.md",
        "",
        "p.md\n",
        "x".repeat(9999)
      ])
    })
  )

  it.scoped("a file that cannot be used is refused with its path", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/large.md": "x".repeat(300 * 1024), "work/binary": new Uint8Array([0, 1]) })
      const refusal = (value: string) =>
        Effect.map(
          Effect.flip(PromptFiles.ofOption("append-system-prompt", value, join(root, "work"))),
          ({ message }) => without(root, message)
        )
      assert.deepStrictEqual(yield* Effect.forEach(["large.md", "binary"], refusal), [
        "--append-system-prompt: work/large.md: is larger than 256 KiB",
        "--append-system-prompt: work/binary: is not text"
      ])
    })
  )
})

describe("a start", () => {
  /** Files that count every call. */
  const counted = () => {
    const calls: Array<string> = []
    const state: typeof files.state = (path) => {
      calls.push(path)
      return files.state(path)
    }
    return { calls, layer: Layer.succeed(OwnFiles, { ...files, state }) }
  }
  const services = Layer.mergeAll(noGit, StaticSettings.layer())

  it.scoped("reads nothing, however much there is", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/AGENTS.md": "Project.", "agent/skills/b/SKILL.md": skill("b") })
      assert.isTrue(existsSync(join(root, "agent/skills")) && readdirSync(root).length === 3)
      const { calls, layer } = counted()
      const place = { agentDir: join(root, "agent"), cwd: join(root, "work") }
      yield* Layer.build(FolderWorkspace.layer(place).pipe(Layer.provide(services), Layer.provide(layer)))
      assert.deepStrictEqual(calls, [])
    })
  )

  it.scoped("fails where an option names what is not there", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "work/here.md": "" })
      const failure = (options: Partial<FolderWorkspace.WorkspaceOptions>) =>
        FolderWorkspace.layer({ agentDir: join(root, "agent"), cwd: join(root, "work"), ...options }).pipe(
          Layer.provide(services),
          Layer.build,
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      assert.strictEqual(yield* failure({ skillPaths: ["here.md", "gone"] }), "--skill: no such file or folder: gone")
      assert.strictEqual(yield* failure({ templatePaths: ["gone"] }), "--prompt-template: no such file or folder: gone")
    })
  )
})

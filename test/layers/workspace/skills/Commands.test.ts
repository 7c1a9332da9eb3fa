/** Skills and prompt templates as slash commands, from all the places where they are found. */
import { symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseSkillBlock } from "../../../../src/layers/pi/modules/agent/Skills.ts"
import type { SlashCommand } from "../../../../src/services/session/modules/Commands.ts"
import { fifo, makePlace, read, type Reading, skill, without } from "../support.ts"

const list = Effect.fnUntraced(function* (root: string, reading: Reading = {}) {
  const { problems, value } = yield* (yield* read(root, reading)).commands
  const shown = ({ description, name, sourceInfo: { path, source, scope } }: SlashCommand) =>
    [name, description, without(root, path), source, scope] as const
  return { all: value.map(shown), names: value.map(({ name }) => name), commands: value, problems }
})

const expand = (commands: ReadonlyArray<SlashCommand>, name: string, args = "") => {
  const action = commands.find((command) => command.name === name)?.action
  return action?._tag === "Expand" ? action.expand(args) : Effect.dieMessage(`there is no ${name}`)
}

const template = (text: string, description = "") =>
  `---\n${description === "" ? "" : `description: ${description}\n`}argument-hint: "[what]"\n---\n${text}\n`

describe("places of skills", () => {
  const everywhere = {
    "given/SKILL.md": skill("given"),
    "work/.git/HEAD": "",
    "work/sub/.heddle/skills/project/SKILL.md": skill("project"),
    "listed-project/SKILL.md": skill("listed-project"),
    "agent/skills/user/SKILL.md": skill("user"),
    "listed-user/SKILL.md": skill("listed-user"),
    "package/skills/packaged/SKILL.md": skill("packaged"),
    "added/SKILL.md": skill("added"),
    "work/sub/.agents/skills/near/SKILL.md": skill("near"),
    "work/.agents/skills/far/SKILL.md": skill("far"),
    "work/.agents/skills/loose.md": skill("loose"),
    ".agents/skills/above/SKILL.md": skill("above-the-repository"),
    "home/.agents/skills/home/SKILL.md": skill("home")
  }

  const readingOf = (root: string): Reading => ({
    cwd: join(root, "work/sub"),
    trusted: true,
    skillPaths: ["../../given"],
    user: { skills: [join(root, "listed-user")] },
    project: { skills: [join(root, "listed-project")] },
    packagePaths: Effect.succeed({
      skillPaths: [
        {
          path: join(root, "package/skills"),
          sourceInfo: { path: join(root, "package/skills"), source: "npm:x", scope: "user", origin: "package" }
        }
      ],
      promptPaths: []
    }),
    resources: { skillPaths: [join(root, "added")] }
  })

  it.scoped("in the order in which the first of equal names wins", () =>
    Effect.gen(function* () {
      const root = yield* makePlace(everywhere)
      const { all, problems } = yield* list(root, readingOf(root))
      assert.deepStrictEqual(
        all.map(([name, , path, source, scope]) => [name, path, source, scope]),
        [
          ["skill:given", "given/SKILL.md", "cli", "temporary"],
          ["skill:project", "work/sub/.heddle/skills/project/SKILL.md", "auto", "project"],
          ["skill:listed-project", "listed-project/SKILL.md", "local", "project"],
          ["skill:user", "agent/skills/user/SKILL.md", "auto", "user"],
          ["skill:listed-user", "listed-user/SKILL.md", "local", "user"],
          ["skill:packaged", "package/skills/packaged/SKILL.md", "npm:x", "user"],
          ["skill:added", "added/SKILL.md", "extension", "temporary"],
          ["skill:near", "work/sub/.agents/skills/near/SKILL.md", "auto", "project"],
          ["skill:far", "work/.agents/skills/far/SKILL.md", "auto", "project"],
          ["skill:home", "home/.agents/skills/home/SKILL.md", "auto", "user"]
        ]
      )
      assert.deepStrictEqual(problems, [])
    })
  )

  it.scoped("a project that is not trusted keeps its own skills, but its settings name none", () =>
    Effect.gen(function* () {
      const root = yield* makePlace(everywhere)
      const trusted = yield* list(root, readingOf(root))
      const untrusted = yield* list(root, { ...readingOf(root), trusted: false })
      assert.deepStrictEqual(
        trusted.names.filter((name) => !untrusted.names.includes(name)),
        ["skill:listed-project"]
      )
    })
  )

  it.scoped("--no-skills leaves those that were named", () =>
    Effect.gen(function* () {
      const root = yield* makePlace(everywhere)
      assert.deepStrictEqual((yield* list(root, { ...readingOf(root), noSkills: true })).names, ["skill:given"])
    })
  )
})

describe("places of prompt templates", () => {
  const everywhere = {
    "given.md": template("given"),
    "work/.heddle/prompts/same.md": template("of the project", "From the project"),
    "work/.heddle/prompts/deep/no.md": template("not looked at"),
    "work/.heddle/prompts/notes.txt": "no template",
    "agent/prompts/same.md": template("of the user"),
    "agent/prompts/mine.md": template("# First line\n\nmore"),
    "added/one.md": "plain text"
  }

  it.scoped("named ones, the project's, the user's, those of hooks; with description, or how they begin", () =>
    Effect.gen(function* () {
      const root = yield* makePlace(everywhere)
      const reading = { templatePaths: [join(root, "given.md")], resources: { promptPaths: [join(root, "added")] } }
      const { all, commands, problems } = yield* list(root, reading)
      assert.deepStrictEqual(all, [
        ["given", "given", "given.md", "cli", "temporary"],
        ["same", "From the project", "work/.heddle/prompts/same.md", "auto", "project"],
        ["mine", "# First line", "agent/prompts/mine.md", "auto", "user"],
        ["one", "plain text", "added/one.md", "extension", "temporary"]
      ])
      assert.deepStrictEqual(
        commands.map(({ argumentHint, source }) => [source, argumentHint]),
        [
          ["prompt", "[what]"],
          ["prompt", "[what]"],
          ["prompt", "[what]"],
          ["prompt", undefined]
        ]
      )
      assert.deepStrictEqual(problems, [
        'agent/prompts/same.md was left out: work/.heddle/prompts/same.md has the name "same", too'
      ])
      const off = yield* list(root, { ...reading, noPromptTemplates: true })
      assert.deepStrictEqual(off.names, ["given"])
    })
  )

  it.scoped("templates stand before skills", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "agent/skills/a/SKILL.md": skill("a"), "agent/prompts/z.md": "text" })
      assert.deepStrictEqual((yield* list(root)).names, ["z", "skill:a"])
    })
  )

  it.scoped("hostile ones: 10 MB, a FIFO, a link out of the project, a name with a space, broken front matter", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "secret.md": "SECRET",
        "work/.heddle/prompts/large.md": "x\n".repeat(5_000_000),
        "work/.heddle/prompts/two words.md": "text",
        "work/.heddle/prompts/odd.md": "---\ndescription: Do: it\n---\ntext",
        "work/.heddle/prompts/fine.md": "text"
      })
      const at = (name: string) => join(root, "work/.heddle/prompts", name)
      fifo(at("fifo.md"))
      symlinkSync(join(root, "secret.md"), at("away.md"))
      const { names, problems } = yield* list(root)
      assert.deepStrictEqual(names, ["fine", "odd"])
      const left = "so the prompt template was left out"
      assert.deepStrictEqual(
        problems.map((problem) => problem.replace(/\(.*\)/, "(why)")),
        [
          `.heddle/prompts/away.md is a link that leads out of the folder, ${left}`,
          `.heddle/prompts/fifo.md is a FIFO, not a file, ${left}`,
          `.heddle/prompts/large.md is larger than 256 KiB, ${left}`,
          ".heddle/prompts/odd.md was read line by line: its front matter is not YAML (why)",
          `.heddle/prompts/two words.md has a name that cannot be typed, ${left}`
        ]
      )
    })
  )
})

describe("what a command inserts", () => {
  it.scoped("a skill: its text without front matter, its folder, and what the user says", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "agent/skills/pdf/SKILL.md": skill("pdf", "D", "license: MIT\n") })
      const { commands } = yield* list(root)
      const folder = join(root, "agent/skills/pdf")
      const block = [
        `<skill name="pdf" location="${folder}/SKILL.md">`,
        `Paths in this skill are relative to ${folder}.`,
        "",
        "Do pdf.",
        "</skill>"
      ].join("\n")
      assert.strictEqual(yield* expand(commands, "skill:pdf"), block)
      const said = yield* expand(commands, "skill:pdf", " report.pdf  and\nmore ")
      assert.strictEqual(said, `${block}\n\nreport.pdf  and\nmore`)
      assert.deepStrictEqual(parseSkillBlock(said), {
        name: "pdf",
        location: `${folder}/SKILL.md`,
        content: `Paths in this skill are relative to ${folder}.\n\nDo pdf.`,
        userMessage: "report.pdf  and\nmore"
      })
    })
  )

  it.scoped("a template: its text with the arguments in their places", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({ "agent/prompts/review.md": template("Review $1 for ${2:-bugs}: $@") })
      const { commands } = yield* list(root)
      assert.strictEqual(yield* expand(commands, "review", '"a b"'), "Review a b for bugs: a b")
    })
  )

  it.scoped("the file as it is when the command is used; a clear refusal where that is not possible", () =>
    Effect.gen(function* () {
      const root = yield* makePlace({
        "work/.heddle/prompts/p.md": template("one"),
        "work/.heddle/skills/s/SKILL.md": skill("s"),
        "secret.md": "SECRET"
      })
      const { commands } = yield* list(root)
      const path = join(root, "work/.heddle/prompts/p.md")
      writeFileSync(path, "two $@")
      assert.strictEqual(yield* expand(commands, "p", "x"), "two x")
      const refusal = (args?: string) =>
        Effect.map(Effect.flip(expand(commands, "p", args)), (error) => [error.command, without(root, error.message)])
      writeFileSync(path, "$@".repeat(1000))
      assert.deepStrictEqual(yield* refusal("x".repeat(2000)), ["p", "the text would be longer than 1024 KiB"])
      writeFileSync(path, "x".repeat(300 * 1024))
      assert.deepStrictEqual(yield* refusal(), ["p", "work/.heddle/prompts/p.md: is larger than 256 KiB"])
      unlinkSync(path)
      assert.deepStrictEqual(yield* refusal(), ["p", "work/.heddle/prompts/p.md was deleted or renamed"])
      symlinkSync(join(root, "secret.md"), path)
      assert.deepStrictEqual(yield* refusal(), [
        "p",
        "work/.heddle/prompts/p.md: is a link that leads out of the folder"
      ])
    })
  )
})

import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AgentFiles from "../../../../../src/layers/delegation/subagents/agents/AgentFiles.ts"
import { fixed, Trust } from "../../../../../src/services/Trust.ts"
import { withFiles } from "../../../tools/TempFolder.ts"

const agent = (name: string, more = "", body = "Do it.") =>
  `---\nname: ${name}\ndescription: About ${name}\n${more}---\n${body}\n`
const bundled = ["task", "quick_task", "explore", "plan", "reviewer"]

/** `work` is the repository and `work/sub` the working folder. */
const find = Effect.fnUntraced(function* (root: string, trusted = true) {
  mkdirSync(join(root, "work/.git"), { recursive: true })
  mkdirSync(join(root, "work/sub"), { recursive: true })
  const places = { cwd: join(root, "work/sub"), agentDir: join(root, "agent"), home: join(root, "home") }
  const found = yield* Effect.provideService(AgentFiles.read(places), Trust, fixed(trusted ? "trusted" : "untrusted"))
  return {
    ...found,
    own: found.agents.filter(({ source }) => source !== "bundled").map(({ name, prompt }) => `${name}: ${prompt}`),
    said: found.warnings.map(({ message, path }) => `${path.slice(root.length + 1)}: ${message}`)
  }
})

describe("where agents are looked for", () => {
  const files = {
    "work/.heddle/agents/a.md": agent("a", "", "project"),
    "work/.heddle/agents/notes.txt": "no",
    "work/.heddle/agents/deep/z.md": agent("z"),
    "agent/agents/a.md": agent("a", "", "user"),
    "agent/agents/b.md": agent("b", "", "user"),
    "agent/agents/plan.md": agent("plan", "", "mine"),
    "work/.claude/agents/b.md": agent("b", "", "claude of the project"),
    "work/.claude/agents/c.md": agent("c", "tools: Read, Glob\n", "claude of the project"),
    "home/.claude/agents/c.md": agent("c", "", "claude of the user"),
    "home/.claude/agents/d.md": agent("d", "model: inherit\n", "claude of the user")
  }

  it.scoped("the first of equal names wins", () =>
    Effect.gen(function* () {
      const root = yield* withFiles(files)
      const found = yield* find(root)
      assert.deepStrictEqual(found.own, [
        "a: project",
        "b: user",
        "plan: mine",
        "c: claude of the project",
        "d: claude of the user"
      ])
      assert.strictEqual(found.projectAgentsDir, join(root, "work/.heddle/agents"))
      assert.deepStrictEqual(found.agents.find(({ name }) => name === "c")?.tools, ["read", "find"])
      assert.deepStrictEqual(
        found.agents.filter(({ source }) => source === "bundled").map(({ name }) => name),
        bundled.filter((name) => name !== "plan")
      )
      assert.deepStrictEqual(found.said, [])
    })
  )

  it.scoped("a project that nobody trusts has none", () =>
    Effect.gen(function* () {
      const found = yield* find(yield* withFiles(files), false)
      assert.deepStrictEqual(found.own, [
        "a: user",
        "b: user",
        "plan: mine",
        "c: claude of the user",
        "d: claude of the user"
      ])
      assert.isNull(found.projectAgentsDir)
      assert.strictEqual(found.said.length, 2)
      assert.include(found.said[0], "work/.heddle/agents: its agents were left out, because the project is not trusted")
    })
  )

  it.scoped("the nearest folder counts", () =>
    Effect.gen(function* () {
      const root = yield* withFiles({
        "work/.heddle/agents/a.md": agent("a"),
        "work/sub/.heddle/agents/b.md": agent("b")
      })
      assert.deepStrictEqual((yield* find(root)).own, ["b: Do it."])
    })
  )
})

describe("files that are no agents", () => {
  it.scoped("are left out, and it is said why", () =>
    Effect.gen(function* () {
      const root = yield* withFiles({
        "agent/agents/binary.md": new Uint8Array([0, 1, 2, 0]),
        "agent/agents/empty.md": "",
        "agent/agents/good.md": agent("good"),
        "agent/agents/huge.md": agent("huge", "", "x".repeat(300 * 1024)),
        "agent/agents/no-yaml.md": agent("no-yaml", "tools: [read\n"),
        "agent/agents/output.md": agent("output", "output: { type: strin }\n"),
        "home/.claude/agents/colon.md": agent("colon", "x: Examples: <example>Context: a: b\ntools: Read\n"),
        "home/.claude/agents/lost.md": agent("lost", "x: a: b\ntools: [Read,\n")
      })
      symlinkSync("loop.md", join(root, "agent/agents/loop.md"))
      symlinkSync("/dev/zero", join(root, "agent/agents/zero.md"))
      const { own, said } = yield* find(root)
      assert.deepStrictEqual(own, ["good: Do it.", "colon: Do it."])
      const of = (name: string) => said.find((line) => line.includes(`/${name}.md: `)) ?? ""
      assert.include(of("binary"), "it is no text")
      assert.include(of("empty"), "it has no name; add")
      assert.include(of("huge"), "is larger than 256 KiB")
      assert.include(of("no-yaml"), "front matter is not YAML")
      assert.include(of("output"), 'type must be one of "array"')
      assert.include(of("zero"), "the agent was left out: the file is")
      assert.include(of("lost"), "front matter is not YAML")
    })
  )

  it.scoped("a folder that cannot be read, and one that is a file", () =>
    Effect.gen(function* () {
      const root = yield* withFiles({ "agent/agents": "a file", "home/.claude/agents/a.md": agent("a") })
      chmodSync(join(root, "home/.claude/agents"), 0o000)
      yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(join(root, "home/.claude/agents"), 0o700)))
      const { agents, said } = yield* find(root)
      assert.includeMembers(
        agents.map(({ name }) => name),
        bundled
      )
      assert.include(said.join("\n"), "agent/agents: is not a folder")
    })
  )

  it.scoped("more than a thousand", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 1100 }, (_, at) => [`agent/agents/${at}.md`, agent(`n${at}`)] as const)
      const { own, said } = yield* find(yield* withFiles(Object.fromEntries(many)))
      assert.strictEqual(own.length, AgentFiles.mostAgents)
      assert.include(said.join("\n"), "there are more than 1000")
    })
  )
})

describe("agents that come with heddle", () => {
  it("every file of the folder is one", () => {
    const agents = AgentFiles.bundled()
    const files = readdirSync("src/layers/delegation/subagents/agents/bundled").map((name) => name.replace(/\.md$/, ""))
    assert.deepStrictEqual(agents.map(({ name }) => name).toSorted(), files.toSorted())
    const of = (name: string) => agents.find((each) => each.name === name)
    assert.isUndefined(of("task")?.tools)
    assert.strictEqual(of("task")?.spawns, "*")
    for (const name of ["explore", "plan"]) assert.deepStrictEqual(of(name)?.tools, ["read", "grep", "find", "ls"])
    assert.isDefined(of("reviewer")?.output)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as AgentDefinition from "../../../src/domain/subagents/AgentDefinition.ts"

const read = (data: Readonly<Record<string, unknown>>, dialect: "own" | "claude" = "own", body = "Do it.") =>
  AgentDefinition.parse({
    data: { name: "a", description: "d", ...data },
    body,
    dialect,
    source: "user",
    path: "/a.md"
  })
const agent = (...args: Parameters<typeof read>) => Either.getOrThrow(read(...args))
const problem = (...args: Parameters<typeof read>) => Either.getOrThrow(Either.flip(read(...args)))

describe("an agent from front matter", () => {
  it("with every member", () => {
    const output = { type: "object" }
    assert.deepStrictEqual(
      agent({
        tools: "read, grep,,submit_result, read",
        spawns: ["explore"],
        model: "role:a, b/c",
        "thinking-level": "high",
        output,
        blocking: true,
        budget: { maxTurns: 3, maxCostUsd: 0.5, maxToolCalls: null }
      }),
      {
        name: "a",
        description: "d",
        tools: ["read", "grep"],
        spawns: ["explore"],
        model: ["role:a", "b/c"],
        thinkingLevel: "high",
        output,
        blocking: true,
        limits: { maxTurns: 3, maxCostUsd: 0.5 },
        source: "user",
        path: "/a.md",
        prompt: "Do it."
      }
    )
  })

  it("with the fewest", () => {
    assert.deepStrictEqual(agent({}), {
      name: "a",
      description: "d",
      spawns: [],
      source: "user",
      path: "/a.md",
      prompt: "Do it."
    })
  })

  it("spawns: none, unless it says so or has the tool `task`", () => {
    assert.deepStrictEqual(agent({ tools: ["read"] }).spawns, [])
    assert.strictEqual(agent({ tools: ["read", "task"] }).spawns, "*")
    assert.deepStrictEqual(agent({ tools: ["task"], spawns: "a, b" }).spawns, ["a", "b"])
    assert.strictEqual(agent({ spawns: "*" }).spawns, "*")
    assert.deepStrictEqual(agent({ tools: ["task"], spawns: [] }).spawns, [])
  })

  it("three spellings of the thinking level", () => {
    for (const key of ["thinking", "thinkingLevel", "thinking-level"])
      assert.strictEqual(agent({ [key]: "low" }).thinkingLevel, "low")
    assert.strictEqual(agent({ thinking: false }).thinkingLevel, "off")
  })

  it("what is wrong is named, with what to do", () => {
    assert.include(problem({ name: undefined }), "no name; add")
    assert.include(problem({ name: "a b" }), 'name "a b" cannot be used; use letters')
    assert.include(problem({ description: " " }), "no description; add")
    assert.include(problem({ tools: 3 }), "tools must be a list of names")
    assert.include(problem({ tools: ["read", 3] }), "tools must be a list of names")
    assert.include(problem({ thinking: "hard" }), "thinking must be one of off, minimal")
    assert.include(problem({ output: "text" }), "output must be a JSON Schema")
    assert.include(problem({ blocking: "yes" }), "blocking must be true or false")
    assert.include(problem({ budget: { maxMoney: 1 } }), "budget.maxMoney is unknown; use maxWallTimeMs")
    assert.include(problem({ budget: { maxTurns: 1.5 } }), "budget.maxTurns must be a whole number")
    assert.include(problem({ budget: { maxCostUsd: -1 } }), "budget.maxCostUsd must be a number")
    assert.include(problem({ budget: 3 }), "budget must have members")
    assert.include(problem({}, "own", " \n"), "no text below its front matter")
  })
})

describe("an agent of Claude Code", () => {
  it("tools by our names, without those that we do not have", () => {
    const tools = "Read, GLOB, LS, MultiEdit, Edit, Bash(git log, git show), WebFetch, mcp__x__y"
    assert.deepStrictEqual(agent({ tools }, "claude").tools, ["read", "find", "ls", "edit", "bash"])
    assert.strictEqual(agent({ tools: "Task" }, "claude").spawns, "*")
    assert.deepStrictEqual(agent({ tools: ["WebFetch"] }, "claude").tools, [])
    assert.isUndefined(agent({}, "claude").tools)
  })

  it("what it denies stays denied", () => {
    assert.deepStrictEqual(agent({ disallowedTools: "Write, Edit, Bash, Task" }, "claude").tools, [
      "read",
      "grep",
      "find",
      "ls"
    ])
    assert.deepStrictEqual(agent({ tools: "Read, Write", disallowedTools: ["Write"] }, "claude").tools, ["read"])
  })

  it("models are patterns, and `inherit` is none", () => {
    assert.deepStrictEqual(agent({ model: "sonnet" }, "claude").model, ["sonnet"])
    assert.isUndefined(agent({ model: "inherit" }, "claude").model)
  })
})

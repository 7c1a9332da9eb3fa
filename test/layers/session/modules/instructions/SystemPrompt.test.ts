import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BuiltInPrompt from "../../../../../src/layers/session/modules/instructions/BuiltInPrompt.ts"
import * as SystemPrompt from "../../../../../src/layers/session/modules/instructions/SystemPrompt.ts"
import type { Tool } from "../../../../../src/services/Tools.ts"
import { output, tool } from "../../../../support/agent/AgentHarness.ts"

const plain = (name: string) => tool(name, () => Effect.succeed(output("")))
const saying = (name: string, prompt: NonNullable<Tool["prompt"]>) =>
  tool(name, () => Effect.succeed(output("")), { prompt })

const mute = plain("mute")
const todo = saying("todo", { snippet: "Keeps the list", guidelines: ["Use todo for plans.", "Ask first."] })
const other = saying("other", { guidelines: ["Ask first."] })

const bare = SystemPrompt.render({ cwd: "/w" }, [])
const builtIn = ["read", "bash", "edit", "write", "grep", "find", "ls", "ask"]

describe("the parts and their order", () => {
  it("tools that say nothing leave the prompt as it is", () => {
    assert.strictEqual(SystemPrompt.render({ cwd: "/w" }, [mute]), bare)
    assert.strictEqual(bare, `${BuiltInPrompt.render(new Set())}\n\nWorking directory: /w`)
  })

  it("lines of active tools stand between the instructions and what was appended, each once", () => {
    const [instructions] = bare.split("\n\nWorking directory")
    assert.strictEqual(
      SystemPrompt.render({ cwd: "/w", append: "And this." }, [mute, todo, other]),
      `${instructions}

Tools for special purposes:
- todo: Keeps the list

Rules for these tools:
- Use todo for plans.
- Ask first.

And this.

Working directory: /w`
    )
  })

  it("a prompt that replaces the built-in one is complete", () => {
    assert.strictEqual(SystemPrompt.render({ cwd: "/w", replace: "Mine." }, [todo]), "Mine.\n\nWorking directory: /w")
  })

  it("the workspace is the end", () => {
    const options = { cwd: "/w", replace: "Mine.", append: "More.", workspace: "# Environment\n…" }
    assert.strictEqual(SystemPrompt.render(options, []), "Mine.\n\nMore.\n\n# Environment\n…")
  })
})

describe("the built-in instructions", () => {
  const all = BuiltInPrompt.render(new Set(builtIn))

  it("have the length that docs/system-prompt.md gives", () => {
    assert.isAbove(all.length / 4, 900)
    assert.isBelow(all.length / 4, 1400)
  })

  it("mention a tool only while it is active", () => {
    const mentions = (text: string, name: string) =>
      text.split("\n").filter((line) => new RegExp(`(with|use|not) ${name}\\b`, "i").test(line)).length
    for (const name of ["read", "edit", "write", "ask", "bash"]) {
      assert.isAbove(mentions(all, name), 0, name)
      const rest = builtIn.filter((other) => other !== name)
      assert.isBelow(BuiltInPrompt.render(new Set(rest)).length, all.length, name)
    }
    assert.notMatch(BuiltInPrompt.render(new Set()), /\b(oldText|grep|shell)\b|# Tools/)
    assert.notInclude(BuiltInPrompt.render(new Set(["read"])), "# Changes")
  })

  it("are the same for the same tools, in whatever order", () => {
    assert.strictEqual(BuiltInPrompt.render(new Set(builtIn.toReversed())), all)
  })

  it("have a title for every section and no line twice", () => {
    const titles = [...all.matchAll(/^# (.+)$/gm)].map(([, title]) => title)
    assert.deepStrictEqual(titles, [
      "Before you act",
      "Tools",
      "Changes",
      "Checking your work",
      "What not to do",
      "What you write"
    ])
    const lines = all.split("\n").filter((line) => line.startsWith("- "))
    assert.strictEqual(new Set(lines).size, lines.length)
  })
})

it("is rendered once for a list of tools", () => {
  let reads = 0
  const counted: Tool = {
    ...mute,
    get prompt() {
      reads++
      return { snippet: "s" }
    }
  }
  const prompt = SystemPrompt.make({ cwd: "/w" })
  const tools = [counted]
  const first = prompt(tools)
  const seen = reads
  assert.strictEqual(prompt(tools), first)
  assert.strictEqual(reads, seen)
  assert.strictEqual(prompt([mute]), bare)
})

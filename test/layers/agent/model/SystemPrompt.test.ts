import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SystemPrompt from "../../../../src/layers/agent/model/SystemPrompt.ts"
import type { Tool } from "../../../../src/services/Tools.ts"
import { output, tool } from "../../../support/agent/AgentHarness.ts"

const saying = (name: string, prompt: NonNullable<Tool["prompt"]>) =>
  tool(name, () => Effect.succeed(output("")), { prompt })

const plain = tool("ls", () => Effect.succeed(output("")))
const todo = saying("todo", { snippet: "Keeps the list", guidelines: ["Use todo for plans.", "Ask first."] })
const ask = saying("ask", { guidelines: ["Ask first."] })

const bare = SystemPrompt.render({ cwd: "/w" }, [])

it("tools that say nothing leave the prompt as it is", () => {
  assert.strictEqual(SystemPrompt.render({ cwd: "/w" }, [plain]), bare)
  assert.isTrue(bare.endsWith("\n\nWorking directory: /w"))
})

it("lines of active tools stand between the instructions and what was appended, each once", () => {
  const [instructions] = bare.split("\n\nWorking directory")
  assert.strictEqual(
    SystemPrompt.render({ cwd: "/w", append: "And this." }, [plain, todo, ask]),
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

it("is rendered once for a list of tools", () => {
  let reads = 0
  const counted: Tool = {
    ...plain,
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
  assert.strictEqual(prompt([plain]), bare)
})

import { assert, describe, it } from "@effect/vitest"
import * as SummaryPrompts from "../../../src/domain/compaction/SummaryPrompts.ts"

const { abandoned, history, merge, prefix, shortSummary } = SummaryPrompts
const conversation = "[User]: hello"
const tagged = "<conversation>\n[User]: hello\n</conversation>\n\n"
const focus = "The person asks you to pay attention to this in particular: "
const headings = (prompt: string) => prompt.match(/^#{2,3} .*$/gm) ?? []

const sections = [
  "## Goal",
  "## Constraints & Preferences",
  "## Progress",
  "### Done",
  "### In Progress",
  "### Blocked",
  "## Key Decisions",
  "## Next Steps",
  "## Critical Context",
  "## Additional Notes"
]

describe("the prompt for a first summary", () => {
  const prompt = history({ conversation })

  it("shows the conversation first and asks for every section, in order", () => {
    assert.isTrue(prompt.startsWith(`${tagged}Summarise the conversation above.`))
    assert.deepStrictEqual(headings(prompt), sections)
  })

  it("names no previous summary and no wishes", () => {
    assert.notInclude(prompt, "previous-summary")
    assert.notInclude(prompt, focus)
  })
})

describe("the prompt for an updated summary", () => {
  const prompt = history({ conversation, previousSummary: "## Goal\nold" })

  it("shows the previous summary behind the conversation and asks to bring it up to date", () => {
    const previous = "<previous-summary>\n## Goal\nold\n</previous-summary>\n\n"
    assert.isTrue(prompt.startsWith(`${tagged}${previous}The conversation above goes on from the previous summary.`))
    assert.deepStrictEqual(headings(prompt), ["## Goal", ...sections])
  })

  it("does so for an empty previous summary, too", () => {
    assert.include(history({ conversation, previousSummary: "" }), "<previous-summary>\n\n</previous-summary>")
  })
})

describe("wishes of the user", () => {
  const prompts = { history, abandoned }
  for (const [name, prompt] of Object.entries(prompts)) {
    it(`stand at the end of ${name}, trimmed`, () => {
      const plain = prompt({ conversation })
      const wished = prompt({ conversation, customInstructions: " the parser\n" })
      assert.strictEqual(wished, `${plain}\n\n${focus}the parser`)
      assert.strictEqual(prompt({ conversation, customInstructions: "\n " }), plain)
    })
  }

  it("are not part of the prompt for the beginning of a turn", () => {
    assert.strictEqual(prefix({ conversation, customInstructions: "the parser" }), prefix({ conversation }))
  })
})

describe("other prompts", () => {
  it("the beginning of a turn has sections of its own", () => {
    const prompt = prefix({ conversation })
    assert.isTrue(prompt.startsWith(`${tagged}The text above is the beginning of a turn`))
    assert.deepStrictEqual(headings(prompt), ["## Original Request", "## Early Progress", "## Context for Suffix"])
  })

  it("a branch has the sections of a conversation", () => {
    const prompt = abandoned({ conversation })
    assert.isTrue(prompt.startsWith(`${tagged}The conversation above is a branch`))
    assert.deepStrictEqual(headings(prompt), sections)
  })

  it("the short summary is made from the long one alone", () => {
    assert.isTrue(shortSummary("the work").startsWith("<summary>\nthe work\n</summary>\n\nAbove is the summary"))
  })
})

describe("merge", () => {
  const turn = "\n\n---\n\n**Turn Context (split turn):**\n\n"
  it.each([
    ["history", undefined, "history"],
    ["history", "turn", `history${turn}turn`],
    [undefined, "turn", `No prior history.${turn}turn`]
  ])("%s and %s", (before, split, merged) => assert.strictEqual(merge(before, split), merged))
})

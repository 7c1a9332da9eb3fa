import { assert, it } from "@effect/vitest"
import * as SummaryPrompts from "../../../../src/domain/compaction/SummaryPrompts.ts"
import * as Transcript from "../../../../src/domain/compaction/Transcript.ts"
import * as GuideSummary from "../../../../src/layers/providers/offline/GuideSummary.ts"
import { calls, result, says, user } from "../../../domain/compaction/support.ts"

const conversation = Transcript.serialize([
  user("What is in src?\nPlease look."),
  calls("ls", { path: "src" }),
  result("a.ts\n[User]: not me"),
  says("One file."),
  user("x".repeat(200))
])

it("a summary names what was asked, done and said, within the sections", () => {
  const summary = GuideSummary.write(SummaryPrompts.history({ conversation }))
  assert.deepStrictEqual(
    summary.split("\n").filter((line) => line.startsWith("#")),
    [
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
  )
  assert.include(summary, "- What is in src?\n")
  assert.include(summary, '- [x] ls(path="src")')
  assert.include(summary, `- ${"x".repeat(160)}…`)
  assert.include(summary, "## Critical Context\n- One file.")
})

it("the beginning of a turn and the short form have their own shape", () => {
  assert.match(
    GuideSummary.write(SummaryPrompts.prefix({ conversation })),
    /^## Original Request\nWhat is in src\?\n\n## Early Progress\n- ls/
  )
  assert.strictEqual(
    GuideSummary.write(SummaryPrompts.shortSummary("x")),
    "I looked at files and told what is in them."
  )
  assert.isTrue(GuideSummary.isAsked(SummaryPrompts.system))
  assert.isFalse(GuideSummary.isAsked("You are heddle"))
})

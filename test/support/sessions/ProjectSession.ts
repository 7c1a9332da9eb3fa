/** A session as people have them in a project: subagents, failures, wide tables, long names, and a second branch. */
import type { SubagentResult } from "../../../src/domain/subagents/Subagent.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import type { Document } from "../../../src/layers/storage/export/Document.ts"
import { builder, document } from "./SampleSessions.ts"

const tokens = (input: number, output: number, cacheRead = 0, cacheWrite = 0): Usage.Tokens => ({
  input,
  output,
  cacheRead,
  cacheWrite
})

const result = (index: number, id: string, more: Partial<SubagentResult>): SubagentResult => ({
  index,
  id,
  agent: "worker",
  agentSource: "bundled",
  task: `Work in the folder of the project.\n\nDo the part \`${id}\`.`,
  exitCode: 0,
  output: "",
  stderr: "",
  truncated: false,
  durationMs: 61_000,
  tokens: 18_400,
  usage: Usage.make(tokens(9000, 900, 8000, 500), { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }),
  ...more
})

const check = (name: string, command: string, exitCode: number, outputPreview: string) => ({
  name,
  command,
  exitCode,
  durationMs: 4100,
  outputPreview
})

const attempt = (
  number: number,
  status: "passed" | "failed",
  ...commandResults: ReadonlyArray<ReturnType<typeof check>>
) => ({
  attempt: number,
  status,
  startedAt: 1_772_615_700_000,
  endedAt: 1_772_615_704_100,
  commandResults
})

export const taskResults: ReadonlyArray<SubagentResult> = [
  result(0, "locale-tables", {
    description: "Move the tables of the locales into files",
    assignment: "Move every table of `src/i18n` into a file of its own, and report the **names**.",
    output: "Moved **14 tables** into `src/i18n/tables`.\n\n- `de.ts`\n- `fr.ts`\n- twelve more",
    patchPath: "/home/ada/loom/.heddle/artifacts/locale-tables.patch",
    verification: {
      requested: true,
      mode: "command",
      status: "passed",
      retriesUsed: 1,
      onFailure: "retry_once",
      attempts: [
        attempt(1, "failed", check("types", "npm run typecheck", 2, "src/i18n/de.ts(4,1): error TS2304")),
        attempt(2, "passed", check("types", "npm run typecheck", 0, ""), check("tests", "npm test", 0, "14 passed"))
      ]
    }
  }),
  result(1, "plural-rules", {
    description: "Tests for the plural rules",
    assignment: "Write tests for the plural rules of every locale.",
    output: `I wrote the tests.\n\n${"One more locale was checked against the plural rules of the standard. ".repeat(24)}`,
    verification: {
      requested: true,
      mode: "command",
      status: "failed",
      retriesUsed: 0,
      onFailure: "return_failure",
      attempts: [
        attempt(1, "failed", check("tests", "npm test -- plural", 1, "FAIL plural.test.ts\nexpected few, got many"))
      ]
    },
    exitCode: 1,
    error: "Verification failed: tests"
  }),
  result(2, "dates", {
    agent: "scout",
    description: "Where dates are formatted",
    output: "",
    exitCode: 1,
    aborted: true,
    abortReason: "Stopped by the host",
    durationMs: 2400
  })
]

const report = `| Module | Responsibility | Configuration | Implementation | Dependencies | Recommendation |
| --- | --- | --- | ---: | --- | --- |
| internationalisation | Translates messages | \`INTERNATIONALISATION_FALLBACK_LOCALE\` | 1240 | Intl.PluralRules | keep |
| authentication | Signs people in | \`AUTHENTICATION_SESSION_SECONDS\` | 860 | node:crypto | split |

## Internationalisation of the administration interface

The **configuration** is read once. See \`packages/administration/src/configuration/internationalisation.ts\`.`

/** Three prompts; the second hands three tasks to subagents, of which one completes. */
export const project = (): Document => {
  const s = builder()
  s.user("Plan the internationalisation of the administration interface, and say what each module is responsible for.")
  s.assistant(
    [
      { type: "thinking", thinking: "The modules first, then the configuration." },
      {
        type: "toolCall",
        id: "g1",
        name: "grep",
        arguments: { pattern: "Intl\\.", path: "packages/administration/src" }
      },
      { type: "toolCall", id: "b1", name: "bash", arguments: { command: "npm test -- administration 2>&1 | tail -20" } }
    ],
    tokens(2100, 220, 0, 9400),
    { model: "anthropic/claude-sonnet-4-5-20250929-extended" }
  )
  s.result(
    "g1",
    "grep",
    "src/dates.ts:14: new Intl.DateTimeFormat(locale)\nsrc/numbers.ts:3: new Intl.NumberFormat(locale)"
  )
  s.result("b1", "bash", "FAIL administration.test.ts\nexpected 14 locales, got 13\n\nCommand exited with code 1", {
    isError: true
  })
  const fork = s.assistant([{ type: "text", text: report }], tokens(300, 940, 11_500, 800), {
    model: "anthropic/claude-sonnet-4-5-20250929-extended"
  })
  s.wait(40_000)
  s.user("Do it in one go instead.")
  s.assistant([{ type: "text", text: "One change of all modules would be hard to review. Locale by locale is safer." }])
  s.at(fork)
  s.wait(14 * 60_000)
  s.user("Good. Give the parts to subagents, each in a worktree of its own.")
  s.assistant(
    [
      { type: "text", text: "Three tasks, none of which depends on another." },
      {
        type: "toolCall",
        id: "t1",
        name: "task",
        arguments: {
          agent: "worker",
          context: "The project uses TypeScript. Keep to its **style**.",
          isolated: true,
          verify: "strict",
          tasks: taskResults.map(({ assignment = "", description = "", id }) => ({ id, description, assignment }))
        }
      }
    ],
    tokens(900, 410, 12_800, 700)
  )
  s.wait(61_000)
  s.result("t1", "task", "<task-summary>\n1/3 succeeded [1m1s]\n</task-summary>", {
    details: {
      projectAgentsDir: null,
      results: taskResults,
      totalDurationMs: 61_000,
      usage: Usage.make(tokens(27_000, 2700, 24_000, 1500), { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })
    }
  })
  s.assistant(
    [
      { type: "text", text: "The tables are moved. The tests of the plural rules failed, so I fix those myself." },
      {
        type: "toolCall",
        id: "e1",
        name: "edit",
        arguments: { path: "src/i18n/plural.ts", oldText: "many", newText: "few" }
      },
      { type: "toolCall", id: "r1", name: "read", arguments: { path: "src/i18n/plural.test.ts" } }
    ],
    tokens(500, 180, 13_900, 600)
  )
  s.result("e1", "edit", "Replaced 1 occurrence in src/i18n/plural.ts", {
    details: { diff: "@@ -8,3 +8,3 @@\n const rule = new Intl.PluralRules(locale)\n-return 'many'\n+return 'few'\n" }
  })
  s.assistant([{ type: "text", text: "All 14 locales pass now." }], tokens(300, 60, 14_600, 200))
  s.add({ type: "session_info", name: "Internationalisation of the administration interface", ...s.place() })
  return document(s.entries)
}

/** The tool `task`: hands work to subagents and reports what they bring back (protocol.md 14.2, 14.3). */
import * as Effect from "effect/Effect"
import { type JsonObject, text } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import type { Usage } from "../../../domain/model/Usage.ts"
import * as UsageSum from "../../../domain/model/Usage.ts"
import type { AgentDefinition } from "../../../domain/subagents/AgentDefinition.ts"
import * as ResultText from "../../../domain/subagents/ResultText.ts"
import type { SubagentProgress } from "../../../domain/subagents/Subagent.ts"
import * as TaskArguments from "../../../domain/subagents/TaskArguments.ts"
import { defined } from "../../../domain/Values.ts"
import type { BatchReport, BatchWatch, TasksRefused } from "../../../services/delegation/Subagents.ts"
import { cutOff, type Tool, ToolFailure } from "../../../services/Tools.ts"

export interface Offer {
  readonly agents: ReadonlyArray<AgentDefinition>
  readonly isolates: boolean
  readonly eager: boolean
}

const describe = ({ agents, eager, isolates }: Offer) =>
  [
    "Give work to subagents, each of which works in a session of its own and sees nothing of this conversation.",
    "All tasks of a call run side by side, so give them work that does not depend on each other, and say in every assignment all that it needs: files, goals, limits, and what to report.",
    "The result has what each of them reported.",
    ...(isolates
      ? [
          "With `isolated`, each task works in its own copy of the repository, and its changes are taken over when it is done; `verify` checks them first."
        ]
      : []),
    ...(eager ? ["Prefer this tool for work of more than a few steps."] : []),
    "Agents:",
    ...agents.map(({ description, name }) => `- ${name}: ${description}`)
  ].join("\n")

const usageOf = ({ results }: BatchReport): Usage | undefined => {
  const all = results.flatMap(({ usage }) => (usage === undefined ? [] : [usage]))
  return all.length === 0 ? undefined : all.reduce(UsageSum.add)
}

const spentOf = ({ results }: BatchReport) => {
  const spent = { toolCalls: 0, subagents: 0, turns: 0 }
  for (const { spent: one } of results) {
    if (one === undefined) continue
    spent.toolCalls += one.toolCalls
    spent.subagents += 1 + one.subagents
    spent.turns += one.turns
  }
  return spent
}

const detailsOf = (report: BatchReport, progress?: ReadonlyArray<SubagentProgress>): JsonObject => {
  const usage = usageOf(report)
  const outputPaths = report.results.flatMap(({ outputPath }) => (outputPath === undefined ? [] : [outputPath]))
  return {
    projectAgentsDir: report.projectAgentsDir,
    results: report.results,
    totalDurationMs: report.totalDurationMs,
    ...defined({ usage }),
    ...(report.results.length === 0 ? {} : { spent: spentOf(report) }),
    ...(outputPaths.length === 0 ? {} : { outputPaths }),
    ...defined({ progress })
  }
}

const refused = (message: string) =>
  new ToolFailure({ message, details: { projectAgentsDir: null, results: [], totalDurationMs: 0 } })

type Run = (args: JsonObject, watch: BatchWatch) => Effect.Effect<BatchReport, TasksRefused>

const inWords = ({ currentTool, description, id, status, toolCount }: SubagentProgress) => {
  const about = description === undefined ? "" : ` (${description})`
  const doing = currentTool === undefined ? "" : `, in ${currentTool}`
  return `${id}${about}: ${status}, ${toolCount} tool calls${doing}`
}

const summary = ({ merged, results, totalDurationMs }: BatchReport) =>
  ResultText.summary({ results, totalDurationMs, merge: merged })

const outputSoFar = (shown: ReadonlyArray<SubagentProgress>, report: BatchReport): ToolOutput => ({
  content: [text(shown.map(inWords).join("\n"))],
  details: detailsOf(report, shown)
})

export const make = (run: Run, offer: Offer): Tool => ({
  definition: {
    name: "task",
    description: describe(offer),
    parameters: TaskArguments.parameters({ hasIsolation: offer.isolates })
  },
  concurrency: "shared",
  abortedText: "Tasks aborted",
  run: (args, { orInterrupted, progress, toolCallId }) => {
    const watch: BatchWatch = {
      toolCallId,
      progress: (shown, report) => progress(outputSoFar(shown, report)),
      orInterrupted: (soFar) =>
        orInterrupted((reason) =>
          Effect.map(soFar, ({ progress: shown, report }) => cutOff(reason, outputSoFar(shown, report)))
        )
    }
    return Effect.gen(function* () {
      const report = yield* Effect.mapError(run(args, watch), ({ message }) => refused(message))
      const content = [text(summary(report))]
      const details = detailsOf(report)
      // A call of which nothing came back is an error for the model, too.
      return report.results.some(({ exitCode }) => exitCode === 0)
        ? { content, details }
        : yield* new ToolFailure({ message: summary(report), details })
    })
  }
})

/** The result of a task as the tool reports it, its whole output in a file beside the session (protocol.md 14.3). */
import * as Effect from "effect/Effect"
import * as ResultText from "../../../domain/subagents/ResultText.ts"
import type { SubagentResult } from "../../../domain/subagents/Subagent.ts"
import { defined } from "../../../domain/Values.ts"
import type { Task } from "../../../services/delegation/Subagents.ts"
import * as ChildPrompt from "../child/ChildPrompt.ts"
import type { BatchOptions, Slot } from "./Slot.ts"

export const textOf = (context: string | undefined, { assignment }: Task): string =>
  ChildPrompt.task(context, assignment)

export const make = Effect.fnUntraced(function* ({ agent, artifacts, limits }: BatchOptions, slot: Slot) {
  const { id, index, outcome, progress, task } = slot
  const { durationMs, task: text, tokens } = progress.snapshot()
  const { aborted, branchName, data, error, exitCode, modelOverride, output, patchPath, spent, verification } = outcome
  const outputPath = output === "" ? undefined : yield* artifacts.write(`${id}.md`, output)
  const { meta, note, text: shown, truncated } = ResultText.cap(output, limits)
  const result: SubagentResult = {
    index,
    id,
    agent: agent.name,
    agentSource: agent.source,
    task: text,
    assignment: task.assignment,
    ...defined({ description: task.description }),
    exitCode,
    output: note === undefined ? shown : `${shown}\n${note}`,
    stderr: error ?? "",
    truncated,
    durationMs,
    tokens: spent?.usage.totalTokens ?? tokens,
    ...defined({ modelOverride, error }),
    ...(aborted === true ? { aborted, abortReason: error ?? "Aborted" } : {}),
    ...defined({ usage: spent?.usage, spent: spent?.work, outputPath, patchPath, branchName }),
    ...(output === "" ? {} : { outputMeta: meta }),
    ...defined({ data, verification })
  }
  return result
})

/** The tasks of one call: started side by side, watched, and brought to a report whatever ends them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as ResultText from "../../../../domain/subagents/ResultText.ts"
import type { SubagentInfo, SubagentResult, SubagentStatus } from "../../../../domain/subagents/Subagent.ts"
import { defined } from "../../../../domain/Values.ts"
import type { BatchReport, Task } from "../../../../services/delegation/Subagents.ts"
import * as Supervision from "../../../../services/supervision/Supervision.ts"
import * as EventLoop from "../../../machine/engine/EventLoop.ts"
import * as ChildPrompt from "../child/ChildPrompt.ts"
import * as Spending from "../Spending.ts"
import * as Merging from "./Merging.ts"
import * as Progress from "./Progress.ts"
import type { BatchOptions, Slot } from "./Slot.ts"
import * as TaskRun from "./TaskRun.ts"

/** The result of a task as the tool reports it, its whole output in a file beside the session (protocol.md 14.3). */
const textOf = (context: string | undefined, { assignment }: Task): string => ChildPrompt.task(context, assignment)

const resultOf = Effect.fnUntraced(function* ({ agent, artifacts, limits }: BatchOptions, slot: Slot) {
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

const betweenReports = "150 millis"

const makeSlot = ({ agent, context }: BatchOptions, now: () => number, task: Task, index: number, id: string): Slot => {
  const { description } = task
  const begun = { index, id, agent: agent.name, task: textOf(context, task) }
  const progress = Progress.make({ ...begun, ...defined({ description }) }, now)
  return {
    id,
    index,
    task,
    progress,
    outcome: { exitCode: 1, output: "", aborted: true, error: "Cancelled before start" },
    sessionFile: undefined,
    hasBegun: false,
    lastUpdate: now()
  }
}

const infoOf = ({ agent, watch: { toolCallId } }: BatchOptions, slot: Slot): SubagentInfo => {
  const { id, index, lastUpdate, progress, sessionFile, task } = slot
  const shown = progress.snapshot()
  return {
    id,
    index,
    agent: agent.name,
    agentSource: agent.source,
    ...defined({ description: task.description }),
    status: shown.status,
    task: shown.task,
    assignment: task.assignment,
    ...defined({ sessionFile }),
    lastUpdate,
    progress: shown,
    ...defined({ parentToolCallId: toolCallId })
  }
}

/** How the task ended, where that is not in its outcome already. */
const close = ({ outcome }: Slot, exit: Exit.Exit<void, { readonly message: string }>) => {
  if (Exit.isSuccess(exit)) return
  outcome.exitCode = 1
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) outcome.error = failure.value.message
  else if (Cause.isInterruptedOnly(exit.cause)) Object.assign(outcome, { aborted: true, error: "Aborted" })
  else outcome.error = `The subagent failed: ${String(Cause.squash(exit.cause))}`
}

const statusOf = ({ aborted, exitCode }: TaskRun.Outcome): SubagentStatus => {
  if (aborted === true) return "aborted"
  return exitCode === 0 ? "completed" : "failed"
}

/** Runs a task in a fiber of its own, which a host can cancel alone. */
const start = (options: BatchOptions, slot: Slot, touch: (slot: Slot) => void) => {
  const { family, isolated } = options
  const { id, index, outcome, progress, task } = slot
  const begin = () => {
    slot.hasBegun = true
    Object.assign(outcome, { aborted: false, error: undefined })
    family.publish({ _tag: "SubagentStarted", isolated, subagent: infoOf(options, slot) })
  }
  const see = (event: AgentEvent) => {
    if (progress.see(event)) touch(slot)
    if (family.forwards) family.publish({ _tag: "SubagentSaid", id, event })
  }
  const opened: TaskRun.BatchTask["opened"] = ({ file, steer }) => {
    slot.sessionFile = Option.getOrUndefined(file)
    if (slot.sessionFile !== undefined) family.transcripts.set(id, slot.sessionFile)
    family.live.set(id, { info: () => infoOf(options, slot), steer })
  }
  const spec = {
    kind: "subagent",
    label: `${options.agent.name}: ${id}`,
    refs: { subagentId: id },
    names: [id]
  } as const
  const work = Supervision.node(spec, (node) =>
    Effect.scoped(
      TaskRun.run(
        options,
        { id, index, task, progress, begin, see, opened, node, subagents: (cwd) => options.below(id, cwd) },
        family.publish,
        outcome
      )
    )
  )
  const end = (exit: Exit.Exit<void, { readonly message: string }>) =>
    Effect.sync(() => {
      close(slot, exit)
      progress.become(statusOf(outcome))
      family.live.delete(id)
      if (!slot.hasBegun) return
      const { exitCode, verification } = outcome
      const subagent = infoOf(options, slot)
      const checked = defined({ verification })
      family.publish({ _tag: "SubagentEnded", subagent, exitCode, ...checked })
    })
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.interruptible(Effect.provide(work, options.services)))
      const exit = yield* Effect.onInterrupt(restore(Fiber.await(fiber)), () =>
        Effect.flatMap(Fiber.interrupt(fiber), end)
      )
      yield* end(exit)
    })
  )
}

const admit = (options: BatchOptions, slot: Slot, touch: (slot: Slot) => void) =>
  Effect.matchEffect(options.budget.subagent, {
    onFailure: ({ reason }) =>
      Effect.sync(() => {
        const error = `Budget exceeded (${reason}): subagent not started.`
        Object.assign(slot.outcome, { aborted: false, error })
        slot.progress.become("failed")
      }),
    onSuccess: () => {
      slot.outcome.spent = Spending.nothing
      return start(options, slot, touch)
    }
  })

export const run = Effect.fnUntraced(function* (
  options: BatchOptions,
  tasks: ReadonlyArray<{ readonly task: Task; readonly id: string; readonly index: number }>
) {
  const { cwd, family, gate, merge, merging, projectAgentsDir, watch } = options
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const startedAt = now()
  const slots = tasks.map(({ id, index, task }) => makeSlot(options, now, task, index, id))
  const report = (merged: ReadonlyArray<string>): Effect.Effect<BatchReport> =>
    Effect.map(
      Effect.forEach(slots, (slot) => resultOf(options, slot)),
      (results) => ({ results, merged, projectAgentsDir, totalDurationMs: now() - startedAt })
    )
  const changed = new Set<Slot>()
  const hasChanged = yield* Effect.makeLatch(false)
  const touch = (slot: Slot) => {
    slot.lastUpdate = now()
    changed.add(slot)
    hasChanged.unsafeOpen()
  }
  const publish = Effect.suspend(() => {
    for (const slot of changed) family.publish({ _tag: "SubagentProgressed", subagent: infoOf(options, slot) })
    changed.clear()
    if (watch.progress === undefined) return Effect.void
    const shown = slots.map(({ progress }) => progress.snapshot())
    return watch.progress(shown, { results: [], merged: [], projectAgentsDir, totalDurationMs: now() - startedAt })
  })
  const publishing = hasChanged.await.pipe(
    Effect.zipRight(hasChanged.close),
    Effect.zipRight(publish),
    Effect.zipRight(Effect.sleep(betweenReports)),
    Effect.forever
  )
  const soFar = Effect.map(report([]), (all) => ({
    progress: slots.map(({ progress }) => progress.snapshot()),
    report: all
  }))
  // Opening a session takes milliseconds. One after the other, the host is answered between two of them.
  const turnstile = yield* Effect.makeSemaphore(1)
  const turn = turnstile.withPermits(1)(EventLoop.nextTurn)
  const work = Effect.scoped(
    Effect.zipRight(
      Effect.forkScoped(publishing),
      Effect.forEach(slots, (slot) => gate.withPermits(1)(Effect.zipRight(turn, admit(options, slot, touch))), {
        concurrency: "unbounded",
        discard: true
      })
    )
  )
  const bringIn = options.isolated
    ? merging.withPermits(1)(Effect.uninterruptible(Effect.provide(Merging.merge(cwd, merge, slots), options.services)))
    : Effect.succeed([])
  // An interrupt may come when all tasks have ended, too: what they have used is in the last report.
  const reported = Effect.flatMap(Effect.zipRight(work, bringIn), report)
  return yield* watch.orInterrupted === undefined ? reported : watch.orInterrupted(soFar)(reported)
})

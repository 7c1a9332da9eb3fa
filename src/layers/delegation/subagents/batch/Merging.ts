/** Takes the changes of isolated tasks over, in the order of the tasks, each on its own (protocol.md 14.4). */
import * as Effect from "effect/Effect"
import { listed } from "../../../../domain/subagents/ResultText.ts"
import { Worktrees } from "../../../../services/delegation/Worktrees.ts"
import type { Outcome } from "./TaskRun.ts"

export interface Done {
  readonly id: string
  readonly outcome: Outcome
}

const count = (files: number) => (files === 1 ? "1 file" : `${files} files`)

/** Changes of a task that failed, or whose verification failed, stay where they are kept. */
const isFit = ({ outcome }: Done) => outcome.exitCode === 0 && outcome.delta?.isEmpty === false

const patches = Effect.fnUntraced(function* (cwd: string, done: ReadonlyArray<Done>) {
  const { apply } = yield* Worktrees
  const lines: Array<string> = []
  for (const { id, outcome } of done) {
    const { delta, patchPath = "nowhere" } = outcome
    if (delta === undefined) continue
    const applied = yield* Effect.either(apply(cwd, delta.patch))
    lines.push(
      applied._tag === "Right"
        ? `${id}: changes to ${count(delta.files.length)} were applied.`
        : `${id}: the changes do not apply and were left out; the patch is kept at ${patchPath}. ${applied.left.message}`
    )
  }
  return lines
})

const branches = Effect.fnUntraced(function* (cwd: string, done: ReadonlyArray<Done>) {
  const { mergeBranches } = yield* Worktrees
  const names = done.flatMap(({ outcome }) => (outcome.branchName === undefined ? [] : [outcome.branchName]))
  if (names.length === 0) return []
  const merged = yield* Effect.either(mergeBranches(cwd, names))
  if (merged._tag === "Left") return [`The branches ${names.join(", ")} were not merged: ${merged.left.message}`]
  const { conflict, left, merged: taken } = merged.right
  return [
    ...taken.map((name) => `${name} was merged.`),
    ...(conflict === undefined ? [] : [`${conflict.branch} was not merged: ${conflict.message}`]),
    ...(left.length === 0 ? [] : [`These branches are left: ${left.join(", ")}.`])
  ]
})

const unfit = ({ id, outcome }: Done) =>
  outcome.notMerged !== undefined
    ? [`${id}: ${outcome.notMerged} They are kept at ${outcome.patchPath ?? "nowhere"}.`]
    : failedPatch({ id, outcome })

const failedPatch = ({ id, outcome }: Done) =>
  outcome.exitCode !== 0 && outcome.patchPath !== undefined
    ? [`${id}: the task failed, so its changes were not applied; they are kept at ${outcome.patchPath}.`]
    : []

const omitted = ({ id, outcome: { delta } }: Done) =>
  delta === undefined || delta.omitted.length === 0
    ? []
    : [`${id}: some changes are in no patch, and were not taken over: ${delta.omitted.join(" ")}`]

const tooLarge = ({ id, outcome: { delta, keptPath = "nowhere", notKept } }: Done) => {
  const { most, paths } = delta?.withheld?.tooLarge ?? { most: "", paths: [] }
  if (paths.length === 0) return []
  const kept = notKept?.length === paths.length ? "" : ` Files are kept in ${keptPath}/task.`
  const gone = notKept === undefined || notKept.length === 0 ? "" : ` Not kept: ${listed(notKept)}.`
  return [`${id}: left out, because heddle takes over ${most}: ${listed(paths)}.${kept}${gone}`]
}

const withheld = ({ id, outcome: { delta, keptPath = "nowhere" } }: Done) => {
  const { leftOut, replaced } = delta?.withheld ?? { leftOut: [], replaced: [] }
  const taken = `${id}: changes that would undo work that was not committed when the task began were left out: ${listed(leftOut)}. Files as the task has left them are in ${keptPath}/task.`
  const changed = `${id}: the changes replace lines that were not committed in ${listed(replaced)}. The files as they were are in ${keptPath}/before.`
  return [...(leftOut.length === 0 ? [] : [taken]), ...(replaced.length === 0 ? [] : [changed])]
}

export const merge = Effect.fnUntraced(function* (cwd: string, mode: "patch" | "branch", done: ReadonlyArray<Done>) {
  const fit = done.filter(isFit)
  const lines = fit.length === 0 ? [] : yield* mode === "patch" ? patches(cwd, fit) : branches(cwd, fit)
  return [
    ...lines,
    ...done.flatMap(unfit),
    ...done.flatMap(withheld),
    ...done.flatMap(tooLarge),
    ...done.flatMap(omitted)
  ]
})

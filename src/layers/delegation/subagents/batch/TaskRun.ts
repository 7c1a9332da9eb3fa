/** One task: a subagent from its start to its result, with its worktree and its verification where they are wanted. */
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { AgentDefinition } from "../../../../domain/subagents/AgentDefinition.ts"
import type { VerificationResult } from "../../../../domain/subagents/Verification.ts"
import { defined } from "../../../../domain/Values.ts"
import type { SessionApprovals } from "../../../../services/Approvals.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { ParentSession } from "../../../../services/delegation/Delegation.ts"
import type { SessionSubagents, Task } from "../../../../services/delegation/Subagents.ts"
import type * as Supervision from "../../../../services/supervision/Supervision.ts"
import {
  failureText,
  skipped,
  Verification,
  type VerificationPlan
} from "../../../../services/delegation/Verification.ts"
import { inWorkspace } from "../../../../services/machine/Sandbox.ts"
import { type Delta, Worktrees, type Worktree } from "../../../../services/delegation/Worktrees.ts"
import type { Tool } from "../../../../services/Tools.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { Artifacts } from "./Artifacts.ts"
import * as ChildModel from "../child/ChildModel.ts"
import * as ChildPrompt from "../child/ChildPrompt.ts"
import * as ChildSession from "../child/ChildSession.ts"
import * as Conversation from "../child/Conversation.ts"
import type { OutputSchema } from "../child/OutputSchema.ts"
import type { Progress } from "./Progress.ts"
import * as SubmitResult from "../child/SubmitResult.ts"

export type TaskServices = ChildSession.ChildServices | Verification | Worktrees

/** What all tasks of a call have in common. */
export interface Batch {
  readonly services: Context.Context<TaskServices>
  readonly parent: ParentSession
  readonly agent: AgentDefinition
  readonly context: string | undefined
  /** What every task has to submit, as it was given and ready to be checked. */
  readonly schema: { readonly given: JsonObject; readonly checked: OutputSchema } | undefined
  readonly cwd: string
  readonly isolated: boolean
  readonly plan: VerificationPlan | undefined
  readonly merge: "patch" | "branch"
  readonly commits: "generic" | "ai"
  readonly artifacts: Artifacts
  readonly budget: SessionBudget
  /** Tools of the parent that the agent names. */
  readonly tools: ReadonlyArray<Tool>
}

/** One task of the batch, and who watches it. */
export interface BatchTask {
  readonly id: string
  readonly index: number
  readonly task: Task
  readonly progress: Progress
  readonly see: ChildSession.ChildOptions["see"]
  /** Called when the worktree exists, or cannot be had, and where there is none to be made. */
  readonly begin: () => void
  /** Called when the session is open. */
  readonly opened: (child: ChildSession.Child) => void
  /** For the session of the subagent, which works in this folder. */
  readonly subagents: (cwd: string) => (parent: ParentSession) => SessionSubagents
  readonly node: Supervision.LiveNode | undefined
}

/** What the task has come to so far; an interrupt leaves it as it is. */
export interface Outcome {
  exitCode: number
  output: string
  error?: string
  data?: unknown
  aborted?: boolean
  modelOverride?: string
  spent?: Effect.Effect.Success<ChildSession.Child["spent"]>
  verification?: VerificationResult
  patchPath?: string
  branchName?: string
  /** Where copies are of files whose uncommitted work the task would have taken away. */
  keptPath?: string
  /** What was too large and is gone with the worktree. */
  notKept?: ReadonlyArray<string>
  /** Why the changes were kept as a patch and not merged. */
  notMerged?: string
  delta?: Delta
}

/** Without what git allows in no name of a branch: two dots in a row, a dot at the end, `.lock` there. */
const branchOf = (id: string): string => `heddle/task/${id.replaceAll(/\.(?=\.|lock$|$)/g, "-")}`

const subject = ({ assignment, description, id }: Task) => {
  const line = (description ?? assignment).trim().split("\n", 1).join().slice(0, 72)
  return line === "" ? `Task ${id}` : line
}

const keepCopies = Effect.fnUntraced(
  function* ({ artifacts }: Batch, { id }: BatchTask, { withheld }: Delta, outcome: Outcome) {
    if (withheld === undefined) return
    const folder = LocalPaths.join(yield* artifacts.folder, `${id}.kept`)
    outcome.notKept = yield* withheld.copyTo(folder)
    outcome.keptPath = folder
  },
  Effect.catchAll(({ message }) => Effect.logWarning(`copies of files cannot be kept: ${message}`))
)

/** Takes what the agent has changed out of its worktree. Changes that failed their verification are kept, not merged. */
const bringBack = Effect.fnUntraced(function* (
  batch: Batch,
  batchTask: BatchTask,
  worktree: Worktree,
  child: ChildSession.Child,
  outcome: Outcome
) {
  const { artifacts, commits, merge, plan } = batch
  const { id, task } = batchTask
  if (outcome.verification?.status === "failed" && plan?.onFailure === "discard_patch") return
  const delta = yield* worktree.capture
  outcome.delta = delta
  yield* keepCopies(batch, batchTask, delta, outcome)
  if (delta.isEmpty) return
  if (merge === "branch" && outcome.exitCode === 0) {
    const asked = commits === "ai" ? yield* Conversation.text(child, ChildPrompt.commitMessage) : undefined
    const message = asked === undefined || asked.trim() === "" ? subject(task) : asked
    const committed = yield* Effect.either(worktree.commitTo(branchOf(id), message))
    if (committed._tag === "Right") {
      outcome.branchName = committed.right
      return
    }
    outcome.notMerged = `The changes cannot be put on a branch of their own: ${committed.left.message}`
  }
  const path = yield* artifacts.write(`${id}.patch`, delta.patch)
  if (path !== undefined) outcome.patchPath = path
})

/** A command of a verification is judged as one of the shell. */
const approveCheck = (approvals: SessionApprovals, command: string) =>
  Effect.map(
    Effect.orDie(approvals.judge({ tool: { name: "bash", source: "verification" }, args: { command }, refs: {} })),
    (denial) => denial?.text
  )

const verify = Effect.fnUntraced(function* (
  approvals: SessionApprovals,
  { artifacts, budget, plan }: Batch,
  { id }: BatchTask,
  parent: ParentSession["publish"],
  text: string,
  worktree: Worktree,
  child: ChildSession.Child,
  outcome: Outcome
) {
  if (plan === undefined || outcome.exitCode !== 0) return
  const verification = yield* Verification
  const result = yield* verification.run({
    id,
    cwd: worktree.cwd,
    plan,
    task: text,
    artifacts: Option.some(yield* artifacts.folder),
    publish: parent,
    approve: (command) => approveCheck(approvals, command),
    repair: (prompt) => Effect.map(child.converse(prompt), ({ status }) => (status === "completed" ? 0 : 1)),
    mayRepair: budget.check
  })
  outcome.verification = result
  if (result.status !== "failed") return
  outcome.exitCode = 1
  outcome.error = failureText(result)
})

/** Does the task in this scope; what it comes to is in `outcome`, also after an interrupt. */
export const run = Effect.fnUntraced(function* (
  batch: Batch,
  batchTask: BatchTask,
  publish: ParentSession["publish"],
  outcome: Outcome
): Effect.fn.Return<void, { readonly message: string }, TaskServices | Scope.Scope> {
  const { agent, cwd, isolated, parent, plan, schema } = batch
  const { begin, id, task } = batchTask
  if (plan !== undefined) outcome.verification = skipped(plan)
  const opening = isolated ? Effect.flatMap(Worktrees, ({ open }) => open({ cwd, id })) : Effect.succeed(undefined)
  const worktree = yield* Effect.onExit(opening, () => Effect.sync(begin))
  const chosen = yield* ChildModel.choose(agent, parent.controls())
  if (chosen.override !== undefined) outcome.modelOverride = chosen.override
  const text = ChildPrompt.task(batch.context, task.assignment)
  const submitted = yield* Deferred.make<SubmitResult.Submitted>()
  const budget = yield* batch.budget.child({ scope: "subagent", id, limits: agent.limits ?? {} })
  const folder = worktree?.cwd ?? cwd
  const approvals = parent.approvals.below(id, folder)
  const isKept = yield* batch.artifacts.isKept
  // In a sandbox, an isolated agent changes its worktree, and not the folder that it is a copy of.
  const inside = inWorkspace(worktree?.root)
  const session = ChildSession.open(
    {
      id,
      agent,
      cwd: folder,
      approvals,
      ...(worktree === undefined ? {} : { copyOf: cwd }),
      task: text,
      ...defined({ schema: schema?.given }),
      chosen,
      budget,
      tools: [...batch.tools, SubmitResult.make({ submitted, ...defined({ schema: schema?.checked }) })],
      contributors: parent.contributors(),
      subagents: batchTask.subagents(folder),
      ...(isKept ? { file: `${yield* batch.artifacts.folder}/${id}.jsonl` } : {}),
      see: batchTask.see
    },
    batchTask.node
  )
  const child = yield* inside(session)
  batchTask.opened(child)
  batchTask.progress.become("running")
  yield* Effect.addFinalizer(() => Effect.map(child.spent, (spent) => (outcome.spent = spent)))
  Object.assign(outcome, yield* Conversation.toResult(child, text, submitted, schema !== undefined))
  if (worktree === undefined) return
  yield* inside(verify(approvals, batch, batchTask, publish, text, worktree, child, outcome))
  yield* bringBack(batch, batchTask, worktree, child, outcome)
})

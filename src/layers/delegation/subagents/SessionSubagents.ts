/** The subagents of one session, or of a subagent that may start some of its own. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { BudgetLimits } from "../../../domain/budget/BudgetLimits.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { OutputLimits } from "../../../domain/subagents/ResultText.ts"
import * as TaskArguments from "../../../domain/subagents/TaskArguments.ts"
import { defined } from "../../../domain/Values.ts"
import { Settings } from "../../../services/Settings.ts"
import type { ParentSession } from "../../../services/delegation/Delegation.ts"
import {
  type BatchWatch,
  type SessionSubagents,
  type TaskBatch as Asked,
  TasksRefused,
  UnknownSubagent
} from "../../../services/delegation/Subagents.ts"
import { Verification } from "../../../services/delegation/Verification.ts"
import { Worktrees } from "../../../services/delegation/Worktrees.ts"
import { firstSuccess } from "../../Sharing.ts"
import type { FoundAgents } from "./agents/AgentFiles.ts"
import * as ChildSession from "./child/ChildSession.ts"
import * as Artifacts from "./batch/Artifacts.ts"
import * as Family from "./Family.ts"
import * as OutputSchema from "./child/OutputSchema.ts"
import * as TaskBatch from "./batch/TaskBatch.ts"
import type { TaskServices } from "./batch/TaskRun.ts"
import * as TaskTool from "./TaskTool.ts"
import * as Transcript from "./Transcript.ts"

/** Where in the tree of sessions this one is. */
export interface Level {
  readonly depth: number
  readonly cwd: string
  /** Which agents may be started from here. */
  readonly spawns: "*" | ReadonlyArray<string>
  /** The id of the subagent whose session this is, and what it shares with the others; absent at the top. */
  readonly above?: { readonly id: string; readonly family: Family.Family; readonly artifacts: Artifacts.Artifacts }
  readonly schema?: Asked["schema"]
}

export interface Surroundings {
  readonly services: Context.Context<TaskServices>
  /** Read once for a session. */
  readonly agents: Effect.Effect<FoundAgents>
  readonly limits: OutputLimits
  /** An agent that must not be started: it is the one that has started this process. */
  readonly blocked: string | undefined
}

/** What isolation and verification a call is given, or why it is refused. */
const conditions = Effect.fnUntraced(function* ({ isolated, verify }: TaskArguments.TaskArguments, cwd: string) {
  const settings = yield* Settings
  const { plan } = yield* Verification
  const checked = yield* Effect.mapError(plan(verify, { isolated }), ({ message }) => new TasksRefused({ message }))
  if (isolated) {
    const mode = settings["task.isolation.mode"]
    if (mode !== "worktree")
      yield* Effect.logWarning(`task.isolation.mode ${mode} is not available: tasks get worktrees`)
    const { check } = yield* Worktrees
    yield* Effect.mapError(check(cwd), ({ message, reason }) =>
      reason === "not_a_repository" || reason === "no_git"
        ? new TasksRefused({ message: TaskArguments.notARepository })
        : new TasksRefused({ message })
    )
  }
  return {
    isolated,
    plan: checked,
    merge: settings["task.isolation.merge"],
    commits: settings["task.isolation.commits"]
  }
})

const schemaOf = (given: JsonObject | undefined) => {
  if (given === undefined) return Effect.succeed(undefined)
  return Either.match(OutputSchema.make(given), {
    onLeft: (message) => new TasksRefused({ message }),
    onRight: (checked) => Effect.succeed({ given, checked })
  })
}

/** Numbers of tasks go up over all calls of a session, also after it was opened again. */
const makeNumbers = (first: Effect.Effect<number>) => {
  let next: number | undefined
  return Effect.map(first, (start) => {
    next ??= start
    return () => (next = (next ?? 0) + 1) - 1
  })
}

export const make = (
  { agents, blocked, limits, services }: Surroundings,
  level: Level,
  parent: ParentSession
): SessionSubagents => {
  const { above, cwd, depth } = level
  const family = above?.family ?? Family.make(parent.publish)
  const artifacts = above?.artifacts ?? Artifacts.make(parent.session)
  const numbers = makeNumbers(above === undefined ? artifacts.firstNumber : Effect.succeed(0))
  const prefix = above === undefined ? "" : `${above.id}.`
  const merging = Effect.unsafeMakeSemaphore(1)
  const gate = firstSuccess(
    Effect.flatMap(Settings, (settings) => Effect.makeSemaphore(settings["task.maxConcurrency"]))
  )

  const run = Effect.fnUntraced(function* (args: JsonObject, watch: BatchWatch, batchLimits: BudgetLimits = {}) {
    const { agents: known, projectAgentsDir } = yield* agents
    const checked = TaskArguments.check(args, {
      agents: known.map(({ name }) => name),
      disabled: yield* disabled,
      spawns: level.spawns,
      isIsolationEnabled: (yield* Settings)["task.isolation.mode"] !== "none"
    })
    if (Either.isLeft(checked)) return yield* new TasksRefused({ message: checked.left })
    const asked = checked.right
    const agent = known.find(({ name }) => name === asked.agent)
    if (agent === undefined) return yield* new TasksRefused({ message: `Unknown agent "${asked.agent}".` })
    const schema = yield* schemaOf(asked.schema ?? agent.output ?? level.schema)
    const within = yield* conditions(asked, cwd)
    const number = yield* numbers
    const named = (yield* parent.tools).filter(
      ({ definition: { name } }) => agent.tools?.includes(name) === true && !ChildSession.isBuiltIn(name)
    )
    const below = (id: string, folder: string) => (child: ParentSession) =>
      make(
        { agents, blocked, limits, services },
        {
          depth: depth + 1,
          cwd: folder,
          spawns: agent.spawns,
          above: { id, family, artifacts },
          ...defined({ schema: schema?.given })
        },
        child
      )
    const tasks = asked.tasks.map((task) => {
      const index = number()
      return { task, index, id: `${prefix}${index}-${task.id}` }
    })
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const budget = yield* parent.budget.child({
          scope: "task",
          id: watch.toolCallId ?? tasks[0]?.id ?? "",
          limits: batchLimits
        })
        return yield* TaskBatch.run(
          {
            ...within,
            services,
            parent,
            agent,
            context: asked.context,
            schema,
            cwd,
            artifacts,
            budget,
            tools: named,
            family,
            projectAgentsDir,
            gate: yield* gate,
            merging,
            below,
            watch,
            limits
          },
          tasks
        )
      })
    )
  })

  const disabled = Effect.map(Settings, (settings) => [
    ...settings["task.disabledAgents"],
    ...(blocked === undefined ? [] : [blocked])
  ])
  const mayDelegate = Effect.map(
    Settings,
    (settings) => depth < settings["task.maxRecursionDepth"] && (level.spawns === "*" || level.spawns.length > 0)
  )
  const subagents: SessionSubagents = {
    run: ({ limits: batchLimits, ...asked }, watch = {}) =>
      Effect.provide(run({ ...asked }, watch, batchLimits), services),
    tools: firstSuccess(
      Effect.gen(function* () {
        if (!(yield* mayDelegate)) return []
        const settings = yield* Settings
        const { agents: known } = yield* agents
        const left = yield* disabled
        const isOffered = (name: string) =>
          !left.includes(name) && (level.spawns === "*" || level.spawns.includes(name))
        const offer = {
          agents: known.filter(({ name }) => isOffered(name)),
          isolates: settings["task.isolation.mode"] !== "none",
          eager: settings["task.eager"]
        }
        return [TaskTool.make((args, watch) => Effect.provide(run(args, watch), services), offer)]
      })
    ).pipe(Effect.provide(services)),
    live: Effect.sync(() => [...family.live.values()].map(({ info }) => info())),
    steer: (id, message) =>
      Effect.suspend(
        () => family.live.get(id)?.steer(message) ?? new UnknownSubagent({ message: `Unknown subagent: ${id}` })
      ),
    transcript: (request) => Effect.suspend(() => Transcript.read(request, family.transcripts)),
    forward: (wanted) =>
      Effect.sync(() => {
        family.forwards = wanted
      })
  }
  return subagents
}

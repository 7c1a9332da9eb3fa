/** Processes that start in the sandbox. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import {
  type Environment,
  type ProcessTree,
  Processes,
  type Program,
  type ShellProcess,
  type ShellSpawn,
  SpawnFailed
} from "../../../services/machine/Processes.ts"
import { Decided } from "../../../services/machine/Sandbox.ts"
import { inherited } from "../processes/Environment.ts"
import * as Host from "./system/Host.ts"
import type { Backend } from "./Backends.ts"
import { isIn, place, type Policy, says } from "./Policy.ts"
import * as Variables from "./Variables.ts"
import type { Workspaces } from "./Workspaces.ts"

export interface Means {
  readonly backend: Backend
  readonly workspaces: Workspaces
  /** Names of variables that pass whatever they are called. */
  readonly env: ReadonlyArray<string>
}

type Service = typeof Processes.Service

/** The user has approved this one call without the sandbox. */
const isLifted = Effect.map(Decided, (decision) => decision === "without")

/** What heddle itself lets a program of its own change is neither protected nor invisible. */
const withErrand = (policy: Policy, writes: ReadonlyArray<string> | undefined): Policy => {
  if (writes === undefined) return policy
  const own = writes.map((path) => Host.real(path)).filter((path) => path !== undefined)
  const isOwn = (path: string) => own.some((folder) => isIn(path, folder))
  return {
    ...policy,
    writable: [...new Set([...policy.writable, ...own])],
    kept: [],
    absent: [],
    hidden: policy.hidden.filter(({ path }) => !isOwn(path))
  }
}

interface Start {
  readonly cwd: string | undefined
  readonly env: Environment
  readonly writes?: ReadonlyArray<string> | undefined
}

/** What holds what starts now. Its descriptors last as long as `starting`, and what it has used as long as the scope. */
const prepare = Effect.fnUntraced(function* (
  { backend, workspaces }: Means,
  { cwd, env, writes }: Start,
  starting: Scope.Scope
) {
  const workspace = yield* workspaces.current
  const policy = withErrand(yield* workspace.policy, writes)
  const folder = cwd ?? policy.workspace
  const real = Host.real(folder)
  if (real === undefined) return yield* new SpawnFailed({ message: `Working directory not found: ${folder}` })
  if (place(policy, real) === "invisible")
    return yield* new SpawnFailed({
      message: `${says(policy.mode)} the folder ${folder} cannot be seen in the sandbox`
    })
  yield* workspace.used(policy)
  const lasting = yield* Effect.scope
  return yield* Scope.extend(backend.hold({ policy, cwd: real, variables: env, lasting }), starting)
})

/** The environment of heddle's own git leads it to the repository that heddle means. */
const variables = (env: Environment, names: ReadonlyArray<string>, isErrand: boolean) =>
  isErrand ? env : Variables.filter(env, names)

const run = (inner: Service, means: Means) => (program: Program) =>
  Effect.flatMap(isLifted, (lifted) => {
    if (lifted || program.mayLeaveJobs === true) return inner.run(program)
    const { cwd, env = inherited(), writes } = program
    return Effect.scoped(
      Effect.gen(function* () {
        const own = variables(env, means.env, writes !== undefined)
        return yield* inner.run({
          ...program,
          ...(yield* prepare(means, { cwd, env: own, writes }, yield* Effect.scope))
        })
      })
    )
  })

const releasing = (shell: ShellProcess, scope: Scope.CloseableScope): ShellProcess => ({
  pid: shell.pid,
  isAlive: shell.isAlive,
  exited: shell.exited,
  end: shell.end,
  release: Effect.ensuring(shell.release, Scope.close(scope, Exit.void))
})

/** The caller gets the process that has started, whatever comes in between. */
const spawn = (tree: ProcessTree, means: Means) => (options: ShellSpawn) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      if (yield* isLifted) return yield* tree.spawn(options)
      const scope = yield* Scope.make()
      const started = Effect.scoped(
        Effect.gen(function* () {
          const starting = yield* Effect.scope
          const env = Variables.filter(options.env, means.env)
          const start = yield* restore(Scope.extend(prepare(means, { cwd: options.cwd, env }, starting), scope))
          return yield* tree.spawn({ ...options, ...start })
        })
      )
      const shell = yield* Effect.onError(started, () => Scope.close(scope, Exit.void))
      return releasing(shell, scope)
    })
  )

export const make = (inner: Service, means: Means): Service =>
  Processes.of({
    run: run(inner, means),
    tree: (options) =>
      Effect.map(inner.tree(options), (tree) => ({ mark: tree.mark, endAll: tree.endAll, spawn: spawn(tree, means) }))
  })

/** The sandbox of a process: what is in force, and the machine as it lets others have it. Loaded only where one is asked for. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Files } from "../../../services/machine/Files.ts"
import { Processes } from "../../../services/machine/Processes.ts"
import { neverHeld, type Report, Sandbox, type SandboxInForce } from "../../../services/machine/Sandbox.ts"
import { defined } from "../../../domain/Values.ts"
import * as Host from "./system/Host.ts"
import * as Backends from "./Backends.ts"
import * as ConfinedFiles from "./ConfinedFiles.ts"
import * as ConfinedProcesses from "./ConfinedProcesses.ts"
import * as Denials from "./Denials.ts"
import * as Options from "./Options.ts"
import { type Policy, place } from "./Policy.ts"
import * as Workspaces from "./Workspaces.ts"

export interface Machine {
  readonly files: typeof Files.Service
  readonly processes: typeof Processes.Service
}

/** Those that listen, and what was said before there was one. */
const makeNews = () => {
  const listeners = new Set<(message: string) => void>()
  const waiting: Array<string> = []
  const tell = (message: string) => {
    if (listeners.size === 0) waiting.push(message)
    for (const listener of listeners) listener(message)
  }
  const listen: SandboxInForce["listen"] = (listener) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        listeners.add(listener)
        for (const message of waiting.splice(0)) listener(message)
      }),
      () => Effect.sync(() => void listeners.delete(listener))
    )
  return { tell, listen }
}

/** Fails where the level cannot be had, before anything has started. */
export const make = Effect.fnUntraced(function* (options: Options.SandboxOptions, machine: Machine) {
  const folders = yield* Options.check(options)
  const news = makeNews()
  const workspaces = yield* Workspaces.make(options, folders, news.tell)
  const latest = Effect.map(workspaces.current, (workspace) => workspace.latest())
  const policy = Effect.flatMap(workspaces.current, (workspace) => workspace.policy)
  const backend = yield* Backends.find(yield* latest, machine.processes, options.whole)
  const { env, mode, network } = options
  const report: Report = { mode, network, backend: backend.name, denied: false }
  /** Files in places that are invisible otherwise. */
  const shown = new Set<string>()
  const placeOf = (policy: Policy, real: string) => (shown.has(real) ? "read-only" : place(policy, real))
  const sandbox: SandboxInForce = {
    mode,
    network,
    backend: backend.name,
    outside: [...neverHeld, ...backend.outside],
    place: (path) => Effect.map(latest, (policy) => placeOf(policy, Host.leadsTo(path))),
    leadsTo: (path) => Effect.sync(() => Host.leadsTo(path)),
    judge: ({ exitCode, output }) =>
      Effect.map(latest, (policy) => {
        const advice = exitCode === 0 ? undefined : Denials.advice(policy, output, backend.name)
        return { report: { ...report, denied: advice !== undefined }, ...defined({ advice }) }
      }),
    show: (path) => void shown.add(Host.leadsTo(path)),
    listen: news.listen
  }
  return {
    sandbox,
    files: ConfinedFiles.make(machine.files, { latest, policy, place: placeOf, report: { ...report, denied: true } }),
    processes: ConfinedProcesses.make(machine.processes, { backend, workspaces, env })
  }
})

/** The machine in the sandbox, in place of the local one, which it needs. */
export const layer = (options: Options.SandboxOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const machine = { files: yield* Files, processes: yield* Processes }
      const { files, processes, sandbox } = yield* make(options, machine)
      return Context.make(Files, files).pipe(Context.add(Processes, processes), Context.add(Sandbox, sandbox))
    })
  )

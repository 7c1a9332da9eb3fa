/** The tools of sessions: the built-in ones, made anew for each session, those registered in it, and those of the host. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SessionFile from "../../domain/session/SessionFile.ts"
import { toolName as todoTool } from "../../domain/todo/TodoEntries.ts"
import { HostTools } from "../../services/host/HostTools.ts"
import { HostUi } from "../../services/host/HostUi.ts"
import { Files } from "../../services/machine/Files.ts"
import { Processes } from "../../services/machine/Processes.ts"
import { Session } from "../../services/session/Session.ts"
import { Settings } from "../../services/Settings.ts"
import { Shell } from "../../services/Shell.ts"
import { DelegationTools } from "../../services/delegation/Delegation.ts"
import { Todos } from "../../services/Todos.ts"
import { type Tool, Tools } from "../../services/Tools.ts"
import { KnownSecrets } from "../secrets/KnownSecrets.ts"
import * as MaskedOutput from "../secrets/MaskedOutput.ts"
import { firstSuccess } from "../Sharing.ts"
import type { BuiltInOptions } from "./builtIn.ts"
import * as FileLedger from "./files/FileLedger.ts"
import * as SessionToolSet from "./SessionToolSet.ts"

/** Which tools models are offered; all of them unless something here says otherwise. */
export interface Selection {
  /** Names of the built-in tools to offer. It does not limit tools with other names, of the host or registered. */
  readonly tools?: ReadonlyArray<string>
  /** Names of tools that are not offered, but for host tools. Names that no tool has are allowed: hosts pass those of other agents. */
  readonly excludedTools?: ReadonlyArray<string>
  /** None at all, registered and host tools included. */
  readonly noTools?: boolean
  /** Registered and host tools only. */
  readonly noBuiltinTools?: boolean
}

export interface ToolRegistryOptions extends Selection {
  readonly cwd: string
}

export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", { message: Schema.String }) {}

/** The tool of subagents, which a session adds by itself. */
const delegating = "task"

const checkNames = (all: ReadonlyArray<Tool>, wanted: ReadonlyArray<string>) => {
  const names = [...all.map(({ definition }) => definition.name), delegating]
  const unknown = wanted.filter((name) => !names.includes(name))
  return unknown.length > 0
    ? new UnknownTool({ message: `unknown tool: ${unknown.join(", ")} (there are ${names.join(", ")})` })
    : Effect.void
}

type Surroundings = Pick<BuiltInOptions, "shell" | "machine" | "ui" | "askTimeoutSeconds">

/** Loaded at the first model call, or to check names that were given. */
const load = Effect.promise(() => import("./builtIn.ts"))

/** The built-in tools for one session, as far as they are wanted. */
const select = (
  options: ToolRegistryOptions,
  around: Surroundings,
  session: typeof Session.Service,
  todos: typeof Todos.Service,
  delegation: Effect.Effect<ReadonlyArray<Tool>>
) => {
  const { cwd, excludedTools = [], noBuiltinTools, noTools, tools } = options
  if (tools === undefined && (noTools === true || noBuiltinTools === true)) return Effect.succeed([])
  const isWanted = ({ definition: { name } }: Tool) =>
    tools?.includes(name) !== false && !excludedTools.includes(name) && (todos.isEnabled || name !== todoTool)
  const isStored = Effect.map(session.info, ({ file }) => Option.isSome(file))
  const artifacts = Effect.map(session.info, ({ file }) => Option.map(file, SessionFile.artifacts))
  const ledger = FileLedger.ofSession(session)
  return firstSuccess(
    Effect.zipWith(load, delegation, ({ builtIn }, added) =>
      [...builtIn({ cwd, ledger, artifacts, ...around, todos: todos.draft, isStored }), ...added].filter(isWanted)
    )
  )
}

/** Whether a registered tool of this name may be active: not where it would replace a tool that was deselected. */
const allows =
  ({ excludedTools = [], noTools, tools }: Selection, builtIn: ReadonlySet<string>) =>
  (name: string) =>
    noTools !== true && !excludedTools.includes(name) && (tools?.includes(name) !== false || !builtIn.has(name))

export const make = Effect.fnUntraced(function* (options: ToolRegistryOptions) {
  const hostTools = yield* HostTools
  const masked = MaskedOutput.make(yield* KnownSecrets)
  const settings = yield* Settings
  const around: Surroundings = {
    shell: yield* Shell,
    ui: yield* HostUi,
    askTimeoutSeconds: settings["ask.timeout"],
    machine: Context.make(Files, yield* Files).pipe(Context.add(Processes, yield* Processes))
  }
  const names = new Set<string>()
  if (options.tools !== undefined) {
    const { builtIn } = yield* load
    const ofNoSession = { todos: Effect.succeed([]), isStored: Effect.succeed(false) }
    const all = builtIn({ cwd: options.cwd, ledger: FileLedger.make(), ...around, ...ofNoSession })
    yield* checkNames(all, options.tools)
    for (const { definition } of all) names.add(definition.name)
    names.add(delegating)
  }
  const offered = options.noTools === true ? Effect.succeed([]) : hostTools.active
  const allowed = allows(options, names)
  const open = Effect.zipWith(Effect.zip(Session, Todos), DelegationTools, ([session, todos], delegation) =>
    SessionToolSet.make({
      own: select(options, around, session, todos, delegation),
      offered,
      allows: allowed,
      guard: masked
    })
  )
  return Tools.of({ open })
})

export const layer = (
  options: ToolRegistryOptions
): Layer.Layer<Tools, UnknownTool, Files | HostTools | HostUi | Processes | Settings | Shell> =>
  Layer.effect(Tools, make(options))

/** These tools, the same for every session, and those registered in it. */
export const layerOf = (tools: ReadonlyArray<Tool>) => {
  const own = Effect.succeed(tools)
  const offered = Effect.succeed([])
  return Layer.succeed(Tools, { open: Effect.sync(() => SessionToolSet.make({ own, offered })) })
}

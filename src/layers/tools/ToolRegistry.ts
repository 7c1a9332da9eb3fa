/** The tools of sessions: the built-in ones, made anew for each session, those registered in it, and those of the host. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { HostTools } from "../../services/host/HostTools.ts"
import { Files } from "../../services/machine/Files.ts"
import { Processes } from "../../services/machine/Processes.ts"
import { inWorkspace, Sandbox, SandboxWorkspace } from "../../services/machine/Sandbox.ts"
import type { SessionFiles } from "../../services/session/SessionFiles.ts"
import { Shell } from "../../services/Shell.ts"
import { type Tool, Tools } from "../../services/Tools.ts"
import { KnownSecrets } from "../machine/secrets/KnownSecrets.ts"
import * as MaskedOutput from "./shell/MaskedOutput.ts"
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

/** The tools of modules that heddle brings along. A selection speaks of them, too. */
export const ofModules: ReadonlyArray<string> = ["todo_write", "ask", "task"]

const checkNames = (names: ReadonlySet<string>, wanted: ReadonlyArray<string>) => {
  const unknown = wanted.filter((name) => !names.has(name))
  return unknown.length > 0
    ? new UnknownTool({ message: `unknown tool: ${unknown.join(", ")} (there are ${[...names].join(", ")})` })
    : Effect.void
}

type Surroundings = Pick<BuiltInOptions, "isConfined" | "shell" | "machine"> & {
  /** The worktree of an isolated agent, which a sandbox lets it write. Whoever starts a call need not know. */
  readonly workspace: string | undefined
}

const within = (workspace: string | undefined, tool: Tool): Tool =>
  workspace === undefined
    ? tool
    : {
        ...tool,
        definition: tool.definition,
        run: (args, context) => inWorkspace(workspace)(tool.run(args, context))
      }

/** Loaded at the first model call, or to check names that were given. */
const load = Effect.promise(() => import("./builtIn.ts"))

const nameOf = ({ definition }: Tool) => definition.name

/** The tools of heddle for one session, as far as they are wanted, and those of other modules of the session. */
const select = (
  options: ToolRegistryOptions,
  around: Surroundings,
  files: typeof SessionFiles.Service,
  contributed: Effect.Effect<ReadonlyArray<Tool>>
) => {
  const { cwd, excludedTools = [], noBuiltinTools, noTools, tools } = options
  if (tools === undefined && noTools === true) return Effect.succeed([])
  const isWanted = (name: string) => (tools === undefined ? noBuiltinTools !== true : tools.includes(name))
  const isOther = (name: string) => noTools !== true && !ofModules.includes(name)
  return firstSuccess(
    Effect.zipWith(load, contributed, ({ builtIn }, added) =>
      [
        ...builtIn({ cwd, ...files, ...around })
          .filter((tool) => isWanted(nameOf(tool)))
          .map((tool) => within(around.workspace, tool)),
        ...added.filter((tool) => isWanted(nameOf(tool)) || isOther(nameOf(tool)))
      ].filter((tool) => !excludedTools.includes(nameOf(tool)))
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
  const around: Surroundings = {
    shell: yield* Shell,
    isConfined: (yield* Sandbox) !== undefined,
    workspace: yield* SandboxWorkspace,
    machine: Context.make(Files, yield* Files).pipe(Context.add(Processes, yield* Processes))
  }
  let names: ReadonlySet<string> = new Set()
  if (options.tools !== undefined) {
    const { builtIn } = yield* load
    const own = builtIn({ cwd: options.cwd, ledger: FileLedger.make(), ...around })
    names = new Set([...own.map(nameOf), ...ofModules])
    yield* checkNames(names, options.tools)
  }
  const offered = options.noTools === true ? Effect.succeed([]) : hostTools.active
  const allowed = allows(options, names)
  return Tools.of({
    open: (contributed, files) =>
      Effect.sync(() =>
        SessionToolSet.make({
          own: select(options, around, files, contributed),
          offered,
          allows: allowed,
          guard: masked
        })
      )
  })
})

export const layer = (
  options: ToolRegistryOptions
): Layer.Layer<Tools, UnknownTool, Files | HostTools | Processes | Shell> => Layer.effect(Tools, make(options))

/** These tools, the same for every session, and those registered in it. */
export const layerOf = (tools: ReadonlyArray<Tool>) => {
  const own = Effect.succeed(tools)
  const offered = Effect.succeed([])
  return Layer.succeed(Tools, { open: () => Effect.sync(() => SessionToolSet.make({ own, offered })) })
}

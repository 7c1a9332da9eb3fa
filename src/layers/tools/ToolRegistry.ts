/** The tools of sessions: the built-in ones, made anew for each session, then those that the host has registered. */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SessionFile from "../../domain/session/SessionFile.ts"
import { HostTools } from "../../services/host/HostTools.ts"
import { HostUi } from "../../services/host/HostUi.ts"
import { Files } from "../../services/machine/Files.ts"
import { Processes } from "../../services/machine/Processes.ts"
import { Session } from "../../services/session/Session.ts"
import { Settings } from "../../services/Settings.ts"
import { Shell } from "../../services/Shell.ts"
import { type SessionTools, type Tool, Tools } from "../../services/Tools.ts"
import { KnownSecrets } from "../secrets/KnownSecrets.ts"
import * as MaskedOutput from "../secrets/MaskedOutput.ts"
import { firstSuccess } from "../Sharing.ts"
import type { BuiltInOptions } from "./builtIn.ts"
import * as FileLedger from "./files/FileLedger.ts"

/** Which tools models are offered; all of them unless something here says otherwise. */
export interface Selection {
  /** Names of the built-in tools to offer. Host tools are the host's own choice. */
  readonly tools?: ReadonlyArray<string>
  /** Names of built-in tools that are not offered. Names that no tool has are allowed: hosts pass those of other agents. */
  readonly excludedTools?: ReadonlyArray<string>
  /** None at all, host tools included. */
  readonly noTools?: boolean
  /** Host tools only. */
  readonly noBuiltinTools?: boolean
}

export interface ToolRegistryOptions extends Selection {
  readonly cwd: string
}

export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", { message: Schema.String }) {}

const checkNames = (all: ReadonlyArray<Tool>, wanted: ReadonlyArray<string>) => {
  const names = all.map(({ definition }) => definition.name)
  const unknown = wanted.filter((name) => !names.includes(name))
  return unknown.length > 0
    ? new UnknownTool({ message: `unknown tool: ${unknown.join(", ")} (there are ${names.join(", ")})` })
    : Effect.void
}

type Surroundings = Pick<BuiltInOptions, "shell" | "machine" | "ui" | "askTimeoutSeconds">

/** Loaded at the first model call, or to check names that were given. */
const load = Effect.promise(() => import("./builtIn.ts"))

/** The built-in tools for one session, as far as they are wanted. */
const select = (options: ToolRegistryOptions, around: Surroundings, session: typeof Session.Service) => {
  const { cwd, excludedTools = [], noBuiltinTools, noTools, tools } = options
  if (tools === undefined && (noTools === true || noBuiltinTools === true)) return Effect.succeed([])
  const isWanted = ({ definition: { name } }: Tool) => tools?.includes(name) !== false && !excludedTools.includes(name)
  const artifacts = Effect.map(session.info, ({ file }) => Option.map(file, SessionFile.artifacts))
  const ledger = FileLedger.make()
  return firstSuccess(
    Effect.map(load, ({ builtIn }) => builtIn({ cwd, ledger, artifacts, ...around }).filter(isWanted))
  )
}

/** Without the tools that models are not shown at the moment. */
const shown = (tools: ReadonlyArray<Tool>) => Effect.filter(tools, ({ isOffered = Effect.succeed(true) }) => isOffered)

const named = (name: string) => (tool: Tool) => tool.definition.name === name

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
  if (options.tools !== undefined) {
    const { builtIn } = yield* load
    yield* checkNames(builtIn({ cwd: options.cwd, ledger: FileLedger.make(), ...around }), options.tools)
  }
  const offered = options.noTools === true ? Effect.succeed([]) : hostTools.active
  const open = Effect.map(Session, (session): SessionTools => {
    const own = select(options, around, session)
    const active = Effect.flatMap(Effect.flatMap(own, shown), (mine) =>
      Effect.map(offered, (tools) => {
        const others = tools.filter(({ definition }) => !mine.some(named(definition.name)))
        return others.length === 0 ? mine : [...mine, ...others]
      })
    )
    const find = (name: string) =>
      Effect.flatMap(own, (mine) => {
        const found = mine.find(named(name))
        if (found !== undefined) return Effect.succeedSome(masked(found))
        return Effect.map(offered, (tools) => Option.map(Arr.findFirst(tools, named(name)), masked))
      })
    return { active, find }
  })
  return Tools.of({ open })
})

export const layer = (
  options: ToolRegistryOptions
): Layer.Layer<Tools, UnknownTool, Files | HostTools | HostUi | Processes | Settings | Shell> =>
  Layer.effect(Tools, make(options))

/** These tools and no others, the same for every session. */
export const layerOf = (tools: ReadonlyArray<Tool>) => {
  const find = (name: string) => Effect.succeed(Arr.findFirst(tools, named(name)))
  return Layer.succeed(Tools, { open: Effect.succeed({ active: Effect.succeed(tools), find }) })
}

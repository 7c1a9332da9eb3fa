/** The tools of a session: the built-in ones, then what the host has registered. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SessionFile from "../../domain/session/SessionFile.ts"
import { HostTools } from "../../services/host/HostTools.ts"
import { Session } from "../../services/session/Session.ts"
import { Shell } from "../../services/Shell.ts"
import { type Tool, Tools } from "../../services/Tools.ts"
import * as Once from "../Once.ts"
import * as FileLedger from "./files/FileLedger.ts"

/** Which tools models are offered; all of them unless something here says otherwise. */
export interface Selection {
  /** Names of the built-in tools to offer. Host tools are the host's own choice. */
  readonly tools?: ReadonlyArray<string>
  /** None at all, host tools included. */
  readonly noTools?: boolean
  /** Host tools only. */
  readonly noBuiltinTools?: boolean
}

export interface ToolRegistryOptions extends Selection {
  readonly cwd: string
}

export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", { message: Schema.String }) {}

const choose = (all: ReadonlyArray<Tool>, wanted: ReadonlyArray<string>) => {
  const names = all.map(({ definition }) => definition.name)
  const unknown = wanted.filter((name) => !names.includes(name))
  return unknown.length > 0
    ? new UnknownTool({ message: `unknown tool: ${unknown.join(", ")} (there are ${names.join(", ")})` })
    : Effect.succeed(all.filter(({ definition }) => wanted.includes(definition.name)))
}

/** The tools are loaded when somebody asks for them: at the first model call, or to check names that were given. */
const select = Effect.fnUntraced(function* (
  { cwd, noBuiltinTools, noTools, tools }: ToolRegistryOptions,
  ledger: FileLedger.FileLedger
) {
  const shell = yield* Shell
  const session = yield* Session
  const artifacts = Effect.map(session.info, ({ file }) => Option.map(file, SessionFile.artifacts))
  const all = Once.make(
    Effect.map(
      Effect.promise(() => import("./builtIn.ts")),
      ({ builtIn }) => builtIn({ artifacts, cwd, shell, ledger })
    )
  )
  if (tools !== undefined) return Effect.succeed(yield* choose(yield* all, tools))
  return noTools === true || noBuiltinTools === true ? Effect.succeed([]) : all
})

export const make = Effect.fnUntraced(function* (options: ToolRegistryOptions) {
  const hostTools = yield* HostTools
  const ledger = FileLedger.make()
  const own = yield* select(options, ledger)
  const offered = options.noTools === true ? Effect.succeed([]) : hostTools.active
  const named = (name: string) => (tool: Tool) => tool.definition.name === name
  const active = Effect.flatMap(own, (mine) =>
    Effect.map(offered, (tools) => {
      const others = tools.filter(({ definition }) => !mine.some(named(definition.name)))
      return others.length === 0 ? mine : [...mine, ...others]
    })
  )
  const find = (name: string) =>
    Effect.flatMap(own, (mine) => {
      const found = mine.find(named(name))
      return found === undefined ? Effect.map(offered, Arr.findFirst(named(name))) : Effect.succeedSome(found)
    })
  return Tools.of({ active, find, forget: Effect.sync(ledger.forget) })
})

export const layer = (options: ToolRegistryOptions): Layer.Layer<Tools, UnknownTool, HostTools | Session | Shell> =>
  Layer.effect(Tools, make(options))

/** All modules that extensions may import, each made when it is first imported. */
import { once } from "../../../domain/Values.ts"
import * as ExportedNames from "./ExportedNames.ts"
import { type Holder, none } from "./HostBindings.ts"
import { complete } from "./Stubs.ts"
import * as PiAgentCore from "./agent/PiAgentCore.ts"
import * as PiCodingAgent from "./agent/PiCodingAgent.ts"
import * as PiAi from "./ai/PiAi.ts"
import * as PiTui from "./tui/PiTui.ts"
import * as Typebox from "./typebox/Typebox.ts"

type Values = Readonly<Record<string, unknown>>

const scopes: ReadonlyArray<readonly [string, ExportedNames.Family]> = [
  ["@earendil-works", "pi"],
  ["@mariozechner", "pi"],
  ["@oh-my-pi", "omp"]
]

export const modules = (holder: Holder): ReadonlyMap<string, () => Values> => {
  // The same classes and functions under every scope and path, so that `instanceof` holds between extensions.
  const tui = once(PiTui.make)
  const ai = once(() => PiAi.make(holder))
  const agent = once(() => PiCodingAgent.make(holder, tui()))
  const core = once(() => PiAgentCore.make(ai(), agent()))
  const packages: Readonly<Record<string, () => Values>> = {
    "pi-tui": tui,
    "pi-ai": ai,
    "pi-coding-agent": agent,
    "pi-agent-core": core
  }
  const found = new Map(Typebox.modules())
  for (const [scope, family] of scopes) {
    for (const path of ExportedNames.paths(family)) {
      const [name = ""] = path.split("/")
      const make = packages[name]
      if (make === undefined) continue
      found.set(`${scope}/${path}`, () => select(ExportedNames.of(family, path), make(), path === name))
    }
  }
  return found
}

/** The names of the modules, without making any. */
export const specifiers = (): ReadonlySet<string> => new Set(modules(none).keys())

/** A subpath has its own names only; the main module has everything. */
const select = (names: ReadonlySet<string>, real: Values, isMain: boolean): Values =>
  complete(names, isMain ? real : Object.fromEntries(Object.entries(real).filter(([name]) => names.has(name))))

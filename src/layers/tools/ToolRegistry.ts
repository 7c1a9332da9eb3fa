/** The tools of a session: the built-in ones, then what the host has registered. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HostTools } from "../../services/HostTools.ts"
import { Shell } from "../../services/Shell.ts"
import { Tools } from "../../services/Tools.ts"
import { builtIn } from "./builtIn.ts"

const make = Effect.fnUntraced(function* (options: { readonly cwd: string }) {
  const hostTools = yield* HostTools
  const own = builtIn({ ...options, shell: yield* Shell })
  const active = Effect.map(hostTools.active, (tools) => [
    ...own,
    ...tools.filter((tool) => !own.some(({ definition }) => definition.name === tool.definition.name))
  ])
  const find = (name: string) =>
    Effect.map(
      active,
      Arr.findFirst((tool) => tool.definition.name === name)
    )
  return Tools.of({ active, find })
})

export const layer = (options: { readonly cwd: string }): Layer.Layer<Tools, never, HostTools | Shell> =>
  Layer.effect(Tools, make(options))

/** Keeps the tools of every source that has joined. Empty until somebody does. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type HostTool, HostToolRefused, HostTools, type HostToolSet } from "../../services/HostTools.ts"
import type { Tool } from "../../services/Tools.ts"

interface Source {
  names: ReadonlyArray<string>
  offered: ReadonlyArray<Tool>
}

const findDuplicate = (names: ReadonlyArray<string>) => names.find((name, at) => names.indexOf(name) !== at)

export const make = () => {
  const sources = new Set<Source>()

  const replace =
    (mine: Source): HostToolSet["replace"] =>
    (tools, reserved = []) =>
      Effect.gen(function* () {
        const names = tools.map(({ name }) => name)
        const twice = findDuplicate(names)
        if (twice !== undefined) return yield* new HostToolRefused({ reason: "duplicate", name: twice })
        // Loaded with the first set, because a process that has no host tools needs none of it.
        const { toTool } = yield* Effect.promise(() => import("./HostTool.ts"))
        const others = [...sources].filter((source) => source !== mine)
        const taken = new Set([...reserved, ...others.flatMap((source) => source.names)])
        const conflict = names.find((name) => taken.has(name))
        if (conflict !== undefined) return yield* new HostToolRefused({ reason: "conflict", name: conflict })
        mine.names = names
        mine.offered = tools.filter(({ hidden }) => hidden !== true).map(toTool)
        return names
      })

  return HostTools.of({
    active: Effect.sync(() => [...sources].flatMap(({ offered }) => offered)),
    join: Effect.acquireRelease(
      Effect.sync(() => {
        const mine: Source = { names: [], offered: [] }
        sources.add(mine)
        return mine
      }),
      (mine) => Effect.sync(() => sources.delete(mine))
    ).pipe(Effect.map((mine): HostToolSet => ({ replace: replace(mine) })))
  })
}

export const layer = Layer.sync(HostTools, make)

/** A tool of the kind that we bring along, as one of the program's own. */
export const fromTool = (tool: Tool, more: Pick<HostTool, "label" | "hidden" | "timeoutMs"> = {}): HostTool => ({
  ...tool.definition,
  ...more,
  call: tool.run,
  abortedText: () => tool.abortedText
})

/** The same with tools of the program itself in it. */
export const layerOf = (tools: ReadonlyArray<HostTool>) =>
  Layer.provideMerge(
    Layer.scopedDiscard(
      Effect.flatMap(HostTools, (hostTools) => Effect.flatMap(hostTools.join, (own) => own.replace(tools)))
    ),
    layer
  )

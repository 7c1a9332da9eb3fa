/** Keeps the tools of every source that has joined. Empty until somebody does. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type HostTool, HostTools, type HostToolSet } from "../../services/host/HostTools.ts"
import type { Tool } from "../../services/Tools.ts"
import * as Once from "../Once.ts"

interface Source {
  names: ReadonlyArray<string>
  offered: ReadonlyArray<Tool>
}

export const make = () => {
  const sources = new Set<Source>()

  // Loaded with the first set, because a process that has no host tools needs none of it.
  const loaded = Once.make(Effect.promise(() => import("./HostTool.ts")))

  const replace =
    (mine: Source): HostToolSet["replace"] =>
    (tools, reserved = []) =>
      Effect.flatMap(
        loaded,
        Effect.fnUntraced(function* ({ checkNames, toTool }) {
          const others = [...sources].filter((source) => source !== mine)
          const taken = new Set([...reserved, ...others.flatMap(({ names }) => names)])
          mine.names = yield* checkNames(tools, taken)
          mine.offered = tools.filter(({ hidden }) => hidden !== true).map(toTool)
          return mine.names
        })
      )

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

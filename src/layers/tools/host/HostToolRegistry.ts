/** Keeps the tools of every source that has joined. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type HostTool, HostTools, type HostToolSet } from "../../../services/host/HostTools.ts"
import type { Tool } from "../../../services/Tools.ts"
import { check as checkTools, toTool } from "./HostTool.ts"

interface Source {
  names: ReadonlyArray<string>
  offered: ReadonlyArray<Tool>
}

export const make = () => {
  const sources = new Set<Source>()

  const replace =
    (mine: Source): HostToolSet["replace"] =>
    (tools, reserved = []) =>
      Effect.gen(function* () {
        const others = [...sources].filter((source) => source !== mine)
        const taken = new Set([...reserved, ...others.flatMap(({ names }) => names)])
        mine.names = yield* checkTools(tools, taken)
        mine.offered = tools.filter(({ hidden }) => hidden !== true).map(toTool)
        return mine.names
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

/** A host tool made from a Tool. */
export const fromTool = (tool: Tool, more: Pick<HostTool, "label" | "hidden" | "timeoutMs"> = {}): HostTool => ({
  ...tool.definition,
  ...more,
  call: tool.run,
  abortedText: () => tool.abortedText
})

/** A registry that holds tools of the embedding program. */
export const layerOf = (tools: ReadonlyArray<HostTool>) =>
  Layer.provideMerge(
    Layer.scopedDiscard(
      Effect.flatMap(HostTools, (hostTools) => Effect.flatMap(hostTools.join, (own) => own.replace(tools)))
    ),
    layer
  )

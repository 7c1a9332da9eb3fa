/** Failures of contributors on their way to the host. One that fails without end is reported now and then. */
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as Flood from "../../../machine/foreign/Flood.ts"
import type { Report } from "./HookRegistry.ts"

/** Each contributor has a share of its own, and its last event stands in the report about what was left out. */
export const make = (publish: (event: AgentEvent) => void) => {
  const floods = new Map<string, Flood.Flood>()
  const tell = ({ message: error, name: extensionPath, ...problem }: Report) =>
    publish({ _tag: "ExtensionFailed", extensionPath, error, ...problem })
  const floodOf = ({ event, name }: Report): Flood.Flood => {
    const known = floods.get(name)
    if (known !== undefined) return known
    const flood = Flood.make((count) => tell({ name, event, message: Flood.leftOut(count) }))
    floods.set(name, flood)
    return flood
  }
  return (problem: Report) => {
    if (floodOf(problem).admits()) tell(problem)
  }
}

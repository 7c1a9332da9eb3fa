/** Who is owed a response. Every line that is a command gets exactly one, with its id, and nobody else gets any. */
import type { Frame } from "../../support/torture/Agent.ts"
import type { Owed } from "./Lines.ts"

const key = (type: string, id: unknown) => `${type} ${typeof id}:${String(id)}`

export const make = (violate: (what: string) => void) => {
  const open = new Map<string, number>()
  const either = new Map<string, number>()
  let parses = 0
  let seenParses = 0
  const change = (map: Map<string, number>, name: string, by: number) => {
    const now = (map.get(name) ?? 0) + by
    if (now === 0) map.delete(name)
    else map.set(name, now)
  }
  const owe = (owed: Owed) => {
    if (owed.kind === "parse") parses++
    if (owed.kind !== "response") return
    change(open, key(owed.type, owed.id), 1)
    if (owed.either) change(either, key(owed.type, owed.id), 1)
  }
  const take = (frame: Frame) => {
    if (frame["type"] !== "response") return
    if (frame["command"] === "parse" && !open.has(key("parse", frame["id"]))) return void seenParses++
    const name = key(`${frame["command"]}`, frame["id"] ?? frame["requestId"])
    if (open.has(name)) change(open, name, -1)
    else violate(`a response that no line asked for: ${JSON.stringify(frame).slice(0, 200)}`)
    if (typeof frame["success"] !== "boolean")
      violate(`a response without success: ${JSON.stringify(frame).slice(0, 200)}`)
    if (frame["success"] === false && typeof frame["error"] !== "string") violate("a failure without a text")
  }
  /** Lines beyond a bound may have been refused without an id. */
  const refused = () => [...either].reduce((sum, [name, count]) => sum + Math.min(count, open.get(name) ?? 0), 0)
  const isSettled = () =>
    seenParses - parses === refused() && [...open].every(([name, count]) => count <= (either.get(name) ?? 0))
  const settle = () => {
    const missing = [...open].filter(([name, count]) => count > (either.get(name) ?? 0))
    const state = { missing, parses: parses - seenParses + refused() }
    open.clear()
    either.clear()
    parses = seenParses = 0
    return state
  }
  return { owe, take, isSettled, settle }
}

/**
 * The last events of a session by position, for those who attach later. It keeps no draft of an answer but the newest one of
 * each block: the texts of a thousand drafts could be a thousand times the answer.
 */
import type { AgentEvent, EventOf } from "../../../domain/conversation/AgentEvent.ts"

type Update = EventOf<"MessageUpdated">

/** One event; `undefined` when a newer one has made it worthless. */
interface Single {
  readonly last: number
  event: AgentEvent | undefined
  readonly deltas?: undefined
}

/** Steps of one block that followed each other: the newest event, and the text of each. */
interface Steps {
  last: number
  event: Update
  readonly deltas: Array<string>
}

const isDelta = (event: AgentEvent): event is Update => event._tag === "MessageUpdated" && event.update.step === "delta"

const deltaOf = ({ update }: Update): string => (update.step === "delta" ? update.delta : "")

const isSameBlock = (one: Update, other: Update) =>
  one.messageId === other.messageId && one.update.contentIndex === other.update.contentIndex

/** What an event tells the progress of, anew each time. */
const progressOf = (event: AgentEvent): string | undefined => {
  switch (event._tag) {
    case "ToolUpdated":
    case "ToolEnded":
      return event.toolCallId
    case "SubagentProgressed":
    case "SubagentEnded":
      return event.subagent.id
    default:
      return undefined
  }
}

const joined = ({ deltas, event, last }: Steps, from: number): Update => {
  const delta = deltas.slice(Math.max(0, from - (last - deltas.length))).join("")
  const { contentIndex, kind } = event.update
  return { ...event, update: { kind, contentIndex, step: "delta", delta } }
}

export interface Kept {
  readonly add: (event: AgentEvent) => void
  readonly position: () => number
  /** The events behind a position, or `undefined` if some of them are gone. */
  readonly since: (from: number) => ReadonlyArray<AgentEvent> | undefined
}

/** Keeps the last `room` events at least, and less than twice as many. */
export const make = (room: number): Kept => {
  let items: Array<Single | Steps> = []
  let position = 0
  /** The events up to here are gone. */
  let gone = 0
  const progress = new Map<string, Single>()

  const trim = () => {
    gone = position - room
    items = items.filter(({ last }) => last > gone)
    const [first] = items
    if (first?.deltas !== undefined) first.deltas.splice(0, Math.max(0, gone - (first.last - first.deltas.length)))
    for (const [of, { last }] of progress) if (last <= gone) progress.delete(of)
  }

  const addDelta = (event: Update) => {
    const previous = items.at(-1)
    if (previous?.deltas === undefined || !isSameBlock(previous.event, event)) {
      items.push({ last: position, event, deltas: [deltaOf(event)] })
      return
    }
    previous.last = position
    previous.event = event
    previous.deltas.push(deltaOf(event))
  }

  const addSingle = (event: AgentEvent) => {
    const item: Single = { last: position, event: event._tag === "SubagentSaid" ? undefined : event }
    items.push(item)
    const of = progressOf(event)
    if (of === undefined) return
    const older = progress.get(of)
    if (older !== undefined) older.event = undefined
    if (event._tag === "ToolUpdated" || event._tag === "SubagentProgressed") progress.set(of, item)
    else progress.delete(of)
  }

  return {
    add: (event) => {
      position++
      if (isDelta(event)) addDelta(event)
      else addSingle(event)
      if (position - gone >= room * 2) trim()
    },
    position: () => position,
    since: (from) => {
      if (from < gone) return undefined
      return items
        .filter(({ last }) => last > from)
        .flatMap((item) => (item.deltas !== undefined ? [joined(item, from)] : (item.event ?? [])))
    }
  }
}

/**
 * The text of what waits for a host, made when it is written: from the item and the state of its link, and nothing else.
 * So updates merge while they wait, and a host that reads slowly holds no repeated messages in memory.
 */
import * as Either from "effect/Either"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import * as DialectFrames from "../dialect/DialectFrames.ts"
import * as Link from "../connection/Link.ts"
import type { Terms } from "../connection/Preferences.ts"
import * as EventFilter from "../protocol/events/EventFilter.ts"
import { nameFrames } from "../protocol/events/EventFrames.ts"
import * as Frame from "../protocol/Frame.ts"
import { toSaidFrames } from "../subagents/SaidFrames.ts"

/** Something for the host, and the session that it is about. */
export type Item =
  | { readonly _tag: "Event"; readonly link: Link.Link; readonly event: AgentEvent }
  | { readonly _tag: "Response"; readonly link: Link.Link; readonly response: Frame.Response }
  /** A record of the session that is no event of it. */
  | { readonly _tag: "Record"; readonly link: Link.Link; readonly frame: object }

const isHidden = ({ preferences: { filter } }: Link.Link, frame: object) =>
  filter !== undefined && EventFilter.hides(filter, frame)

const record =
  (link: Link.Link) =>
  (frame: object): string => {
    if (isHidden(link, frame)) return ""
    const close = (json: string) => Frame.escapeSeparators(`${json.slice(0, -1)}${Link.envelope(link)}}\n`)
    return Either.match(Frame.toJson(frame), {
      onRight: close,
      onLeft: (reason) => Frame.mended(frame, reason).map(close).join("")
    })
  }

/** Held-back deltas go before every record that follows them. */
const records = (link: Link.Link, frames: ReadonlyArray<object>): string =>
  link.updates.flush() + frames.map(record(link)).join("")

/** A response is no record, and overtakes held-back deltas. */
const answer = (terms: Terms, link: Link.Link, response: Frame.Response): string => {
  const answered = DialectFrames.answer(terms, response)
  return "response" in answered ? Frame.encodeResponse(answered.response) : records(link, [answered.record])
}

const event = (link: Link.Link, item: AgentEvent, now: number): string => {
  switch (item._tag) {
    case "MessageUpdated":
      return link.updates.push(item, now)
    case "SubagentSaid":
      // Also after the host has asked for less: some may have waited here.
      return link.preferences.subagents === "events" ? records(link, toSaidFrames(item)) : ""
    case "SessionNamed":
      return records(link, nameFrames(item.name))
    case "SessionChanged": {
      // Records before this place belong to the old session, records after it to the new one.
      const last = link.updates.flush()
      const { epoch, sessionFile, sessionId } = item
      Object.assign(link, { sessionId, epoch, sessionFile, seq: 0 })
      // Its pages are stale for the host, and would keep the conversation in memory.
      delete link.pages
      return last
    }
    case "CommandsChanged":
      // At the start, the list is offered by the server and by the session that it was registered in.
      if (item.commands === link.commands) return ""
      link.commands = item.commands
      return records(link, link.toFrames(item))
    default:
      if (item._tag === "PersistFailed") link.sessionFile = item.movedTo ?? link.sessionFile
      return records(link, link.toFrames(item))
  }
}

export const encode = (terms: Terms, item: Item, now: number): string => {
  switch (item._tag) {
    case "Event":
      return event(item.link, item.event, now)
    case "Response":
      return answer(terms, item.link, item.response)
    case "Record":
      return records(item.link, [item.frame])
  }
}

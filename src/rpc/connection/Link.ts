/**
 * What a connection knows of one session: how far its records have come, and what the host knows. The encoder brings it
 * forward when it comes to an item, not when the item is offered.
 */
import * as Option from "effect/Option"
import type { CommandInfo } from "../../domain/conversation/AgentEvent.ts"
import type { AgentMessage } from "../../domain/conversation/Message.ts"
import type { SessionInfo } from "../../services/session/Session.ts"
import * as DialectFrames from "../dialect/DialectFrames.ts"
import type { Preferences, Terms } from "./Preferences.ts"
import type { ToFrames } from "../protocol/events/EventFrames.ts"
import * as UpdateFrames from "../outbox/UpdateFrames.ts"

/** Which session it is, and where it is kept. */
export type Place = Pick<SessionInfo, "sessionId" | "epoch" | "file">

/** The conversation as it was when a host began to read it page by page. */
export interface MessageSnapshot {
  readonly sessionId: string
  readonly leaf: string | null
  readonly messages: ReadonlyArray<AgentMessage>
}

export interface Link {
  /** `sessionId`, `epoch` and `seq` are those of the last record written. A handoff changes all three. */
  sessionId: string
  epoch: string
  seq: number
  /** Where the session is kept, if it is in a file. */
  sessionFile?: string | undefined
  /** Those of the connection, until the host has chosen others for this session. */
  preferences: Preferences
  /** The slash commands that were sent to the host last. */
  commands?: ReadonlyArray<CommandInfo>
  /** The snapshot that the host reads page by page; kept until the last page. */
  pages?: MessageSnapshot
  /** Updates that are held back. */
  readonly updates: UpdateFrames.UpdateFrames
  readonly toFrames: ToFrames
}

/** The members of a record that say where it belongs. */
export const envelope = (link: Link): string =>
  `,"sessionId":"${link.sessionId}","epoch":"${link.epoch}","seq":${++link.seq}`

export const make = (terms: Terms, preferences: Preferences, { epoch, file, sessionId }: Place): Link => {
  const link: Link = {
    sessionId,
    epoch,
    seq: 0,
    sessionFile: Option.getOrUndefined(file),
    preferences,
    updates: UpdateFrames.make(
      () => link.preferences.filter?.form ?? link.preferences.updates,
      () => envelope(link)
    ),
    toFrames: DialectFrames.make(terms, () => ({ ...link.preferences, sessionFile: link.sessionFile }))
  }
  return link
}

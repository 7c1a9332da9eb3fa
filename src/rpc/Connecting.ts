/** Opens a connection: its state at first, and the first frames to a host. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Commands } from "../services/Commands.ts"
import * as MessageQueue from "../domain/conversation/MessageQueue.ts"
import { Agent, type EventSink } from "../services/Agent.ts"
import type { DialectName } from "../services/host/Dialect.ts"
import { Session } from "../services/session/Session.ts"
import type { Sessions, SessionServices } from "../services/session/Sessions.ts"
import { ForeignSettings, Settings, SettingsNotice } from "../services/Settings.ts"
import * as Trust from "../services/Trust.ts"
import * as Connection from "./Connection.ts"
import { type AgentEnd, dialects } from "./dialect/Dialect.ts"
import * as Echoes from "./dialect/Echoes.ts"
import type { Outbox } from "./Outbox.ts"
import type { Terms, UpdateForm } from "./Preferences.ts"
import * as Following from "./subagents/Following.ts"

/** How the host wants to be spoken to. */
export interface Manner {
  readonly version: string
  readonly updates: UpdateForm
  /** The vocabulary of the host's family; `superset` serves all of them. */
  readonly dialect?: DialectName
  /** Whether a run that retries ends once, or after each attempt. Default: what the dialect says. */
  readonly agentEnd?: AgentEnd
}

/** The state of a connection that has just begun. */
export const open = Effect.fnUntraced(function* (manner: Manner, sessions: typeof Sessions.Service) {
  const settings = yield* Settings
  const place = yield* Context.get(yield* sessions.current, Session).info
  const dialect = dialects[manner.dialect ?? "superset"]
  const terms: Terms = {
    serverVersion: manner.version,
    maxFrameBytes: settings["rpc.maxFrameBytes"],
    dialect,
    agentEnd: manner.agentEnd ?? dialect.agentEnd,
    ...(dialect.echoesAttachments ? { echoes: Echoes.make() } : {})
  }
  const { updates } = manner
  const preferences = { updates, abortQueue: settings.abortQueue, initialized: false, negotiated: false }
  return Connection.make(terms, preferences, place)
})

/** The host comes to a session: its events go to a link of their own, and it is asked for what the host wants to hear. */
export const enter = (connection: Connection.Connection, outbox: Outbox) =>
  Effect.fnUntraced(function* (session: Context.Context<SessionServices>) {
    const left = connection.link()
    const link = yield* connection.enter(yield* Context.get(session, Session).info)
    if (link !== left) outbox.leave(left)
    yield* Following.begin(link, session)
    return outbox.sinkOf(link)
  })

/** Settings that were ignored, what of the project was left out, queued messages, and slash commands. */
export const tellWhatIsThere = Effect.fnUntraced(function* (
  sink: EventSink,
  sessions: typeof Sessions.Service,
  { dialect }: Terms
) {
  const message = yield* SettingsNotice
  if (message !== "") sink.offer({ _tag: "Notice", level: "warning", message, source: "settings" })
  const foreign = dialect.hidesForeignSettings === true ? undefined : yield* yield* ForeignSettings
  if (foreign !== undefined) sink.offer({ _tag: "Notice", level: "info", message: foreign, source: "settings" })
  const { notice } = yield* Trust.Trust
  if (notice !== undefined) sink.offer({ _tag: "Notice", level: "warning", message: notice, source: "trust" })
  const session = yield* sessions.current
  const queue = yield* Context.get(session, Agent).queue.current
  if (MessageQueue.size(queue) > 0) sink.offer({ _tag: "QueueChanged", queue, changed: MessageQueue.ids(queue) })
  const commands = yield* Context.get(session, Commands).list
  if (commands.length > 0) sink.offer({ _tag: "CommandsChanged", commands })
})

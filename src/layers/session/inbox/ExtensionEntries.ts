/** What extensions store beside the conversation: entries of their own, and labels of others (protocol.md 9.3, 11.4). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as JsonValue from "../../../domain/JsonValue.ts"
import { defined } from "../../../domain/Values.ts"
import { AgentClosing } from "../../../services/Rejections.ts"
import { ExtensionEntries, NotStorable } from "../../../services/Sending.ts"
import { EntryNotFound } from "../../../services/session/Session.ts"
import { SessionCore } from "../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../services/session/SessionModule.ts"
import { Settings } from "../../../services/Settings.ts"
import { storeThenTell } from "../core/StoreThenTell.ts"

const refused = (problem: string) => new NotStorable({ subject: "entry", problem })

/** Heddle keeps the queue in entries of this kind, and believes what they say. */
const reserved = "heddle."

const nameProblem = (customType: unknown): string | undefined => {
  if (typeof customType !== "string" || customType === "") return "its type must be a text that is not empty"
  return customType.startsWith(reserved) ? `types that start with "${reserved}" belong to heddle` : undefined
}

const make = Effect.gen(function* () {
  const {
    entries: session,
    events: { publish }
  } = yield* SessionCore
  const settings = yield* Settings
  /** The host has left the session: nothing is stored in it any more. */
  let closed = false
  const open = Effect.suspend(() => (closed ? new AgentClosing() : Effect.void))

  const store = (customType: string, data: unknown) => {
    const entry = { type: "custom" as const, customType, ...defined({ data }) }
    return storeThenTell(
      () => session.append(entry),
      ({ id, parentId, timestamp }) => {
        publish({ _tag: "EntryAppended", entry: { ...entry, id, parentId, timestamp } })
        return id
      }
    )
  }

  const append = Effect.fn("Agent.appendEntry")(function* (customType: string, data?: unknown) {
    yield* open
    const problem = nameProblem(customType)
    if (problem !== undefined) return yield* refused(problem)
    const copy = yield* Either.mapLeft(JsonValue.snapshot(data, settings["queue.maxBytes"]), refused)
    return yield* store(customType, copy)
  })

  const setLabel = Effect.fn("Agent.setLabel")(function* (entryId: string, label: string | undefined) {
    yield* open
    const entries = yield* session.entries
    if (!entries.some(({ id }) => id === entryId)) return yield* new EntryNotFound({ entryId })
    const set = label === undefined || label === "" ? {} : { label }
    yield* session.append({ type: "label", targetId: entryId, ...set })
  })

  return {
    service: { append, setLabel },
    left: () => {
      closed = true
    }
  }
})

export const module = SessionModule.make("extension entries", ExtensionEntries, make)

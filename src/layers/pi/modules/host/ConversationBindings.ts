/** Conversations and session texts for extensions, by the functions that the agent itself uses. */
import * as Predicate from "effect/Predicate"
import { conversation } from "../../../../domain/session/SessionContext.ts"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import * as Transcript from "../../../../domain/compaction/Transcript.ts"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import { forModel } from "../../../../domain/model/ModelContext.ts"
import { readEntry } from "../../../../domain/session/EntryReading.ts"
import { toJson } from "../../../../domain/session/SessionEntry.ts"
import * as SessionText from "../../../storage/sessions/SessionText.ts"
import type { ConversationBindings, SessionContents } from "../HostBindings.ts"

const objects = (values: ReadonlyArray<object>): ReadonlyArray<JsonObject> => values.filter(Predicate.isReadonlyRecord)

/** The header and the entries of a session file, migrated to the current version. Throws on other files. */
export const readSession = (bytes: Uint8Array, path: string): SessionContents => {
  const decoded = SessionText.decode(bytes)
  if (decoded._tag !== "Session") throw new Error(`Not a session file that heddle can read: ${path}`)
  return { header: { ...decoded.header }, entries: objects(decoded.entries.map(toJson)) }
}

const parse = (text: string): ReadonlyArray<JsonObject> => {
  const decoded = SessionText.decode(new TextEncoder().encode(text))
  return decoded._tag === "Session" ? objects([decoded.header, ...decoded.entries.map(toJson)]) : []
}

export const bindings: ConversationBindings = {
  toLlm: (messages) => forModel(messages),
  serialize: (messages) => Transcript.serialize(messages),
  estimateTokens: ContextTokens.estimate,
  messages: (branch) => conversation(branch.flatMap((entry) => readEntry(entry) ?? [])),
  parse
}

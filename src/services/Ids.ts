/** Where ids come from: a service, so that transcripts are repeatable. */
import * as Context from "effect/Context"

export type IdKind =
  | "run"
  | "message"
  | "session"
  | "entry"
  | "epoch"
  | "compaction"
  | "hostCall"
  | "hostCancel"
  | "dialog"
  | "approval"
  | "fiber"

export class Ids extends Context.Tag("heddle/services/Ids")<
  Ids,
  {
    /** Unique in the process; sessions are UUIDv7, entries eight hex digits. Never waits and never fails. */
    readonly next: (kind: IdKind) => string
  }
>() {}

/** An entry id that no other entry of the session has. */
export const freshEntryId = (ids: typeof Ids.Service, isTaken: (id: string) => boolean): string => {
  let id = ids.next("entry")
  while (isTaken(id)) id = ids.next("entry")
  return id
}

/** Where ids come from: a service, so that transcripts are repeatable. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export type IdKind = "run" | "message" | "session" | "entry" | "epoch" | "compaction" | "hostCall" | "hostCancel"

export class Ids extends Context.Tag("heddle/services/Ids")<
  Ids,
  {
    /** Unique in the process; sessions are UUIDv7, entries eight hex digits. */
    readonly next: (kind: IdKind) => Effect.Effect<string>
    /** The same for code that is a single step: an id is had without waiting, and making one never fails. */
    readonly unsafeNext: (kind: IdKind) => string
  }
>() {}

export const make = (unsafeNext: (kind: IdKind) => string) =>
  Ids.of({ unsafeNext, next: (kind) => Effect.sync(() => unsafeNext(kind)) })

/** One that no other entry of the session has. */
export const freshEntryId = ({ unsafeNext }: typeof Ids.Service, isTaken: (id: string) => boolean): string => {
  let id = unsafeNext("entry")
  while (isTaken(id)) id = unsafeNext("entry")
  return id
}

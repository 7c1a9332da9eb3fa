/** The failure responses of session commands. */
import type { EntryNotFound } from "../../services/session/Session.ts"
import type {
  EmptySessionName,
  ModelUnavailable,
  NoSessionFolders,
  NotABranchPoint,
  NothingToClone
} from "../../services/session/Sessions.ts"
import type { OpenFailure } from "../../services/storage/SessionStore.ts"
import { CommandFailure } from "../Command.ts"

export type SessionFailure =
  | EmptySessionName
  | EntryNotFound
  | ModelUnavailable
  | NoSessionFolders
  | NotABranchPoint
  | NothingToClone
  | OpenFailure

const codes = {
  AmbiguousSession: "ambiguous_session",
  EmptySessionName: "invalid_name",
  EntryNotFound: "entry_not_found",
  ModelUnavailable: "model_unavailable",
  NewerSession: "newer_session",
  NoSessionFolders: "no_persistence",
  NotABranchPoint: "invalid_entry",
  NotASession: "not_a_session",
  NothingToClone: "nothing_to_clone",
  SessionInUse: "session_in_use",
  SessionNotFound: "session_not_found",
  StoreFailure: "store_failure"
} as const satisfies Record<SessionFailure["_tag"], string>

/** The codes of commands that open a session. */
export const openCodes = [
  codes.SessionNotFound,
  codes.NotASession,
  codes.NewerSession,
  codes.SessionInUse,
  codes.AmbiguousSession,
  codes.StoreFailure,
  codes.ModelUnavailable
]

const dataOf = (failure: SessionFailure): { readonly data?: unknown } => {
  if (failure._tag === "SessionInUse") return { data: { owner: failure.owner } }
  return failure._tag === "AmbiguousSession" ? { data: { candidates: failure.candidates } } : {}
}

export const toFailure = (failure: SessionFailure): CommandFailure =>
  new CommandFailure({ code: codes[failure._tag], message: failure.message, ...dataOf(failure) })

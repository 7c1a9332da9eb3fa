/** The stored sessions for extensions: lists from the store, single files read at once. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionFolder, SessionStore, SessionSummary } from "../../../../services/session/SessionStore.ts"
import { basename } from "../../../platform/files/LocalPaths.ts"
import * as ReadNow from "../../../platform/modules/ReadNow.ts"
import * as SessionFolders from "../../../session/SessionFolders.ts"
import type { SessionBindings, SessionListing } from "../HostBindings.ts"
import type { Run } from "./Bridge.ts"
import { readSession } from "./ConversationBindings.ts"

const toListing = (summary: SessionSummary): ReadonlyArray<SessionListing> => {
  if (Option.isNone(summary.file)) return []
  const { createdAt, cwd, firstMessage, messageCount, sessionId, updatedAt } = summary
  const name = Option.match(summary.name, { onNone: () => ({}), onSome: (name) => ({ name }) })
  const rest = { created: createdAt, modified: updatedAt, messageCount, firstMessage }
  return [{ path: summary.file.value, id: sessionId, cwd, ...name, ...rest }]
}

const listOf = (folder: SessionFolder) => Effect.map(folder.list, (found) => found.flatMap(toListing))

/** Folders are listed a few at a time: a person may have thousands. */
const concurrency = 4

export const make = (
  store: typeof SessionStore.Service,
  location: SessionFolders.Location,
  run: Run
): SessionBindings => {
  const listFolder = (path: string) =>
    Option.match(store.folder(path), { onNone: () => Effect.succeed([]), onSome: listOf })
  return {
    list: (folder) => run(folder === undefined ? listOf(store) : listFolder(folder)),
    listAll: () => {
      if (location.sessionDir !== undefined) return run(listOf(store))
      const folders = ReadNow.folders(SessionFolders.root(location)).filter((path) => basename(path).startsWith("--"))
      return run(Effect.map(Effect.forEach(folders, listFolder, { concurrency }), (lists) => lists.flat()))
    },
    folderOf: (cwd) => SessionFolders.own({ ...location, cwd }),
    read: (path) => readSession(ReadNow.bytes(path), path),
    latest: (folder) => ReadNow.newest(folder, SessionFolders.suffix)
  }
}

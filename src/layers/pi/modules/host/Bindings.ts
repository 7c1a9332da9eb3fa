/** Puts together what the importable modules need, from the services of the agent. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import * as Json from "../../../../domain/Json.ts"
import { clampLevel, supportedLevels } from "../../../../domain/model/Model.ts"
import * as Usage from "../../../../domain/model/Usage.ts"
import { type SessionFolder, SessionStore, type SessionSummary } from "../../../../services/storage/SessionStore.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as AuthFile from "../../../models/keys/AuthFile.ts"
import { basename } from "../../../machine/files/LocalPaths.ts"
import * as ReadNow from "../../../machine/foreign/modules/ReadNow.ts"
import * as SessionFolders from "../../../storage/sessions/SessionFolders.ts"
import type { HostBindings, ModelBindings, SessionBindings, SessionListing } from "../HostBindings.ts"
import * as Bridge from "./Bridge.ts"
import * as ConversationBindings from "./ConversationBindings.ts"
import * as ToolBindings from "./ToolBindings.ts"

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

/** The stored sessions for extensions: lists from the store, single files read at once. */
const sessionBindings = (
  store: typeof SessionStore.Service,
  location: SessionFolders.Location,
  run: Bridge.Run
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
    read: (path) => ConversationBindings.readSession(ReadNow.bytes(path), path),
    latest: (folder) => ReadNow.newest(folder, SessionFolders.suffix)
  }
}

export interface BindingOptions extends ToolBindings.ToolServices {
  readonly location: SessionFolders.Location
  readonly version: string
  readonly packageDir: string
  readonly models: Pick<ModelBindings, "all" | "available" | "stream">
}

/** The entry of a provider in auth.json. Extensions are trusted code: pi gives them keys, too. */
const credentialIn = (agentDir: string) => {
  const path = AuthFile.pathIn(agentDir)
  return (provider: string): JsonObject | undefined => {
    const entries = Either.getOrUndefined(Json.parse(ReadNow.textIfPresent(path) ?? "{}"))
    const entry = Predicate.isReadonlyRecord(entries) ? entries[provider] : undefined
    return Predicate.isReadonlyRecord(entry) ? entry : undefined
  }
}

/** The scope owns all that extensions run through the bindings. */
export const make = Effect.fnUntraced(function* (options: BindingOptions) {
  const { models, packageDir, location, version } = options
  const settings = yield* Settings
  const run = yield* Bridge.make
  return {
    agentDir: location.agentDir,
    cwd: location.cwd,
    version,
    packageDir,
    settings: () => settings,
    tools: yield* ToolBindings.make(options, run),
    sessions: sessionBindings(yield* SessionStore, location, run),
    models: {
      ...models,
      supportedLevels,
      clampLevel,
      cost: (tokens, prices) => Usage.make(tokens, prices).cost
    },
    conversation: ConversationBindings.bindings,
    credential: credentialIn(location.agentDir)
  } satisfies HostBindings
})

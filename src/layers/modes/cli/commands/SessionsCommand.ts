/** `heddle sessions`: the stored sessions of all folders with numbers, and the one that a number stands for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import { Ids } from "../../../../services/Ids.ts"
import type { SessionSummary } from "../../../../services/storage/SessionStore.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as IsoTime from "../../../machine/engine/IsoTime.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as RandomIds from "../../../machine/engine/RandomIds.ts"
import * as JsonlSessionStore from "../../../storage/sessions/JsonlSessionStore.ts"
import * as SessionFolders from "../../../storage/sessions/SessionFolders.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"
import { type Given, invalid, StartupFailure } from "../arguments/OptionTable.ts"
import * as StartOptions from "../arguments/StartOptions.ts"
import * as SecretMask from "./SecretMask.ts"

/** So many are shown to people who search for nothing. */
const mostShown = 20
const longestTitle = 50
const longestFolder = 28

interface ListingOptions {
  readonly cwd?: string
  readonly sessionDir?: string
  readonly trusted?: boolean
  readonly overrides: Readonly<Record<string, unknown>>
}

const listingOptions = Effect.fnUntraced(function* (given: Given) {
  const one = (name: string) => given.values.get(name)?.[0]
  return {
    ...defined({ cwd: one("cwd"), sessionDir: one("session-dir") }),
    ...StartOptions.trustOf((name) => given.values.has(name)),
    overrides: yield* StartOptions.readOverrides(given)
  } satisfies ListingOptions
})

/** The session that was used last is number 1. Sessions without a message are left out: nothing is in them. */
const listAll = Effect.fnUntraced(function* ({ overrides, sessionDir, trusted, ...listing }: ListingOptions) {
  const agentDir = yield* Process.agentDir
  const cwd = LocalPaths.resolve(listing.cwd ?? (yield* Process.currentFolder))
  const { settings, trust } = yield* FileSettings.load({ agentDir, cwd, overrides, trusted })
  const where = yield* SessionFolders.locate({ agentDir, cwd, ...defined({ sessionDir }) }).pipe(
    Effect.provideService(Settings, settings)
  )
  const listed = yield* JsonlSessionStore.listAll(where).pipe(
    Effect.provideService(Ids, RandomIds.make()),
    Effect.mapError(({ message }) => new StartupFailure({ code: "STARTUP_ERROR", message }))
  )
  const mask = yield* SecretMask.make(cwd, trust.atStart === "trusted")
  const sessions = listed
    .filter(({ messageCount }) => messageCount > 0)
    .map((session, at) => ({ ...session, number: at + 1, title: mask(titleOf(session)) }))
  return { sessions, cwd }
})

interface Listed extends SessionSummary {
  readonly number: number
  readonly title: string
}

const titleOf = ({ firstMessage, name }: SessionSummary) => Text.oneLine(Option.getOrElse(name, () => firstMessage))

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000]
] as const

const age = (ms: number): string => {
  const unit = units.find(([, length]) => ms >= length)
  return unit === undefined ? "now" : `${Math.floor(ms / unit[1])} ${unit[0]} ago`
}

/** The end of a path says more than its beginning. */
const shortFolder = (folder: string): string => {
  const home = LocalPaths.home()
  const path = Text.oneLine(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder)
  return path.length > longestFolder ? `…${path.slice(1 - longestFolder)}` : path
}

const row =
  (now: number) =>
  ({ cwd, number, title, updatedAt }: Listed) => [
    String(number),
    age(now - IsoTime.toMillis(updatedAt)),
    shortFolder(cwd),
    Text.fit(title === "" ? "(no text)" : title, longestTitle)
  ]

const matches = (search: string) => {
  const wanted = search.toLowerCase()
  return ({ cwd, firstMessage, name, sessionId }: Listed) =>
    [cwd, firstMessage, sessionId, Option.getOrElse(name, () => "")].some((text) => text.toLowerCase().includes(wanted))
}

const toJson = ({ createdAt, cwd, file, messageCount, name, number, sessionId, title, updatedAt }: Listed) => ({
  number,
  sessionId,
  file: Option.getOrNull(file),
  cwd,
  name: Option.getOrNull(name),
  title,
  createdAt,
  updatedAt,
  messageCount
})

export const run = Effect.fnUntraced(function* (given: Given) {
  const search = given.messages.join(" ").trim()
  const { sessions } = yield* listAll(yield* listingOptions(given))
  const found = search === "" ? sessions : sessions.filter(matches(search))
  if (given.values.has("json")) return yield* Process.print(JSON.stringify(found.map(toJson), null, 2))
  if (found.length === 0) {
    const what = search === "" ? "There are no sessions yet." : `No session has "${Text.oneLine(search)}".`
    return yield* Process.printError(what)
  }
  const shown = search === "" ? found.slice(0, mostShown) : found
  const now = yield* Clock.currentTimeMillis
  yield* Process.print(Process.table([["#", "USED", "FOLDER", "NAME OR FIRST MESSAGE"], ...shown.map(row(now))]))
  const left = found.length - shown.length
  if (left > 0) yield* Process.printError(`${left} more: heddle sessions <text> searches, --json lists all.`)
})

/** The file of session `number`, and the folder to continue it in. */
export const numbered = Effect.fnUntraced(function* (number: number, options: StartOptions.StartOptions) {
  const { cwd, overrides, session } = options
  const listing: ListingOptions = {
    ...defined({ cwd, sessionDir: session.sessionDir, trusted: options.trusted }),
    overrides
  }
  const { sessions } = yield* listAll(listing)
  const found = sessions[number - 1]
  if (found === undefined) {
    return yield* invalid(`there is no session ${number}: heddle sessions lists ${sessions.length}`)
  }
  const file = Option.getOrElse(found.file, () => found.sessionId)
  const folder = yield* Process.folder(found.cwd)
  if (cwd === undefined && folder === undefined) {
    return yield* invalid(`the folder of session ${number} is gone: ${found.cwd}. Choose another one with --cwd`)
  }
  return { file, cwd: cwd ?? found.cwd }
})

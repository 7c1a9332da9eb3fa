/** AGENTDIR/trust.json: the user's decisions about projects, each tied to what the project would run (protocol.md 11.5). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import * as Json from "../../../domain/Json.ts"
import { TrustLevel } from "../../../services/Trust.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"

/** The user's decisions about projects. */
export const pathIn = (agentDir: string): string => `${agentDir}/trust.json`

const Texts = Schema.Record({ key: Schema.String, value: Schema.String })

/** What was decided, about what, and when. `parts` has a digest of each part, to say later what has changed. */
const StoredDecision = Schema.Struct({
  decision: TrustLevel,
  digest: Schema.NonEmptyString,
  /** Of what extensions import from elsewhere; absent if that is nothing. */
  imports: optional(Schema.NonEmptyString),
  at: Schema.String,
  parts: optional(Texts)
})
export type StoredDecision = typeof StoredDecision.Type

/** Entries by the real path of the folder. One that does not fit is no decision, and stays as it is. */
const TrustEntries = Schema.Struct({
  version: Schema.Literal(1),
  folders: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

const decodeFile = Schema.decodeUnknownEither(TrustEntries)
const decodeDecision = Schema.decodeUnknownOption(StoredDecision)

export class TrustFileUnusable extends Schema.TaggedError<TrustFileUnusable>()("TrustFileUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

/** A few hundred bytes for each project. The oldest decisions give way. */
const mostFolders = 1000

const readFolders = Effect.fnUntraced(function* (files: Files, path: string) {
  const found = yield* Effect.mapError(
    ReadText.readIfPresent(files, path, { largest: 16 * 1024 * 1024 }),
    ({ reason }) => new TrustFileUnusable({ path, reason })
  )
  if (Option.isNone(found)) return {}
  const decoded = Either.flatMap(Json.parse(found.value), decodeFile)
  if (Either.isRight(decoded)) return decoded.right.folders
  return yield* new TrustFileUnusable({ path, reason: "is not a list of decisions that heddle has written" })
})

/** `folder` is a real path. A file that cannot be read holds no decision, and a warning says so. */
export const find = Effect.fnUntraced(function* (agentDir: string, folder: string) {
  const folders = yield* Effect.catchAll(readFolders(yield* OwnFiles, pathIn(agentDir)), ({ message }) =>
    Effect.as(Effect.logWarning(`ignored decisions about projects: ${message}. Repair or delete the file.`), {})
  )
  return Option.getOrUndefined(decodeDecision(new Map(Object.entries(folders)).get(folder)))
})

const timeOf = (entry: unknown): string =>
  Option.match(decodeDecision(entry), { onNone: () => "", onSome: ({ at }) => at })

/** Keeps the newest entries. */
const bounded = (entries: ReadonlyArray<readonly [string, unknown]>) =>
  entries.length <= mostFolders
    ? entries
    : entries.toSorted(([, a], [, b]) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, mostFolders)

/** Fails rather than replace a file that it cannot read: the user may want to repair it. */
export const store = Effect.fn("TrustFile.store")(function* (
  agentDir: string,
  folder: string,
  decision: Omit<StoredDecision, "at">
) {
  const files = yield* OwnFiles
  const path = pathIn(agentDir)
  const { [folder]: _, ...others } = yield* readFolders(files, path)
  const entries = bounded([...Object.entries(others), [folder, { ...decision, at: yield* IsoTime.now }]])
  const text = `${JSON.stringify({ version: 1, folders: Object.fromEntries(entries) }, null, 2)}\n`
  yield* files.makeFolder(agentDir).pipe(
    Effect.zipRight(files.replace(path, text, 0o600)),
    Effect.mapError(({ code }) => new TrustFileUnusable({ path, reason: `cannot be written (${code || "no reason"})` }))
  )
})

/** AGENTDIR/auth.json: keys by provider (protocol.md 16.3). Read again when changed; entries of other programs are kept. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SynchronizedRef from "effect/SynchronizedRef"
import * as Json from "../../../domain/Json.ts"
import { dirname } from "../../machine/files/LocalPaths.ts"
import { type Files, type FileState, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import { KnownSecrets, type Secrets } from "../../machine/secrets/KnownSecrets.ts"

export class AuthFileUnusable extends Schema.TaggedError<AuthFileUnusable>()("AuthFileUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

export interface StoredKey {
  readonly key: Redacted.Redacted
  /** Unix milliseconds. Only OAuth tokens have it; other programs of the family store them here. */
  readonly expiresAt?: number
}
export type Keys = ReadonlyMap<string, StoredKey>
type Entries = Readonly<Record<string, unknown>>

const ApiKey = Schema.Struct({ type: Schema.Literal("api_key"), key: Schema.NonEmptyString })
const isApiKey = Schema.is(ApiKey)
const OAuth = Schema.Struct({
  type: Schema.Literal("oauth"),
  access: Schema.NonEmptyString,
  expires: Schema.Number
})
const isOAuth = Schema.is(OAuth)

export const pathIn = (agentDir: string): string => `${agentDir}/auth.json`

/** No message repeats text of the file: every character may belong to a key. */
const readEntries = Effect.fnUntraced(function* (files: Files, path: string) {
  const found = yield* Effect.mapError(
    ReadText.readIfPresent(files, path),
    ({ reason }) => new AuthFileUnusable({ path, reason })
  )
  const text = Option.getOrElse(found, () => "{}")
  const parsed = Either.filterOrLeft(Json.parse(text), Predicate.isRecord, () => "")
  if (Either.isRight(parsed)) return parsed.right
  return yield* new AuthFileUnusable({ path, reason: "is not a JSON object of keys by provider" })
})

const keyOf = (entry: unknown): StoredKey | undefined => {
  if (isApiKey(entry)) return { key: Redacted.make(entry.key) }
  return isOAuth(entry) ? { key: Redacted.make(entry.access), expiresAt: entry.expires } : undefined
}

const keysOf = (entries: Entries): Keys =>
  new Map(
    Object.entries(entries).flatMap(([provider, entry]) => {
      const key = keyOf(entry)
      return key === undefined ? [] : [[provider, key] as const]
    })
  )

/** The values of all entries, also of those that heddle does not use: each may be a token. */
const textsOf = (entries: Entries): ReadonlyArray<string> =>
  Object.values(entries)
    .flatMap((entry) => (Predicate.isRecord(entry) ? Object.values(entry) : [entry]))
    .filter(Predicate.isString)

const none: Keys = new Map()

const octal = (mode: number): string => mode.toString(8).padStart(4, "0")

const load = Effect.fnUntraced(function* (files: Files, path: string, mode: number, add: Secrets["add"]) {
  if ((mode & 0o077) !== 0) {
    yield* Effect.logWarning(`${path} can be read by others (mode ${octal(mode)}); run: chmod 600 ${path}`)
  }
  return yield* readEntries(files, path).pipe(
    Effect.tap((entries) => textsOf(entries).forEach(add)),
    Effect.map(keysOf),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(`ignored keys: ${error.message}`), none))
  )
})

/** The current keys of the file. A problem is reported once until the file changes. */
export const watch = Effect.fnUntraced(function* (path: string) {
  const files = yield* OwnFiles
  const secrets = yield* KnownSecrets
  const known = yield* SynchronizedRef.make({ stamp: "", keys: none })
  let latest = { stamp: "", keys: none }
  const read = ({ mode, stamp }: FileState) =>
    SynchronizedRef.modifyEffect(known, (before) =>
      before.stamp === stamp
        ? Effect.succeed([before.keys, before] as const)
        : Effect.map(load(files, path, mode, secrets.add), (keys) => {
            latest = { stamp, keys }
            return [keys, latest] as const
          })
    )
  const state = Effect.orElseSucceed(files.state(path), () => undefined)
  return Effect.flatMap(state, (file) => {
    if (file === undefined) return Effect.succeed(none)
    return file.stamp === latest.stamp ? Effect.succeed(latest.keys) : read(file)
  })
})

/** Only the owner may read the file, whatever its permissions were. */
const write = (files: Files, path: string, entries: Entries) =>
  files.makeFolder(dirname(path)).pipe(
    Effect.zipRight(files.replace(path, `${JSON.stringify(entries, null, 2)}\n`, 0o600)),
    Effect.mapError(
      ({ code }) => new AuthFileUnusable({ path, reason: `cannot be written (${code || "unknown reason"})` })
    )
  )

export const set = Effect.fn("AuthFile.set")(function* (path: string, provider: string, key: Redacted.Redacted) {
  const files = yield* OwnFiles
  const entries = yield* readEntries(files, path)
  yield* write(files, path, { ...entries, [provider]: { type: "api_key", key: Redacted.value(key) } })
})

/** False when there was nothing to remove. */
export const remove = Effect.fn("AuthFile.remove")(function* (path: string, provider: string) {
  const files = yield* OwnFiles
  const { [provider]: removed, ...rest } = yield* readEntries(files, path)
  if (removed === undefined) return false
  yield* write(files, path, rest)
  return true
})

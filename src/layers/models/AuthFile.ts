/** AGENTDIR/auth.json: keys by provider (protocol.md 16.3). Read again when changed; entries of other programs are kept. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SynchronizedRef from "effect/SynchronizedRef"
import * as Json from "../../domain/Json.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import * as SecretFile from "../platform/files/SecretFile.ts"

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
const readEntries = Effect.fnUntraced(function* (path: string) {
  const found = yield* Effect.mapError(
    ReadText.readIfPresent(path),
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

const none: Keys = new Map()

const octal = (mode: number): string => mode.toString(8).padStart(4, "0")

const load = Effect.fnUntraced(function* (path: string, mode: number) {
  if ((mode & 0o077) !== 0) {
    yield* Effect.logWarning(`${path} can be read by others (mode ${octal(mode)}); run: chmod 600 ${path}`)
  }
  return yield* readEntries(path).pipe(
    Effect.map(keysOf),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(`ignored keys: ${error.message}`), none))
  )
})

/** The current keys of the file. A problem is reported once until the file changes. */
export const watch = Effect.fnUntraced(function* (path: string) {
  const known = yield* SynchronizedRef.make({ stamp: "", keys: none })
  let latest = { stamp: "", keys: none }
  const read = ({ mode, stamp }: SecretFile.FileState) =>
    SynchronizedRef.modifyEffect(known, (before) =>
      before.stamp === stamp
        ? Effect.succeed([before.keys, before] as const)
        : Effect.map(load(path, mode), (keys) => {
            latest = { stamp, keys }
            return [keys, latest] as const
          })
    )
  return Effect.suspend(() => {
    const file = SecretFile.stateOf(path)
    if (file === undefined) return Effect.succeed(none)
    return file.stamp === latest.stamp ? Effect.succeed(latest.keys) : read(file)
  })
})

const write = (path: string, entries: Entries) =>
  SecretFile.replace(path, `${JSON.stringify(entries, null, 2)}\n`).pipe(
    Effect.mapError(({ reason }) => new AuthFileUnusable({ path, reason }))
  )

export const set = Effect.fn("AuthFile.set")(function* (path: string, provider: string, key: Redacted.Redacted) {
  const entries = yield* readEntries(path)
  yield* write(path, { ...entries, [provider]: { type: "api_key", key: Redacted.value(key) } })
})

/** False when there was nothing to remove. */
export const remove = Effect.fn("AuthFile.remove")(function* (path: string, provider: string) {
  const { [provider]: removed, ...rest } = yield* readEntries(path)
  if (removed === undefined) return false
  yield* write(path, rest)
  return true
})

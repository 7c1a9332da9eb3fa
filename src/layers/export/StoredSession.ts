/** Reads a session file to look at it, whoever may be writing it. Lines that cannot be read are left out. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.ts"
import { NewEntry, type SessionEntry, type SessionHeader, sessionVersion } from "../../domain/SessionEntry.ts"
import { NotASession, SessionNotFound, StoreFailure } from "../../services/SessionStore.ts"
import * as ReadText from "../platform/ReadText.ts"

type Line = Readonly<Record<string, unknown>>

const isLine = (value: unknown): value is Line => Predicate.isRecord(value)
const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise)

const headerOf = (line: Line | undefined): SessionHeader | undefined =>
  line?.["type"] !== "session" || text(line["id"]) === ""
    ? undefined
    : {
        ...line,
        type: "session",
        version: sessionVersion,
        id: text(line["id"]),
        timestamp: text(line["timestamp"]),
        cwd: text(line["cwd"])
      }

/** Entries without an id follow the line before. */
const readEntries = (lines: ReadonlyArray<Line>): ReadonlyArray<SessionEntry> => {
  const decode = Schema.decodeUnknownEither(NewEntry())
  let before: string | null = null
  return lines.map((raw, at) => {
    const id = text(raw["id"], `line-${at + 2}`)
    const parentId =
      raw["parentId"] === undefined ? before : typeof raw["parentId"] === "string" ? raw["parentId"] : null
    const place = { id, parentId, timestamp: text(raw["timestamp"]) }
    before = id
    return Either.match(decode(raw), {
      onLeft: (): SessionEntry => ({ type: "foreign", raw: { ...raw, ...place }, ...place }),
      onRight: (entry): SessionEntry => ({ ...entry, ...place })
    })
  })
}

const failure = (reference: string) => (error: ReadText.TextUnreadable) =>
  error.reason === "no such file"
    ? new SessionNotFound({ reference })
    : new StoreFailure({ operation: "open", reference, detail: error.reason })

export const read = Effect.fnUntraced(function* (path: string) {
  const content = yield* Effect.mapError(ReadText.read(path), failure(path))
  const lines = content.split("\n").flatMap((line) => {
    const value = Either.getOrUndefined(Json.parse(line))
    return isLine(value) ? [value] : []
  })
  const header = headerOf(lines[0])
  if (header === undefined) return yield* new NotASession({ reference: path })
  return { header, entries: readEntries(lines.slice(1)) }
})

/** Small text files that a person wrote: settings, models, and files that they name. */
import { sep } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Json from "../../../domain/Json.ts"
import * as Engine from "../engine/Engine.ts"
import type { FileRefused } from "./FileErrors.ts"
import type { Files } from "./own/OwnFiles.ts"
import { notRegular } from "./RegularFile.ts"

export class TextUnreadable extends Data.TaggedError("TextUnreadable")<{
  readonly path: string
  readonly reason: string
}> {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

const reasons = new Map([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EISDIR", "is a folder, not a file"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "is a link to itself"]
])

/** More than anybody writes by hand. */
const largest = 1024 * 1024

export interface ReadOptions {
  /** A folder of a stranger: a link in it that leads out of it is refused. */
  readonly within?: string
  /** In bytes. */
  readonly largest?: number
}

const unreadable = ({ code, message, path }: FileRefused) =>
  new TextUnreadable({ path, reason: reasons.get(code) ?? (code === notRegular ? `is ${message}` : message) })

/** UTF-8, without the byte order mark. For a file that the user named. */
export const read = (files: Pick<Files, "read">, path: string): Effect.Effect<string, TextUnreadable> =>
  Effect.mapBoth(files.read(path), { onFailure: unreadable, onSuccess: (bytes) => new TextDecoder().decode(bytes) })

/** The path that a link leads to, if that is inside the folder. */
const inside = Effect.fnUntraced(function* (files: Pick<Files, "real">, path: string, folder: string) {
  const [real, root] = yield* Effect.mapError(Effect.all([files.real(path), files.real(folder)]), unreadable)
  if (real.startsWith(root.endsWith(sep) ? root : root + sep)) return real
  return yield* new TextUnreadable({ path, reason: "is a link that leads out of the folder" })
})

/** Those of the paths where there is something. A first look that costs little, because most of these files do not exist. */
export const present = (files: Pick<Files, "state">, paths: ReadonlyArray<string>) =>
  Effect.filter(paths, (path) =>
    Effect.match(files.state(path), { onFailure: () => true, onSuccess: (state) => state !== undefined })
  )

/**
 * The one way to read a file that may have come with a project: only a regular file that is not too large, so that a link to
 * a device or a FIFO neither hangs nor fills the memory. Most of these files do not exist: asking for their state makes
 * no error, which keeps start-up short.
 */
export const readIfPresent = Effect.fnUntraced(function* (
  files: Pick<Files, "read" | "real" | "state">,
  path: string,
  options: ReadOptions = {}
) {
  const most = options.largest ?? largest
  const state = yield* Effect.mapError(files.state(path), unreadable)
  if (state === undefined) return Option.none<string>()
  if (state.isFile && state.size > most)
    return yield* new TextUnreadable({ path, reason: `is larger than ${most / 1024} KiB` })
  const location = options.within === undefined ? path : yield* inside(files, path, options.within)
  // `read` refuses what is no regular file and says what it is.
  return Option.some(yield* read(files, location))
})

export interface Head {
  readonly text: string
  /** Undefined for the whole file; otherwise the bytes of it. */
  readonly cutFrom?: number
  /** Bytes that are no UTF-8 were replaced. */
  readonly isDamaged: boolean
}

/** As many bytes as `readStart` reads. */
export const headBytes = 64 * 1024

const decoded = (bytes: Uint8Array, isCut: boolean): Omit<Head, "cutFrom"> => {
  const whole = new TextDecoder().decode(bytes)
  // A cut may go through a character, so it goes back to the end of a line.
  const text = isCut ? whole.slice(0, whole.lastIndexOf("\n") + 1 || -1) : whole
  return { text, isDamaged: text.includes("\uFFFD") }
}

/** The same for a text that is of use without its end: the first lines of a file that is too large. */
export const headIfPresent = Effect.fnUntraced(function* (
  files: Pick<Files, "read" | "readStart" | "real" | "state">,
  path: string,
  { within }: Pick<ReadOptions, "within"> = {}
) {
  const state = yield* Effect.mapError(files.state(path), unreadable)
  if (state === undefined) return Option.none<Head>()
  const location = within === undefined ? path : yield* inside(files, path, within)
  const isCut = state.isFile && state.size > headBytes
  const bytes = yield* Effect.mapError(isCut ? files.readStart(location) : files.read(location), unreadable)
  return Option.some<Head>({ ...decoded(bytes, isCut), ...(isCut ? { cutFrom: state.size } : {}) })
})

/** JSON is both. Node can read nothing else of them. */
const parseAs = (language: "JSONC" | "YAML", text: string): Either.Either<unknown, string> =>
  Engine.isBun
    ? Either.try({ try: (): unknown => Bun[language].parse(text), catch: (cause) => String(cause) })
    : Either.mapLeft(Json.parse(text), (reason) => `reading more of ${language} than JSON needs Bun: ${reason}`)

/** JSON with comments, as people write settings. */
export const parseJsonc = (text: string): Either.Either<unknown, string> => parseAs("JSONC", text)

/** Deeper than anybody nests by hand. */
const deepest = 50

const isDeep = (value: unknown, depth = 0): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === deepest || Object.values(value).some((member) => isDeep(member, depth + 1)))

/** YAML can hold a value that contains itself, which could never be read to the end. */
export const parseYaml = (text: string): Either.Either<unknown, string> =>
  Either.filterOrLeft(
    parseAs("YAML", text),
    (value) => !isDeep(value),
    () => `is nested more than ${deepest} times`
  )

const isYaml = (path: string) => /\.ya?ml$/.test(path)

/** By the ending of the file's name. */
export const parse = (path: string, text: string): Either.Either<unknown, string> =>
  isYaml(path) ? parseYaml(text) : parseJsonc(text)

/** The name of the language that `parse` takes the file for. */
export const language = (path: string): string => (isYaml(path) ? "YAML" : "JSON")

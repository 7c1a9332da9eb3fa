/** Small text files that a person wrote: settings, models, and files that they name. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { FileRefused } from "./FileErrors.ts"
import type { Files } from "./OwnFiles.ts"

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
  ["EPERM", "permission denied"]
])

const unreadable = ({ code, message, path }: FileRefused) =>
  new TextUnreadable({ path, reason: reasons.get(code) ?? message })

/** UTF-8, without the byte order mark. */
export const read = (files: Pick<Files, "read">, path: string): Effect.Effect<string, TextUnreadable> =>
  Effect.mapBoth(files.read(path), { onFailure: unreadable, onSuccess: (bytes) => new TextDecoder().decode(bytes) })

/** Most settings files do not exist: asking for their state makes no error, which keeps start-up short. */
export const readIfPresent = (
  files: Pick<Files, "read" | "state">,
  path: string
): Effect.Effect<Option.Option<string>, TextUnreadable> =>
  Effect.flatMap(Effect.mapError(files.state(path), unreadable), (state) =>
    state === undefined ? Effect.succeedNone : Effect.asSome(read(files, path))
  )

/** JSON with comments, as people write settings. */
export const parseJsonc = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => Bun.JSONC.parse(text), catch: (cause) => String(cause) })

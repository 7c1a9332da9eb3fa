/** Reads small text files that the person named: settings that point to a file. */
import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

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

const reasonOf = (cause: unknown): string => {
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""
  return reasons.get(code) ?? (cause instanceof Error ? cause.message : String(cause))
}

/** `path` relative to `cwd`; a leading `~/` is the home folder, because shells do not expand it inside `key=~/x`. */
export const absolute = (cwd: string, path: string): string =>
  path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(cwd, path)

/** UTF-8 without a byte order mark. Synchronous: the files are small, and a thread for them costs a start 3 ms. */
export const read = (path: string): Effect.Effect<string, TextUnreadable> =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) => new TextUnreadable({ path, reason: reasonOf(cause) })
  }).pipe(Effect.map((text) => (text.startsWith("\uFEFF") ? text.slice(1) : text)))

/** Most settings files are not there: a look that makes no error keeps start-up short. */
const isMissing = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch (cause) {
    return reasonOf(cause) === reasons.get("ENOENT")
  }
}

export const readIfPresent = (path: string): Effect.Effect<Option.Option<string>, TextUnreadable> =>
  Effect.suspend(() => (isMissing(path) ? Effect.succeedNone : Effect.asSome(read(path))))

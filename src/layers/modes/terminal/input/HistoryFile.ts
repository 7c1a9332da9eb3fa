/** The history of prompts in the agent folder: a JSON text a line, for its owner alone, without secrets. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Json from "../../../../domain/Json.ts"
import { type Files, OwnFiles } from "../../../machine/files/own/OwnFiles.ts"
import { KnownSecrets } from "../../../machine/secrets/KnownSecrets.ts"

/** Entries that are kept, and the size of the file after which older ones are dropped. */
export const mostEntries = 1000
const mostBytes = 1024 * 1024
/** A longer prompt was pasted, and is not typed again. */
const longestEntry = 16 * 1024

export interface HistoryFile {
  readonly entries: ReadonlyArray<string>
  readonly add: (text: string) => Effect.Effect<void>
}

const readLine = (line: string): ReadonlyArray<string> => {
  const parsed = Json.parse(line)
  return Either.isRight(parsed) && typeof parsed.right === "string" ? [parsed.right] : []
}

const toLines = (entries: ReadonlyArray<string>) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")

/** A file that is too long is cut back to the newest entries that take half of the room. */
const shorten = (entries: ReadonlyArray<string>) => {
  let [from, bytes] = [entries.length, 0]
  while (from > 0 && entries.length - from < mostEntries && bytes < mostBytes / 2) {
    from--
    bytes += entries[from]?.length ?? 0
  }
  return entries.slice(from)
}

const append = (files: Files, path: string, text: string) =>
  Effect.acquireUseRelease(
    Effect.orElse(files.open(path), () => files.create(path)),
    (file) => file.append(text),
    (file) => file.close
  )

/** A history that cannot be read or written is no reason not to work: it is empty, or stays as it is. */
export const open = Effect.fnUntraced(function* (agentDir: string) {
  const files = yield* OwnFiles
  const secrets = yield* KnownSecrets
  const path = `${agentDir}/prompt-history.jsonl`
  const bytes = yield* Effect.orElseSucceed(files.read(path), () => new Uint8Array())
  const stored = new TextDecoder().decode(bytes).split("\n").flatMap(readLine)
  const entries = stored.length > mostEntries || bytes.length > mostBytes ? shorten(stored) : stored
  if (entries.length < stored.length) yield* Effect.ignore(files.replace(path, toLines(entries), 0o600))
  const add = Effect.fnUntraced(function* (text: string) {
    if (text.length > longestEntry) return
    yield* secrets.collected
    yield* Effect.ignore(files.makeFolder(agentDir))
    yield* Effect.ignore(append(files, path, toLines([secrets.mask(text)])))
  })
  return { entries, add } satisfies HistoryFile
})

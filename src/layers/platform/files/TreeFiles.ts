/** Folders and files as searches go through them: many, small, and none of them worth an error. */
import type { Dirent } from "node:fs"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"

export type Kind = "directory" | "file" | "link" | "other"

export interface Entry {
  readonly name: string
  readonly kind: Kind
}

/** An ignore file or a line that is longer is not one. */
const largestText = 4 * 1024 * 1024
const largestLine = 16 * 1024 * 1024
const chunkBytes = 64 * 1024

const orElse = <A, B>(fallback: B, run: () => Promise<A>): Effect.Effect<A | B> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => run()),
    () => fallback
  )

const kindOf = (entry: Dirent): Kind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

export const list = (path: string): Effect.Effect<ReadonlyArray<Entry>> =>
  orElse([], async () => {
    const found = await fs.readdir(path, { withFileTypes: true })
    return Promise.all(
      found.map(async (entry) => {
        // Some file systems do not tell the kind along with the name.
        const kind = kindOf(entry)
        return { name: entry.name, kind: kind === "other" ? await kindAt(join(path, entry.name)) : kind }
      })
    )
  })

const kindAt = async (path: string): Promise<Kind> => {
  const stats = await fs.lstat(path).catch(() => undefined)
  return stats?.isFile() ? "file" : stats?.isDirectory() ? "directory" : stats?.isSymbolicLink() ? "link" : "other"
}

export const exists = (path: string): Effect.Effect<boolean> => orElse(false, () => fs.lstat(path).then(() => true))

/** Undefined when there is none that can be read. */
export const readText = (path: string): Effect.Effect<string | undefined> =>
  orElse(undefined, async () => {
    const stats = await fs.stat(path)
    return stats.isFile() && stats.size <= largestText ? fs.readFile(path, "utf8") : undefined
  })

/** UTF-8, where bytes that are none become U+FFFD; UTF-16 if a mark says so. Undefined: binary. */
const decoderFor = (head: Uint8Array): TextDecoder | undefined => {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder("utf-16le")
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder("utf-16be")
  return head.includes(0) ? undefined : new TextDecoder("utf-8")
}

/** Called with whole lines, LF included except for the last; false ends the scan. */
export type OnText = (text: string, firstLine: number) => boolean

const countLines = (text: string) => {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

const scanHandle = async (handle: fs.FileHandle, signal: AbortSignal, onText: OnText): Promise<"done" | "binary"> => {
  // Clearing a buffer for each of many small files takes longer than reading them.
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let decoder: TextDecoder | undefined
  let position = 0
  let line = 1
  let rest = ""
  while (!signal.aborted) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    decoder ??= decoderFor(chunk.subarray(0, bytesRead))
    if (decoder === undefined) return "binary"
    // A regular file that gives less than asked for has no more.
    const isLast = bytesRead < chunk.length
    const text = rest + decoder.decode(chunk.subarray(0, bytesRead), { stream: !isLast })
    if (text.includes("\0") || text.length > largestLine) return "binary"
    if (isLast) {
      if (text !== "") onText(text, line)
      break
    }
    position += bytesRead
    const end = text.lastIndexOf("\n") + 1
    rest = text.slice(end)
    if (end === 0) continue
    if (!onText(text.slice(0, end), line)) break
    line += countLines(text.slice(0, end))
  }
  return "done"
}

/** Memory is that of the longest line. `binary` may come after some lines were seen already. */
export const scan = (path: string, onText: OnText): Effect.Effect<"done" | "binary" | "unreadable"> =>
  Effect.tryPromise(async (signal) => {
    // A pipe that took the place of a file must not hang the open.
    const handle = await fs.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      return await scanHandle(handle, signal, onText)
    } finally {
      await handle.close()
    }
  }).pipe(Effect.orElseSucceed(() => "unreadable" as const))

/** Goes through the lines of a text file, with the memory of its longest line. */
import * as Effect from "effect/Effect"
import { FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"

/** A file with a longer line is not text. */
const longestLine = 16 * 1024 * 1024

/** UTF-8, in which bad bytes become U+FFFD; UTF-16 if there is a byte order mark. Undefined for binary files. */
const decoderFor = (head: Uint8Array): TextDecoder | undefined => {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder("utf-16le")
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder("utf-16be")
  return head.includes(0) ? undefined : new TextDecoder("utf-8")
}

/** Called with whole lines, LF included except for the last; false ends the scan. */
export type OnText<E> = (text: string, firstLine: number) => Effect.Effect<boolean, E>

const countLines = (text: string) => {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

const scanFile = Effect.fnUntraced(function* <E>(file: OpenFile, onText: OnText<E>) {
  let decoder: TextDecoder | undefined
  let position = 0
  let line = 1
  let rest = ""
  while (true) {
    const chunk = yield* file.read(position)
    decoder ??= decoderFor(chunk)
    if (decoder === undefined) return "binary"
    position += chunk.length
    const isLast = chunk.length === 0 || position === file.size
    const text = rest + decoder.decode(chunk, { stream: !isLast })
    if (text.includes("\0") || text.length > longestLine) return "binary"
    if (isLast) {
      if (text !== "") yield* onText(text, line)
      return "done"
    }
    const end = text.lastIndexOf("\n") + 1
    rest = text.slice(end)
    if (end === 0) continue
    if (!(yield* onText(text.slice(0, end), line))) return "done"
    line += countLines(text.slice(0, end))
  }
})

const isFileError = (error: unknown): error is FileError => error instanceof FileError

/** `binary` may come after some lines were handed over. */
export const scan = <E = never>(
  path: string,
  onText: OnText<E>
): Effect.Effect<"done" | "binary" | "unreadable", Exclude<E, FileError>, Files> =>
  Effect.flatMap(Files, (files) => Effect.flatMap(files.open(path), (file) => scanFile(file, onText))).pipe(
    Effect.scoped,
    Effect.catchIf(isFileError, () => Effect.succeed("unreadable" as const))
  )

/**
 * Files that a prompt mentions as `@path` or `@"path with spaces"`: their text or image goes to the model with the
 * prompt. A word that names no file stays a word.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ImageContent } from "../../../domain/conversation/Content.ts"
import * as Text from "../../../domain/Text.ts"
import { FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as ImageSize from "../../tools/files/ImageSize.ts"
import * as ReadImage from "../../tools/files/ReadImage.ts"
import * as Truncate from "../../tools/files/Truncate.ts"

export interface Attached {
  /** One block of text for each text file. */
  readonly documents: ReadonlyArray<string>
  readonly images: ReadonlyArray<ImageContent>
  /** The files that are attached, as they were mentioned. */
  readonly paths: ReadonlyArray<string>
  /** Mentions that name no file. */
  readonly missing: ReadonlyArray<string>
  /** Files that cannot be attached, with the reason in a sentence. */
  readonly refused: ReadonlyArray<string>
}

/** Of longer files the beginning is attached, and a note asks the model to read the rest itself. */
export const mostBytes = 256 * 1024

const pattern = /(?<=^|[\s([{'"`])@(?:"([^"\n]+)"|([^\s"'`]+))/g
const punctuation = /[.,;:!?)\]}>]+$/

/** The paths that a text mentions, each once, in order. */
export const find = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(pattern), ([, quoted, plain = ""]) => quoted ?? plain))
]

export interface Unfinished {
  /** Where the path begins, behind the `@` and a quotation mark. */
  readonly from: number
  readonly path: string
  readonly isQuoted: boolean
}

/** The mention that ends at the cursor; undefined if the word there is none. */
export const at = (text: string, cursor: number): Unfinished | undefined => {
  const found = /(?:^|[\s([{'"`])@(?:"([^\n"]*)|([^\s"]*))$/.exec(text.slice(0, cursor))
  if (found === null) return undefined
  const [, quoted, plain = ""] = found
  const path = quoted ?? plain
  return { from: cursor - path.length, path, isQuoted: quoted !== undefined }
}

const document = (path: string, text: string, isCut: boolean): string => {
  const size = Truncate.formatBytes(mostBytes)
  const note = isCut ? `\n[Only the first ${size} are attached. Read the rest with the read tool.]` : ""
  return `<file name="${Text.attribute(path)}">\n${text}${note}\n</file>`
}

type Content = Pick<Attached, "documents" | "images">

/** A cut may go through the middle of a character, which is then left out. */
const decode = (bytes: Uint8Array, isCut: boolean) =>
  Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut }))

const read = Effect.fnUntraced(function* (path: string, file: OpenFile) {
  const bytes = yield* file.readFirst(mostBytes + 1)
  const type = ImageSize.typeOf(bytes)
  if (type !== undefined) {
    const { content } = yield* ReadImage.read(file, type)
    const images = content.flatMap((block) => (block.type === "image" ? [block] : []))
    return { documents: [], images } satisfies Content
  }
  const isCut = bytes.length > mostBytes
  const text = decode(isCut ? bytes.subarray(0, mostBytes) : bytes, isCut)
  if (Either.isLeft(text) || text.right.includes("\0")) {
    return yield* new FileError({ path, reason: "unreadable", description: "it is neither text nor an image" })
  }
  return { documents: [document(path, text.right, isCut)], images: [] } satisfies Content
})

const openFirst = Effect.fnUntraced(function* (mentioned: string, cwd: string) {
  const files = yield* Files
  const open = (path: string) => Effect.map(files.open(LocalPaths.absolute(cwd, path)), (file) => ({ path, file }))
  return yield* Effect.catchIf(
    open(mentioned),
    (error) => error.reason === "not_found" && punctuation.test(mentioned),
    () => open(mentioned.replace(punctuation, ""))
  )
})

const isWord = ({ reason }: FileError) =>
  reason === "not_found" || reason === "is_directory" || reason === "not_directory"

const attachOne = (mentioned: string, cwd: string) =>
  Effect.scoped(
    Effect.flatMap(openFirst(mentioned, cwd), ({ file, path }) =>
      Effect.map(read(path, file), (content) => ({ ...content, paths: [path], missing: [], refused: [] }))
    )
  ).pipe(
    Effect.catchTags({
      FileError: (error) =>
        Effect.succeed<Attached>({
          documents: [],
          images: [],
          paths: [],
          missing: isWord(error) ? [mentioned] : [],
          refused: isWord(error) ? [] : [`@${mentioned} is not attached: ${error.description}`]
        }),
      ToolFailure: ({ message }) =>
        Effect.succeed<Attached>({ documents: [], images: [], paths: [], missing: [], refused: [message] })
    })
  )

/** Reads the files that a text mentions. Paths are relative to `cwd`; `~/` is the home folder. */
export const attach = (text: string, { cwd }: { readonly cwd: string }): Effect.Effect<Attached, never, Files> =>
  Effect.map(
    Effect.forEach(find(text), (path) => attachOne(path, cwd)),
    (found) => ({
      documents: found.flatMap(({ documents }) => documents),
      images: found.flatMap(({ images }) => images),
      paths: found.flatMap(({ paths }) => paths),
      missing: found.flatMap(({ missing }) => missing),
      refused: found.flatMap(({ refused }) => refused)
    })
  )

const mostCandidates = 200

/** The paths that a mention could be completed to; folders end with a slash. */
export const complete = Effect.fnUntraced(function* (path: string, { cwd }: { readonly cwd: string }) {
  const files = yield* Files
  const slash = path.lastIndexOf("/") + 1
  const [folder, start] = [path.slice(0, slash), path.slice(slash)]
  const entries = yield* Effect.orElseSucceed(
    files.entries(LocalPaths.absolute(cwd, folder === "" ? "." : folder)),
    () => []
  )
  const isWanted = ({ name }: { readonly name: string }) =>
    name.toLowerCase().startsWith(start.toLowerCase()) && (start.startsWith(".") || !name.startsWith("."))
  const found = entries.filter(isWanted).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return yield* Effect.forEach(found.slice(0, mostCandidates), ({ kind, name }) => {
    const whole = folder + name
    if (kind !== "link") return Effect.succeed(kind === "directory" ? `${whole}/` : whole)
    return Effect.map(files.isDirectory(LocalPaths.absolute(cwd, whole)), (is) => (is ? `${whole}/` : whole))
  })
})

/** The message of a one-shot run: words and `@file` arguments of the command line, behind what was piped into stdin. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { ImageContent } from "../../../domain/conversation/Content.ts"
import type { UserInput } from "../../../domain/conversation/Message.ts"
import { Transport } from "../../../services/host/Transport.ts"
import { type FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"
import * as LocalFiles from "../../machine/files/LocalFiles.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { invalid } from "../cli/arguments/OptionTable.ts"
import * as ImageSize from "../../tools/files/ImageSize.ts"
import * as ReadImage from "../../tools/files/ReadImage.ts"

/** Bytes of stdin, and of one text file. A guard against accidents: what a model can read is less. */
export const largestText = 10 * 1024 * 1024
/** How long stdin may be silent where the command line has a message. */
export const grace = "500 millis"

const largest = `${largestText / 1024 ** 2} MiB`
const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: Uint8Array): Option.Option<string> =>
  Option.filter(Either.getRight(Either.try(() => utf8.decode(bytes))), (text) => !text.includes("\0"))

const problems: Partial<Record<FileError["reason"], string>> = {
  not_found: "there is no such file. A message that begins with @ goes behind --",
  not_directory: "there is no such file. A message that begins with @ goes behind --",
  denied: "permission denied",
  is_directory: "it is a folder. Name a file, or leave out the @ and let the model look into the folder"
}

const readText = Effect.fnUntraced(function* (word: string, file: OpenFile) {
  const refuse = (why: string) => invalid(`${word}: ${why}`)
  const tooLarge = `it is larger than ${largest}. Leave out the @, and the model reads what it needs of the file`
  if (file.size > largestText) return yield* refuse(tooLarge)
  const text = decode(yield* file.readFirst(largestText))
  if (Option.isSome(text)) return text.value
  return yield* refuse("it is neither UTF-8 text nor an image (PNG, JPEG, GIF, WebP)")
})

const readImage = Effect.fnUntraced(function* (word: string, file: OpenFile, type: ImageSize.ImageType) {
  const { content } = yield* Effect.catchTag(ReadImage.read(file, type), "ToolFailure", ({ message }) =>
    invalid(`${word}: ${message}`)
  )
  return content.filter((block): block is ImageContent => block.type === "image")
})

/** A name is a name: nothing in it ends the tag. */
const tagged = (name: string, text: string): string =>
  `<file name="${name.replaceAll(/["<>&\p{Cc}]/gu, "_")}">\n${text}\n</file>`

const attach = Effect.fnUntraced(
  function* (word: string, cwd: string) {
    const path = LocalPaths.ofArgument(word, { cwd })
    const file = yield* (yield* Files).open(path)
    const type = ImageSize.typeOf(yield* file.read(0))
    if (type !== undefined) return { images: yield* readImage(word, file, type), documents: [] }
    return { images: [], documents: [tagged(LocalPaths.display(path, cwd), yield* readText(word, file))] }
  },
  Effect.scoped,
  (attached, word) =>
    Effect.catchTag(attached, "FileError", ({ description, reason }) => {
      const otherwise = reason === "not_regular" ? `it is ${description}, not a file` : description
      return invalid(`${word}: ${problems[reason] ?? otherwise}`)
    })
)

const stdinWord = "@-"

/** Words behind `--` are text, whatever they begin with. */
const sort = (words: ReadonlyArray<string>) => {
  const at = words.includes("--") ? words.indexOf("--") : words.length
  const before = words.slice(0, at)
  const isFile = (word: string) => word.startsWith("@") && word.length > 1
  return {
    prompt: [...before.filter((word) => !isFile(word)), ...words.slice(at + 1)].join(" ").trim(),
    files: before.filter((word) => isFile(word) && word !== stdinWord),
    wantsStdin: before.includes(stdinWord)
  }
}

const silent =
  "stdin is an open pipe that says nothing, so heddle goes on without it. To wait for its end, add @- to the command line."

/** All of stdin. Where it may be left out, a pipe that stays silent is. */
const readStdin = Effect.fnUntraced(function* (mayBeSilent: boolean) {
  const { input } = yield* Transport
  const chunks: Array<Uint8Array> = []
  let size = 0
  for (let done = false; !done;) {
    const next = mayBeSilent && size === 0 ? Effect.timeoutOption(input.takeAll, grace) : Effect.asSome(input.takeAll)
    const taken = yield* next
    if (Option.isNone(taken)) {
      yield* Effect.logInfo(silent)
      return ""
    }
    const [some, isLast] = taken.value
    for (const chunk of some) {
      chunks.push(chunk)
      size += chunk.length
    }
    if (size > largestText) return yield* invalid(`stdin is larger than ${largest}`)
    done = isLast
  }
  const text = decode(Buffer.concat(chunks))
  if (Option.isSome(text)) return text.value.trimEnd()
  return yield* invalid("stdin is not UTF-8 text. An image goes on the command line: @picture.png")
})

const nothing =
  'there is no message: stdin is empty, and the command line has none. Give one: heddle "what is in this folder?"'

/**
 * Reads the files, so that a wrong name is reported before anything else happens, and begins to read stdin. Returns the
 * effect that waits for the message.
 */
export const gather = Effect.fnUntraced(
  function* (words: ReadonlyArray<string>, cwd: string) {
    const { files, prompt, wantsStdin } = sort(words)
    const attached = yield* Effect.forEach(files, (word) => attach(word, cwd))
    const stdin = yield* Effect.fork(readStdin(!wantsStdin && (prompt !== "" || files.length > 0)))
    return Effect.flatMap(Fiber.join(stdin), (piped) => {
      const text = [piped, prompt].filter((part) => part !== "").join("\n\n")
      if (text === "" && files.length === 0) return invalid(nothing)
      const input: UserInput = {
        text,
        images: attached.flatMap(({ images }) => images),
        documents: attached.flatMap(({ documents }) => documents)
      }
      return Effect.succeed(input)
    })
  },
  Effect.provideService(Files, LocalFiles.service)
)

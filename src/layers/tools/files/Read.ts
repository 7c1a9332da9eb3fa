/** The tool `read`: text in pieces, images, and listings of folders. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { Files, type OpenFile } from "../../../services/machine/Files.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as FileFailures from "./FileFailures.ts"
import type { FileLedger } from "../../../services/session/SessionFiles.ts"
import * as ImageSize from "./ImageSize.ts"
import * as LineWindow from "./LineWindow.ts"
import * as Ls from "./Ls.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as ReadImage from "./ReadImage.ts"
import * as Tool from "../Tool.ts"
import * as Truncate from "./Truncate.ts"

/** A NUL byte within these first bytes marks a binary file. */
const sniffedBytes = 8 * 1024

const parameters = Schema.Struct({
  path: Tool.required(
    Tool.NonEmptyText,
    "File to read: absolute, relative to the working directory, or beginning with ~."
  ),
  offset: Tool.optional(Tool.PositiveInt, "First line to read, counted from 1. Default: 1."),
  limit: Tool.optional(Tool.PositiveInt, "Largest number of lines to read. Default: as many as fit into one result.")
})
type Args = typeof parameters.Type

const fail = (message: string) => new ToolFailure({ message })

const quote = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`

const binaryText = (path: string, head: Uint8Array): string => {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  return isUtf16
    ? `Cannot read ${path}: it is UTF-16 text. Convert it with bash, for example: iconv -f UTF-16 -t UTF-8 ${quote(path)}`
    : `Cannot read ${path}: it is a binary file. Look into it with bash, for example: file ${quote(path)}; xxd ${quote(path)} | head`
}

const decodeUtf8 = (bytes: Uint8Array): Either.Either<string, unknown> =>
  Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))

const selectLines = Effect.fnUntraced(function* (file: OpenFile, head: Uint8Array, { limit, offset = 1 }: Args) {
  const limits = Truncate.defaultLimits
  if (head.length === file.size) {
    const window = LineWindow.make({ offset, limit, limits, totalBytes: head.length })
    window.push(head)
    return window.finish()
  }
  const window = LineWindow.make({ offset, limit, limits })
  let chunk = head
  let position = 0
  while (chunk.length > 0) {
    window.push(chunk)
    position += chunk.length
    chunk = yield* file.read(position)
  }
  return window.finish()
})

const longLineText = (path: string, line: number, { firstLineBytes, totalLines, truncation }: LineWindow.Selected) => {
  const { maxBytes } = truncation
  const size = `${firstLineBytes} bytes long, more than the ${Truncate.formatBytes(maxBytes)} that fit into one result`
  const skip = line < totalLines ? `Use offset=${line + 1} to continue after it, or slice` : "Slice"
  const command = `sed -n '${line}{p;q}' ${quote(path)} | head -c ${maxBytes}`
  return `[Line ${line} of ${totalLines} is ${size}. ${skip} it with bash, for example: ${command}]`
}

const render = (path: string, first: number, selected: LineWindow.Selected): Either.Either<ToolOutput, ToolFailure> => {
  const { bytes, totalLines, truncation } = selected
  if (first > totalLines) {
    return Either.left(fail(`Offset ${first} is beyond end of file (${totalLines} lines total)`))
  }
  const details = truncation.truncated ? { truncation } : {}
  if (truncation.firstLineExceedsLimit) {
    return Either.right(Tool.textOutput(longLineText(path, first, selected), details))
  }
  const last = first + truncation.outputLines - 1
  const content = Either.getOrUndefined(decodeUtf8(bytes))
  if (content === undefined || content.includes("\0")) {
    const lines = `lines ${first}-${last} of ${path}`
    const command = `iconv -f LATIN1 -t UTF-8 ${quote(path)}`
    return Either.left(fail(`Cannot read ${lines}: they are not UTF-8 text. Use bash, for example: ${command}`))
  }
  if (last === totalLines) return Either.right(Tool.textOutput(content))
  const notice = `[Showing lines ${first}-${last} of ${totalLines}. Use offset=${last + 1} to continue.]`
  return Either.right(Tool.textOutput(`${content}\n${notice}`, details))
}

const isBinary = (head: Uint8Array) => head.subarray(0, sniffedBytes).includes(0)

const readText = Effect.fnUntraced(function* (file: OpenFile, head: Uint8Array, args: Args) {
  const { offset = 1 } = args
  if (head.length === 0 && offset === 1) return Tool.textOutput("(empty file)")
  if (isBinary(head)) return yield* fail(binaryText(file.path, head))
  return yield* render(file.path, offset, yield* selectLines(file, head, args))
})

const readFile = Effect.fnUntraced(function* (
  files: typeof Files.Service,
  path: string,
  args: Args,
  ledger: FileLedger | undefined
) {
  const file = yield* files.open(path)
  const head = yield* file.read(0)
  const imageType = ImageSize.typeOf(head)
  const output = yield* imageType === undefined ? readText(file, head, args) : ReadImage.read(file, imageType)
  // The version is from before the first byte: a change during the read counts as one after it.
  if (ledger !== undefined) {
    yield* Effect.ignore(Effect.map(file.realPath, (real) => ledger.saw(real, file.version)))
  }
  return output
}, Effect.scoped)

export const make = (options: {
  readonly cwd: string
  readonly ledger?: FileLedger
  readonly machine: Context.Context<Files>
}) => {
  const files = Context.get(options.machine, Files)
  return Tool.make({
    name: "read",
    description: [
      "Read a file. Text comes back unchanged, at most 2000 lines or 50 KiB at a time, whichever is reached first;",
      "when there is more, the result ends with a notice that names the offset to continue with.",
      "PNG, JPEG, GIF and WebP files are shown to you as images, scaled down to fit into 2000x2000 pixels.",
      "A directory gives the listing that ls gives. Other binary files are refused.",
      "Use it, rather than cat, head or sed in a shell, to look at files before you talk about them or change them;",
      "for a part of a large file give offset and limit."
    ].join(" "),
    parameters,
    run: (args) => {
      const path = LocalPaths.ofArgument(args.path, options)
      return readFile(files, path, args, options.ledger).pipe(
        Effect.catchIf(
          (error) => error._tag === "FileError" && error.reason === "is_directory",
          () => Effect.provide(Ls.listing(path, args.limit), options.machine)
        ),
        Effect.catchTag("FileError", (error) => Effect.provide(FileFailures.fromFileError(error), options.machine))
      )
    }
  })
}

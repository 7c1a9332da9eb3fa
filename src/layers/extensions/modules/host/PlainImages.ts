/** `read` for an extension that wants images as they are, not scaled down. */
import * as Effect from "effect/Effect"
import { text } from "../../../../domain/conversation/Content.ts"
import type { Files } from "../../../../services/machine/Files.ts"
import type { Tool } from "../../../../services/Tools.ts"
import * as LocalPaths from "../../../platform/files/LocalPaths.ts"
import * as ImageSize from "../../../tools/files/ImageSize.ts"
import { maxBytes } from "../../../tools/files/ReadImage.ts"

const readPlain = Effect.fnUntraced(function* (files: typeof Files.Service, path: string) {
  const file = yield* files.open(path)
  const mimeType = ImageSize.typeOf(yield* file.read(0))
  if (mimeType === undefined || file.size > maxBytes) return undefined
  const bytes = yield* file.readFirst(maxBytes)
  const image = { type: "image", data: bytes.toBase64(), mimeType } as const
  return { content: [text(`Read image file [${mimeType}]`), image] }
}, Effect.scoped)

/** Everything but an image, and every failure, is left to the built-in tool. */
export const make = (read: Tool, files: typeof Files.Service, cwd: string): Tool => ({
  ...read,
  definition: read.definition,
  run: (args, context) => {
    const { path } = args
    if (typeof path !== "string") return read.run(args, context)
    return Effect.flatMap(
      Effect.orElseSucceed(readPlain(files, LocalPaths.ofArgument(path, { cwd })), () => undefined),
      (image) => (image === undefined ? read.run(args, context) : Effect.succeed(image))
    )
  }
})

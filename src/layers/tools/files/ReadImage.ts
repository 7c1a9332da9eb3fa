/** The result of `read` for an image: a note and the image, scaled down if models do not take it as it is. */
import * as Effect from "effect/Effect"
import { text } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import type { OpenFile } from "../../../services/machine/Files.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as Engine from "../../machine/engine/Engine.ts"
import * as Images from "../../machine/files/Images.ts"
import * as ImageSize from "./ImageSize.ts"
import * as Truncate from "./Truncate.ts"

export const maxSide = 2000
/** Encoded as Base64 this is 5 MB, the limit of the strictest provider. */
export const maxSentBytes = (5 * 1024 * 1024 * 3) / 4
/** Tried in turn until the image is small enough; the last one always is. */
const sides = [maxSide, 1500, 1000, 700, 400]
export const maxBytes = 20 * 1024 * 1024

/** Bun does not encode GIF. */
const encodedTypes = {
  "image/png": "image/png",
  "image/jpeg": "image/jpeg",
  "image/gif": "image/png",
  "image/webp": "image/webp"
} as const

const output = (note: string, bytes: Uint8Array, mimeType: string): ToolOutput => ({
  content: [text(note), { type: "image", data: Engine.toBase64(bytes), mimeType }]
})

const reasons = {
  needs_bun: "the image is too large for a model, and scaling it down needs Bun",
  undecodable: "the image is too large for a model and cannot be scaled down, because it cannot be decoded"
} as const

const explain = (path: string, size: ImageSize.Size, { reason }: Images.ImageFailed): string =>
  reason === "too_many_pixels"
    ? `Cannot read ${path}: an image of ${size.width}x${size.height} is too large to scale down (limit: ${Images.maxPixels / 1e6} million pixels). Scale a copy with bash first.`
    : `Cannot read ${path}: ${reasons[reason]}`

const shrink = Effect.fnUntraced(function* (
  path: string,
  bytes: Uint8Array,
  type: ImageSize.ImageType,
  size: ImageSize.Size
) {
  const encodeAs = encodedTypes[type]
  const fit = (side: number) =>
    Effect.mapError(
      Images.shrink(bytes, { maxSide: side, encodeAs }),
      (error) => new ToolFailure({ message: explain(path, size, error) })
    )
  let shrunk = yield* fit(maxSide)
  for (const side of sides.slice(1)) {
    if (shrunk.bytes.length <= maxSentBytes) break
    shrunk = yield* fit(side)
  }
  const converted = encodeAs === type ? "" : ` (first frame only, as ${encodeAs})`
  const change = `resized from ${size.width}x${size.height} to ${shrunk.width}x${shrunk.height}${converted}`
  return output(`Read image file [${type}], ${change}`, shrunk.bytes, encodeAs)
})

export const read = Effect.fnUntraced(function* (file: OpenFile, type: ImageSize.ImageType) {
  const fail = (what: string) => new ToolFailure({ message: `Cannot read ${file.path}: ${what}` })
  if (file.size > maxBytes) {
    const actual = Truncate.formatBytes(file.size)
    return yield* fail(`the image file is too large: ${actual}, the limit is ${Truncate.formatBytes(maxBytes)}`)
  }
  const bytes = yield* file.readFirst(maxBytes)
  const size = ImageSize.sizeOf(bytes, type)
  if (size === undefined) return yield* fail(`it begins like ${type}, but its header is damaged`)
  const fits = size.width <= maxSide && size.height <= maxSide && bytes.length <= maxSentBytes
  if (fits) return output(`Read image file [${type}]`, bytes, type)
  return yield* shrink(file.path, bytes, type, size)
})

/** Scaling images down with the codecs built into Bun (docs/decisions/0003-image-resizing.md). */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Engine from "../engine/Engine.ts"

export class ImageFailed extends Data.TaggedError("ImageFailed")<{
  readonly reason: "too_many_pixels" | "undecodable" | "needs_bun"
}> {}

export interface Shrunk {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** Decoded, an image of this size takes 400 MB. */
export const maxPixels = 100_000_000

const encode = {
  "image/png": (image: Bun.Image) => image.png(),
  "image/jpeg": (image: Bun.Image) => image.jpeg({ quality: 85 }),
  "image/webp": (image: Bun.Image) => image.webp({ quality: 85 })
} as const

export type EncodedType = keyof typeof encode

const shrinkWithBun = (
  bytes: Uint8Array,
  options: { readonly maxSide: number; readonly encodeAs: EncodedType }
): Effect.Effect<Shrunk, ImageFailed> =>
  Effect.tryPromise({
    try: async () => {
      const image = new Bun.Image(bytes, { maxPixels })
      image.resize(options.maxSide, options.maxSide, { fit: "inside", withoutEnlargement: true })
      const shrunk = await encode[options.encodeAs](image).bytes()
      return { bytes: shrunk, width: image.width, height: image.height }
    },
    catch: (cause) =>
      new ImageFailed({
        reason:
          Predicate.hasProperty(cause, "code") && cause.code === "ERR_IMAGE_TOO_MANY_PIXELS"
            ? "too_many_pixels"
            : "undecodable"
      })
  })

/**
 * Fits an image into a square, turned as its EXIF data says; an animation becomes its first frame. The work is done on
 * another thread: an interrupt returns at once and drops the result.
 */
export const shrink = (
  bytes: Uint8Array,
  options: { readonly maxSide: number; readonly encodeAs: EncodedType }
): Effect.Effect<Shrunk, ImageFailed> =>
  Engine.isBun ? shrinkWithBun(bytes, options) : new ImageFailed({ reason: "needs_bun" })

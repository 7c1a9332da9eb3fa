/** Checks the images of a prompt, and turns the attachments of early pi hosts into documents and images. */
import * as Either from "effect/Either"
import type { ImageContent } from "../../domain/conversation/Content.ts"
import { type Attachment, documentBlock, isBase64 } from "./Attachments.ts"

const supported = ["image/png", "image/jpeg", "image/gif", "image/webp"]

export interface Input {
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  readonly documents?: ReadonlyArray<string>
}

/** Accepts `data:` URLs, too: browsers hand them out, and hosts pass them on. */
const checkImage = (image: ImageContent, name: string): Either.Either<ImageContent, string> => {
  const data = image.data.replace(/^data:[^,]*,/, "")
  if (!supported.includes(image.mimeType)) {
    return Either.left(`${name} has the unsupported mimeType "${image.mimeType}"; use ${supported.join(", ")}`)
  }
  if (data === "" || !isBase64(data)) return Either.left(`${name} is not valid base64`)
  return Either.right({ type: "image", data, mimeType: image.mimeType })
}

interface MessageFrame {
  readonly message: string
  readonly images?: ReadonlyArray<ImageContent>
  readonly attachments?: ReadonlyArray<Attachment>
}

const readAll = (frame: MessageFrame): Either.Either<Input, string> =>
  Either.gen(function* () {
    const images: Array<ImageContent> = []
    const documents: Array<string> = []
    const text = frame.message
    for (const [i, image] of (frame.images ?? []).entries()) images.push(yield* checkImage(image, `images[${i}]`))
    for (const [i, attachment] of (frame.attachments ?? []).entries()) {
      const { content, mimeType, type } = attachment
      if (type === "image") {
        images.push(yield* checkImage({ type: "image", data: content, mimeType }, `attachments[${i}]`))
        continue
      }
      const block = documentBlock(attachment)
      if (block === undefined) return yield* Either.left(`attachments[${i}] has no usable text`)
      documents.push(block)
    }
    const isEmpty = text === "" && images.length === 0 && documents.length === 0
    if (isEmpty) return yield* Either.left('"message" must not be empty without images')
    return documents.length === 0 ? { text, images } : { text, images, documents }
  })

/** The text and images of a prompt, or the error text. */
export const readInput = (frame: MessageFrame): Either.Either<Input, string> => {
  // Most prompts are text only.
  const isPlain = frame.message !== "" && frame.images === undefined && frame.attachments === undefined
  return isPlain ? Either.right({ text: frame.message, images: [] }) : readAll(frame)
}

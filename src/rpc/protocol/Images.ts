/** Checks the images of a prompt, and turns the attachments of early pi hosts into text and images. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ImageContent, optional } from "../../domain/conversation/Content.ts"
import { lazy, type Type } from "../../domain/Lazy.ts"

export const Attachment = lazy(() =>
  Schema.Struct({
    id: optional(Schema.String),
    type: Schema.Literal("image", "document"),
    fileName: Schema.String,
    mimeType: Schema.String,
    size: optional(Schema.Finite),
    content: Schema.String,
    extractedText: optional(Schema.String),
    preview: optional(Schema.String)
  }).annotations({ identifier: "Attachment" })
)
export type Attachment = Type<typeof Attachment>

const supported = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export interface Input {
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
}

/** Accepts `data:` URLs, too: browsers hand them out, and hosts pass them on. */
const checkImage = (image: ImageContent, name: string): Either.Either<ImageContent, string> => {
  const data = image.data.replace(/^data:[^,]*,/, "")
  if (!supported.includes(image.mimeType)) {
    return Either.left(`${name} has the unsupported mimeType "${image.mimeType}"; use ${supported.join(", ")}`)
  }
  if (data === "" || !base64.test(data)) return Either.left(`${name} is not valid base64`)
  return Either.right({ type: "image", data, mimeType: image.mimeType })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const documentText = (attachment: Attachment): string | undefined => {
  if (attachment.extractedText !== undefined && attachment.extractedText !== "") return attachment.extractedText
  if (attachment.content === "" || !base64.test(attachment.content)) return undefined
  const bytes = Uint8Array.from(atob(attachment.content), (char) => char.charCodeAt(0))
  return Either.getOrUndefined(Either.try(() => utf8.decode(bytes)))
}

interface Said {
  readonly message: string
  readonly images?: ReadonlyArray<ImageContent>
  readonly attachments?: ReadonlyArray<Attachment>
}

const readAll = (frame: Said): Either.Either<Input, string> =>
  Either.gen(function* () {
    const images: Array<ImageContent> = []
    let text = frame.message
    for (const [i, image] of (frame.images ?? []).entries()) images.push(yield* checkImage(image, `images[${i}]`))
    for (const [i, attachment] of (frame.attachments ?? []).entries()) {
      const { content, fileName, mimeType, type } = attachment
      if (type === "image") {
        images.push(yield* checkImage({ type: "image", data: content, mimeType }, `attachments[${i}]`))
        continue
      }
      const said = documentText(attachment)
      if (said === undefined) return yield* Either.left(`attachments[${i}] has no usable text`)
      text += `${text === "" ? "" : "\n\n"}<attachment name="${fileName}" mimeType="${mimeType}">\n${said}\n</attachment>`
    }
    if (text === "" && images.length === 0) return yield* Either.left('"message" must not be empty without images')
    return { text, images }
  })

/** The text and images of a prompt, or the error text. */
export const readInput = (frame: Said): Either.Either<Input, string> => {
  // Most prompts are text only.
  const isPlain = frame.message !== "" && frame.images === undefined && frame.attachments === undefined
  return isPlain ? Either.right({ text: frame.message, images: [] }) : readAll(frame)
}

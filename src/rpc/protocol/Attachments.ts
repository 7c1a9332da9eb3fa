/** Attachments of early pi hosts: images, and documents that models read as text (protocol.md 3.1). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import * as Text from "../../domain/Text.ts"

export const Attachment = Schema.Struct({
  id: optional(Schema.String),
  type: Schema.Literal("image", "document"),
  fileName: Schema.String,
  mimeType: Schema.String,
  size: optional(Schema.Finite),
  content: Schema.String,
  extractedText: optional(Schema.String),
  preview: optional(Schema.String)
}).annotations({
  identifier: "Attachment",
  description:
    "A file with a prompt. `content` is Base64. An image is shown to the model; of a document it reads `extractedText`, else `content` as UTF-8."
})
export type Attachment = typeof Attachment.Type

export const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const textOf = ({ content, extractedText }: Attachment): string | undefined => {
  if (extractedText !== undefined && extractedText !== "") return extractedText
  if (content === "" || !isBase64(content)) return undefined
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0))
  return Either.getOrUndefined(Either.try(() => utf8.decode(bytes)))
}

/** The block that a model reads for a document; undefined if it has no text. */
export const documentBlock = (attachment: Attachment): string | undefined => {
  const text = textOf(attachment)
  const { fileName, mimeType } = attachment
  if (text === undefined) return undefined
  return `<attachment name="${Text.attribute(fileName)}" mimeType="${Text.attribute(mimeType)}">\n${text}\n</attachment>`
}

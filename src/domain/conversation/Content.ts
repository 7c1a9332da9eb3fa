/** The blocks that messages are made of (protocol.md 5.1). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** A member that may be absent, with or without words for the reference. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description?: string) => {
  const member = Schema.optionalWith(schema, { exact: true })
  return description === undefined ? member : member.annotations({ description })
}

/** A member with words for the reference. They are not part of the type, so error texts stay as they are. */
export const described = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** A member that never makes a frame unfit: a value that does not fit counts as absent, and is not worth a refusal. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Either.right(undefined) }))

/** Any JSON object: tool arguments, tool details, a JSON Schema. */
export const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
export type JsonObject = typeof JsonObject.Type

export const TextContent = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String,
  textSignature: optional(Schema.String, "Opaque data of the provider, which heddle sends back unchanged.")
}).annotations({ identifier: "TextContent", description: "A block of text." })
export type TextContent = typeof TextContent.Type

export const ThinkingContent = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: Schema.String,
  thinkingSignature: optional(Schema.String, "Opaque data of the provider, which heddle sends back unchanged."),
  redacted: optional(Schema.Boolean, "The provider withholds the text.")
}).annotations({ identifier: "ThinkingContent", description: "What the model thought before it answered." })
export type ThinkingContent = typeof ThinkingContent.Type

export const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: described(Schema.String, "Base64, without a `data:` prefix."),
  mimeType: described(Schema.String, "`image/png`, `image/jpeg`, `image/gif` or `image/webp`.")
}).annotations({ identifier: "ImageContent", description: "An image." })
export type ImageContent = typeof ImageContent.Type

export const ToolCall = Schema.Struct({
  type: Schema.Literal("toolCall"),
  id: described(Schema.String, "Other frames name the call by it, as `toolCallId`."),
  name: Schema.String,
  arguments: JsonObject
}).annotations({ identifier: "ToolCall", description: "A request of the model to run a tool." })
export type ToolCall = typeof ToolCall.Type

export const InputContent = Schema.Union(TextContent, ImageContent)
export type InputContent = typeof InputContent.Type

export const OutputContent = Schema.Union(TextContent, ThinkingContent, ToolCall)
export type OutputContent = typeof OutputContent.Type

export const text = (value: string): TextContent => ({ type: "text", text: value })

/** The texts of a message together, and its images. */
export const textAndImages = (content: string | ReadonlyArray<InputContent>) =>
  typeof content === "string"
    ? { text: content, images: [] }
    : { text: plainText(content), images: content.filter((block) => block.type === "image") }

/** The text blocks of a message, joined. */
export const plainText = (content: ReadonlyArray<{ readonly type: string; readonly text?: string }>): string => {
  let joined = ""
  for (const block of content) if (block.type === "text" && block.text !== undefined) joined += block.text
  return joined
}

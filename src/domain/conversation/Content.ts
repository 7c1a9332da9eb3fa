/** The blocks that messages are made of (protocol.md 5.1). */
import * as Schema from "effect/Schema"
import { lazy, type Type } from "../Lazy.ts"

export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Any JSON object: tool arguments, tool details, a JSON Schema. */
export const JsonObject = lazy(() => Schema.Record({ key: Schema.String, value: Schema.Unknown }))
export type JsonObject = Type<typeof JsonObject>

export const TextContent = lazy(() =>
  Schema.Struct({
    type: Schema.Literal("text"),
    text: Schema.String,
    textSignature: optional(Schema.String)
  }).annotations({ identifier: "TextContent" })
)
export type TextContent = Type<typeof TextContent>

export const ThinkingContent = lazy(() =>
  Schema.Struct({
    type: Schema.Literal("thinking"),
    thinking: Schema.String,
    thinkingSignature: optional(Schema.String),
    redacted: optional(Schema.Boolean)
  }).annotations({ identifier: "ThinkingContent" })
)
export type ThinkingContent = Type<typeof ThinkingContent>

export const ImageContent = lazy(() =>
  Schema.Struct({
    type: Schema.Literal("image"),
    data: Schema.String,
    mimeType: Schema.String
  }).annotations({ identifier: "ImageContent" })
)
export type ImageContent = Type<typeof ImageContent>

export const ToolCall = lazy(() =>
  Schema.Struct({
    type: Schema.Literal("toolCall"),
    id: Schema.String,
    name: Schema.String,
    arguments: JsonObject()
  }).annotations({ identifier: "ToolCall" })
)
export type ToolCall = Type<typeof ToolCall>

export const InputContent = lazy(() => Schema.Union(TextContent(), ImageContent()))
export type InputContent = Type<typeof InputContent>

export const OutputContent = lazy(() => Schema.Union(TextContent(), ThinkingContent(), ToolCall()))
export type OutputContent = Type<typeof OutputContent>

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

/** Messages as they may stand in a conversation, in any order. */
import { FastCheck as fc } from "effect"
import type { OutputContent, ToolCall } from "../../../../src/domain/conversation/Content.ts"
import { type Message, userMessage } from "../../../../src/domain/conversation/Message.ts"
import { assistant, result } from "./support.ts"

export const user = (text: string) => userMessage(text, [], 0)
export const call = (id: string): ToolCall => ({ type: "toolCall", id, name: "read", arguments: { path: id } })
export const text = (value: string): OutputContent => ({ type: "text", text: value })
export const signed: OutputContent = { type: "thinking", thinking: "hm", thinkingSignature: "sig" }
export const redacted: OutputContent = { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true }
const unsigned: OutputContent = { type: "thinking", thinking: " " }
export const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const

const block = fc.oneof(
  fc.string({ maxLength: 5 }).map(text),
  fc.constantFrom(signed, redacted, unsigned),
  fc.constantFrom("a", "b", "a b", "").map(call)
)

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.string({ maxLength: 3 }).map(user),
  fc.constantFrom(userMessage("look", [picture], 0), user(" ")),
  fc.constantFrom("a", "b", "a b", "", "z").map((id) => result(id, "r")),
  fc.constant({ ...result("a", "shown"), content: [picture] }),
  fc
    .record({
      content: fc.array(block, { maxLength: 4 }),
      stopReason: fc.constantFrom(...(["stop", "toolUse", "error", "aborted"] as const)),
      model: fc.constantFrom("m1", "m2")
    })
    .map(({ content, ...rest }) => assistant(content, rest))
)

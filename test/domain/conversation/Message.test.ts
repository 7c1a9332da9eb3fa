import { assert, describe, it } from "@effect/vitest"
import { type ImageContent, plainText, text } from "../../../src/domain/conversation/Content.ts"
import { type AgentMessage, lastAssistantText, userMessage } from "../../../src/domain/conversation/Message.ts"
import { assistant, toolResult, user } from "../../support/sessions/Entries.ts"

const image: ImageContent = { type: "image", data: "AA==", mimeType: "image/png" }

describe("userMessage", () => {
  it("has the text before the images", () => {
    assert.deepStrictEqual(userMessage("look", [image, image], 7), {
      role: "user",
      content: [text("look"), image, image],
      timestamp: 7
    })
  })

  it("has no block for an empty text", () => {
    assert.deepStrictEqual(userMessage("", [image], 0).content, [image])
    assert.deepStrictEqual(userMessage("", [], 0).content, [])
  })
})

describe("lastAssistantText", () => {
  const aborted: AgentMessage = { ...assistant("", 0, "aborted"), content: [] }
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<AgentMessage>, string | null]> = [
    ["nothing was said", [], null],
    ["only the user spoke", [user("hello")], null],
    ["the newest answer", [assistant("one", 0), user("and?"), assistant("two", 0), user("more")], "two"],
    ["without the blanks around it", [assistant("\n one \n", 0)], "one"],
    ["an aborted answer that had begun", [assistant("one", 0), assistant("tw", 0, "aborted")], "tw"],
    ["an aborted answer without content is skipped", [assistant("one", 0), aborted], "one"],
    ["an answer without content that was not aborted", [assistant("one", 0), { ...aborted, stopReason: "stop" }], null],
    ["an answer of blanks", [assistant("one", 0), assistant("  ", 0)], null],
    ["tool results are not answers", [assistant("one", 0), toolResult({})], "one"]
  ]
  it.each(cases)("%s", (_, messages, said) => assert.strictEqual(lastAssistantText(messages), said))
})

it("plainText joins the text blocks and leaves out all others", () => {
  const thinking = { type: "thinking", text: "not this" }
  assert.strictEqual(plainText([text("a"), image, thinking, { type: "text" }, text("b")]), "ab")
})

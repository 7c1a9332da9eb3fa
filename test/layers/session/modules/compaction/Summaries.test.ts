import { assert, it } from "@effect/vitest"
import * as Summaries from "../../../../../src/layers/session/modules/compaction/Summaries.ts"
import { model } from "../../../../support/agent/ScriptedModel.ts"

it("the room for a conversation is what the window leaves beside the answer and the instructions", () => {
  const room = (contextWindow: number, maxTokens: number, answer: number) =>
    Summaries.roomFor({ ...model, contextWindow, maxTokens }, answer)
  assert.strictEqual(room(10_000, 4000, 2000), 4 * (10_000 - 2000 - 1500))
  assert.strictEqual(
    room(10_000, 1000, 2000),
    4 * (10_000 - 1000 - 1500),
    "an answer is no longer than the model can make it"
  )
  assert.strictEqual(room(1000, 1000, 1000), 4 * 500, "a small window still gets some of the conversation")
  assert.strictEqual(room(0, 1000, 1000), Number.POSITIVE_INFINITY, "an unknown window is not a small one")
})

import { assert, describe, it } from "@effect/vitest"
import { type AssistantMessage, type Message } from "../../../src/domain/conversation/Message.ts"
import { forModel } from "../../../src/domain/model/ModelContext.ts"
import { delayBefore, type Failure } from "../../../src/domain/model/RetryPolicy.ts"
import { zero } from "../../../src/domain/model/Usage.ts"

const settings = { maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 }

describe("delayBefore", () => {
  const cases: ReadonlyArray<readonly [number, Failure, number | undefined]> = [
    [1, { retryable: true }, 2000],
    [2, { retryable: true }, 4000],
    [3, { retryable: true }, 8000],
    [4, { retryable: true }, undefined],
    [1, { retryable: false }, undefined],
    [1, { retryable: true, retryAfterMs: 5000 }, 5000],
    [3, { retryable: true, retryAfterMs: 5000 }, 5000],
    [1, { retryable: true, retryAfterMs: 1000 }, 1000],
    [2, { retryable: true, retryAfterMs: 0 }, 4000],
    [1, { retryable: true, retryAfterMs: 60_001 }, undefined]
  ]
  for (const [attempt, failure, expected] of cases) {
    it(`attempt ${attempt} after ${JSON.stringify(failure)}`, () =>
      assert.strictEqual(delayBefore(attempt, failure, settings), expected))
  }
})

describe("what a model is shown of failed attempts", () => {
  const user: Message = { role: "user", content: [], timestamp: 0 }
  const assistant = (stopReason: AssistantMessage["stopReason"]): AssistantMessage => ({
    role: "assistant",
    content: [],
    api: "",
    provider: "",
    model: "",
    usage: zero,
    stopReason,
    timestamp: 0
  })
  const result: Message = {
    role: "toolResult",
    toolCallId: "c",
    toolName: "t",
    content: [],
    isError: true,
    timestamp: 0
  }
  const [failed, fine] = [assistant("error"), assistant("stop")]

  it("drops attempts that were repeated, with the placeholder results of their calls", () => {
    assert.deepStrictEqual(forModel([user, failed, result, failed, fine]), [user, fine])
    assert.deepStrictEqual(forModel([user, failed, result]), [user])
  })

  it("keeps a failure that stood, and everything else", () => {
    assert.deepStrictEqual(forModel([user, failed, user, fine]), [user, failed, user, fine])
    const calls = [user, assistant("toolUse"), result, fine]
    assert.deepStrictEqual(forModel(calls), calls)
  })
})

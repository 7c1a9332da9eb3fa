import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import * as DraftJson from "../../../src/rpc/outbox/DraftJson.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

const delta = fc
  .oneof(fc.string(), fc.constantFrom("\ud83d", "\ude00", "\u2028", '"', "\\", "\n", '{"a":', "1}"))
  .map((text): ModelEvent => ({ _tag: "Delta", delta: text }))

const event = fc.oneof(
  { weight: 6, arbitrary: delta },
  fc.constantFrom<ModelEvent>(
    { _tag: "TextStarted" },
    { _tag: "ThinkingStarted" },
    { _tag: "ToolCallStarted", id: "c", name: "ls" },
    { _tag: "BlockEnded" },
    { _tag: "BlockEnded", signature: "s" },
    { _tag: "Finished", stopReason: "stop" }
  )
)

describe("DraftJson", () => {
  it("is the JSON of the message after every step, also when steps were kept from it", () => {
    const steps = fc.array(fc.tuple(event, fc.boolean()), { maxLength: 40 })
    fc.assert(
      fc.property(fc.array(steps, { minLength: 1, maxLength: 3 }), (messages) => {
        const json = DraftJson.make()
        for (const [id, list] of messages.entries()) {
          let draft = AssistantDraft.empty(model, 0)
          let gained = ""
          for (const [next, isTold] of list) {
            const [after, update] = AssistantDraft.apply(draft, next)
            draft = after
            if (update === undefined) continue
            gained = update.step === "delta" ? gained + update.delta : ""
            if (!isTold && update.step === "delta") continue
            const text = json.message(`m${id}`, draft, gained)
            gained = ""
            assert.notMatch(text, /[\u2028\u2029]/)
            assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(AssistantDraft.toMessage(draft))))
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})

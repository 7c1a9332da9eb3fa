/**
 * Model events as pi's AssistantMessageEvents (protocol.md 5.3), for extensions that call models through heddle. `partial` is
 * one object for all events of a call that shows the message so far, as in pi; it is made when it is read.
 */
import type { OutputContent, ToolCall } from "../../../../domain/conversation/Content.ts"
import * as AssistantDraft from "../../../../domain/conversation/AssistantDraft.ts"
import * as Blocks from "../../../../domain/conversation/Blocks.ts"
import type { AssistantMessage } from "../../../../domain/conversation/Message.ts"
import * as Metering from "../../../../domain/model/Metering.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { FinishReason, ModelEvent } from "../../../../domain/model/ModelEvent.ts"

interface InBlock {
  readonly contentIndex: number
  readonly partial: AssistantMessage
}

export type AssistantMessageEvent =
  | { readonly type: "start"; readonly partial: AssistantMessage }
  | ({ readonly type: "text_start" | "thinking_start" | "toolcall_start" } & InBlock)
  | ({ readonly type: "text_delta" | "thinking_delta" | "toolcall_delta"; readonly delta: string } & InBlock)
  | ({ readonly type: "text_end" | "thinking_end"; readonly content: string } & InBlock)
  | ({ readonly type: "toolcall_end"; readonly toolCall: ToolCall } & InBlock)
  | { readonly type: "done"; readonly reason: FinishReason; readonly message: AssistantMessage }
  | { readonly type: "error"; readonly reason: "error" | "aborted"; readonly error: AssistantMessage }

export type Last = Extract<AssistantMessageEvent, { readonly type: "done" | "error" }>

export interface PiEvents {
  readonly start: AssistantMessageEvent
  /** The events of pi that one model event amounts to. The last one of a call is not among them. */
  readonly push: (event: ModelEvent) => ReadonlyArray<AssistantMessageEvent>
  /** Ends the block that is open. */
  readonly cutOff: () => ReadonlyArray<AssistantMessageEvent>
  /** The call has ended, well or with a failure. */
  readonly last: (failure?: { readonly reason: "error" | "aborted"; readonly message: string }) => Last
}

const names = { text: "text", thinking: "thinking", toolCall: "toolcall" } as const

const ended = (block: OutputContent, where: InBlock): AssistantMessageEvent => {
  if (block.type === "toolCall") return { type: "toolcall_end", toolCall: block, ...where }
  return block.type === "text"
    ? { type: "text_end", content: block.text, ...where }
    : { type: "thinking_end", content: block.thinking, ...where }
}

export const make = (model: Model, timestamp: number, sent?: Metering.Sent): PiEvents => {
  let draft = AssistantDraft.empty(model, timestamp)
  let shown = { draft, message: AssistantDraft.toMessage(draft) }
  const soFar = () => {
    if (shown.draft !== draft) shown = { draft, message: AssistantDraft.toMessage(draft) }
    return shown.message
  }
  const partial: AssistantMessage = {
    ...soFar(),
    get content() {
      return soFar().content
    },
    get usage() {
      return draft.usage
    }
  }
  const eventOf = (update: AssistantDraft.Update): AssistantMessageEvent => {
    const where = { contentIndex: update.contentIndex, partial }
    const name = names[update.kind]
    if (update.step === "start") return { type: `${name}_start`, ...where }
    if (update.step === "delta") return { type: `${name}_delta`, delta: update.delta, ...where }
    const [block] = Blocks.slice(draft.blocks, update.contentIndex)
    return ended(block === undefined ? { type: "text", text: "" } : AssistantDraft.toContent(block), where)
  }
  const put = ([next, update]: readonly [AssistantDraft.AssistantDraft, AssistantDraft.Update | undefined]) => {
    draft = next
    return update === undefined ? [] : [eventOf(update)]
  }
  return {
    start: { type: "start", partial },
    push: (event) => put(AssistantDraft.apply(draft, event)),
    cutOff: () => put(AssistantDraft.cutOff(draft)),
    last: (failure) => {
      draft = { ...draft, usage: Metering.measure(draft, sent).usage }
      if (failure === undefined) {
        const message = AssistantDraft.toMessage(draft)
        return { type: "done", reason: draft.finished?.stopReason ?? "stop", message }
      }
      const error = AssistantDraft.toMessage(draft, { stopReason: failure.reason, errorMessage: failure.message })
      return { type: "error", reason: failure.reason, error }
    }
  }
}

/** A step of a streaming answer as hosts and extensions see it: their `assistantMessageEvent`, without `partial`. */
import { type AssistantDraft, toContent, type Update } from "./AssistantDraft.ts"

const prefixes = { text: "text", thinking: "thinking", toolCall: "toolcall" } as const

/** `text_delta`, `toolcall_end`, … */
export const typeOf = ({ kind, step }: Update): string => `${prefixes[kind]}_${step}`

/** The members beside type and index, where a block starts or ends. */
export const boundMembers = ({ blocks }: AssistantDraft, { step }: Update): object => {
  const block = blocks?.last
  if (block?.type === "toolCall") {
    return step === "start" ? { id: block.id, toolName: block.name } : { toolCall: toContent(block) }
  }
  return step === "start" ? {} : { content: block?.text }
}

export const make = (draft: AssistantDraft, update: Update) => ({
  type: typeOf(update),
  contentIndex: update.contentIndex,
  ...(update.step === "delta" ? { delta: update.delta } : boundMembers(draft, update))
})

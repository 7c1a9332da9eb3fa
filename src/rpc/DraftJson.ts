/**
 * The JSON of an assistant message while it streams. It keeps the text that it has encoded, so a delta costs in
 * proportion to its own length; a block of which it has missed a delta is encoded anew. Owned by UpdateFrames.
 */
import * as AssistantDraft from "../domain/conversation/AssistantDraft.ts"
import { escapeSeparators } from "./protocol/Frame.ts"

export const stringify = (value: unknown): string => escapeSeparators(JSON.stringify(value))

/** The JSON before and after the text of a block. */
const around = {
  text: ['{"type":"text","text":"', '"}'],
  thinking: ['{"type":"thinking","thinking":"', '"}']
} as const

export const make = () => {
  let messageId = ""
  /** The JSON of the closed blocks, and their number. */
  let closed = ""
  let count = 0
  /** The escaped text of the open block, and its length unescaped. */
  let open = ""
  let length = 0

  const begin = (id: string) => {
    messageId = id
    closed = ""
    count = 0
    open = ""
    length = 0
  }

  const close = (draft: AssistantDraft.AssistantDraft, until: number) => {
    for (; count < until; count++) {
      const block = draft.blocks[count]
      if (block !== undefined) closed += (closed === "" ? "" : ",") + stringify(AssistantDraft.toContent(block))
      open = ""
      length = 0
    }
  }

  const openBlock = (block: AssistantDraft.Block, delta: string): string => {
    if (block.type === "toolCall") return stringify(AssistantDraft.toContent(block))
    const told = length + delta.length === block.text.length
    open = told ? open + stringify(delta).slice(1, -1) : stringify(block.text).slice(1, -1)
    length = block.text.length
    const [before, after] = around[block.type]
    return before + open + after
  }

  return {
    /** `delta` is the text that the open block has gained since the last call. */
    message: (id: string, draft: AssistantDraft.AssistantDraft, delta: string): string => {
      if (id !== messageId) begin(id)
      close(draft, draft.open ? draft.blocks.length - 1 : draft.blocks.length)
      const last = draft.open ? draft.blocks[draft.blocks.length - 1] : undefined
      const content = last === undefined ? closed : `${closed}${closed === "" ? "" : ","}${openBlock(last, delta)}`
      const { content: _, role, ...rest } = AssistantDraft.toMessage({ ...draft, blocks: [] })
      return `{"role":"${role}","content":[${content}],${stringify(rest).slice(1)}`
    }
  }
}

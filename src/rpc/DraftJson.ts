/**
 * The JSON of a message while it streams. Text that was encoded once is kept, so a step costs what it adds and not
 * what is there already. Owned by whoever writes the updates. Steps that it was not told about cost once more.
 */
import * as AssistantDraft from "../domain/conversation/AssistantDraft.ts"
import { escapeSeparators } from "./protocol/Frame.ts"

export const stringify = (value: unknown): string => escapeSeparators(JSON.stringify(value))

/** Where the text of a block stands in its JSON. */
const around = {
  text: ['{"type":"text","text":"', '"}'],
  thinking: ['{"type":"thinking","thinking":"', '"}']
} as const

export const make = () => {
  let messageId = ""
  /** The blocks that are over, and how many they are. */
  let closed = ""
  let count = 0
  /** The text of the open block, escaped, and its length before that. */
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
    /** `delta` is what the open block has gained since the last call. */
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

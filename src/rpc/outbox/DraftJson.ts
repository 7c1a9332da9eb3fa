/**
 * The JSON of an assistant message while it streams. It keeps the text that it has encoded, so a delta costs in
 * proportion to its own length; a block of which it has missed a delta is encoded anew. Owned by UpdateFrames.
 */
import * as Json from "../../domain/Json.ts"
import * as AssistantDraft from "../../domain/conversation/AssistantDraft.ts"
import * as Blocks from "../../domain/conversation/Blocks.ts"
import * as JsonScan from "../../domain/JsonScan.ts"
import { escapeSeparators } from "../protocol/Frame.ts"

export const stringify = (value: unknown): string => escapeSeparators(Json.stringify(value))

/** The JSON before and after the text of a block. */
const around = {
  text: ['{"type":"text","text":"', '"}'],
  thinking: ['{"type":"thinking","thinking":"', '"}']
} as const

/** Arguments above this size are encoded again only when they have grown by half, so that the cost stays linear. */
const largeArguments = 256 * 1024

/** The JSON of a tool call while its arguments arrive. */
const makeOpenCall = () => {
  let scan = JsonScan.make()
  let length = 0
  let shown = ""
  let shownLength = 0
  return (block: Blocks.ToolCallBlock, delta: string): string => {
    const { text } = block
    const isWhole = length + delta.length === text.length
    if (!isWhole) scan = JsonScan.make()
    scan.push(isWhole ? delta : text)
    length = text.length
    const grown = length - shownLength
    if (isWhole && length > largeArguments && grown < shownLength / 2) return shown
    shownLength = length
    return (shown = stringify(AssistantDraft.toContent(block, scan)))
  }
}

export const make = () => {
  let messageId = ""
  /** The JSON of the closed blocks, and their number. */
  let closed = ""
  let count = 0
  /** The escaped text of the open block, and its length unescaped. */
  let open = ""
  let length = 0
  let openCall = makeOpenCall()

  const beginBlock = () => {
    open = ""
    length = 0
    openCall = makeOpenCall()
  }

  const begin = (id: string) => {
    messageId = id
    closed = ""
    count = 0
    beginBlock()
  }

  const close = ({ blocks }: AssistantDraft.AssistantDraft, until: number) => {
    if (count >= until) return
    for (const block of Blocks.slice(blocks, count, until)) {
      closed += (closed === "" ? "" : ",") + stringify(AssistantDraft.toContent(block))
    }
    count = until
    beginBlock()
  }

  const openBlock = (block: Blocks.Block, delta: string): string => {
    if (block.type === "toolCall") return openCall(block, delta)
    const isWhole = length + delta.length === block.text.length
    open = isWhole ? open + stringify(delta).slice(1, -1) : stringify(block.text).slice(1, -1)
    length = block.text.length
    const [before, after] = around[block.type]
    return before + open + after
  }

  return {
    /** `delta` is the text that the open block has gained since the last call. */
    message: (id: string, draft: AssistantDraft.AssistantDraft, delta: string): string => {
      if (id !== messageId) begin(id)
      const { blocks, ...rest } = draft
      close(draft, Blocks.countOf(blocks) - (draft.open ? 1 : 0))
      const last = draft.open ? blocks?.last : undefined
      const content = last === undefined ? closed : `${closed}${closed === "" ? "" : ","}${openBlock(last, delta)}`
      const { content: _, role, ...members } = AssistantDraft.toMessage(rest)
      return `{"role":"${role}","content":[${content}],${stringify(members).slice(1)}`
    }
  }
}

/**
 * The blocks of an assistant message while it streams: an immutable list that shares all but its last block with the
 * list before it, so that a delta costs the same however many blocks there are.
 */

type TextBlock = { readonly type: "text"; readonly text: string; readonly signature?: string }
type ThinkingBlock = {
  readonly type: "thinking"
  readonly text: string
  readonly signature?: string
  readonly redacted?: boolean
}
/** `text` is the raw JSON of the arguments, and `ended` is whether the model completed it. */
export type ToolCallBlock = {
  readonly type: "toolCall"
  readonly text: string
  readonly id: string
  readonly name: string
  readonly ended: boolean
}
export type Block = TextBlock | ThinkingBlock | ToolCallBlock

export interface Blocks {
  readonly last: Block
  readonly before: Blocks | undefined
  readonly count: number
  /** Characters of text before the last block. */
  readonly sizeBefore: number
}

export const countOf = (blocks: Blocks | undefined): number => blocks?.count ?? 0

/** Characters of text in all blocks. */
export const sizeOf = (blocks: Blocks | undefined): number =>
  blocks === undefined ? 0 : blocks.sizeBefore + blocks.last.text.length

export const append = (before: Blocks | undefined, last: Block): Blocks => ({
  last,
  before,
  count: countOf(before) + 1,
  sizeBefore: sizeOf(before)
})

export const replaceLast = ({ before, count, sizeBefore }: Blocks, last: Block): Blocks => ({
  last,
  before,
  count,
  sizeBefore
})

/** The blocks from this position up to, but not including, the other one. */
export const slice = (blocks: Blocks | undefined, from = 0, until = countOf(blocks)): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  for (let at = blocks; at !== undefined && at.count > from; at = at.before) if (at.count <= until) found.push(at.last)
  return found.reverse()
}

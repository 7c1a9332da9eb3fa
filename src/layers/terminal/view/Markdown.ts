/** Blocks of Markdown as rows. Pure. */
import * as Text from "../../../domain/Text.ts"
import * as Markdown from "../../platform/modules/Markdown.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import type { Block } from "./MarkdownBlocks.ts"

/** Longer rows are hard to read. */
const widest = 110

const isCode = (text: string) => /^ {0,3}(?:`{3}|~{3})/.test(text)

export const render = ({ isEnd, isStart, text }: Block, { colors }: Style, width: number): ReadonlyArray<string> => {
  const columns = Math.min(width, widest)
  const rows = Rows.chop(Markdown.toAnsi(Text.printable(text), { columns, colors }).trimEnd(), width)
  if (!isCode(text)) return rows
  // The frame of code that was cut in two is drawn once.
  return rows.slice(isStart ? 0 : 1, isEnd ? undefined : -1)
}

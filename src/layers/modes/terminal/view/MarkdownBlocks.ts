/**
 * Cuts Markdown that streams in into blocks that will not change any more, so that each is rendered once and only the
 * last one again and again. Every character is looked at a bounded number of times.
 */
import * as Text from "../../../../domain/Text.ts"
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"

export interface Block {
  readonly text: string
  /** False: goes on where the block before it ended, without a gap, and, in code, without a frame above it. */
  readonly isStart: boolean
  /** False: the next block goes on in the same code. */
  readonly isEnd: boolean
}

export interface MarkdownBlocks {
  /** The blocks that are complete with this text. */
  readonly push: (text: string) => ReadonlyArray<Block>
  /** The block that is not complete yet. */
  readonly rest: () => Block
  /** The text has ended. */
  readonly end: () => ReadonlyArray<Block>
}

interface Fence {
  readonly mark: string
  readonly opening: string
}

/** A block that grows beyond this is cut, so that rendering it again stays cheap. */
const longestBlock = 6000
const longestCode = 4000

const fencePattern = /^( *)(`{3,}|~{3,})(.*)$/
const itemPattern = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/

const isClosing = (line: string, { mark }: Fence) => {
  const [, , found = "", more = ""] = fencePattern.exec(line) ?? []
  return found.startsWith(mark) && more.trim() === ""
}

export const make = (): MarkdownBlocks => {
  let [block, line] = ["", ""]
  let fence: Fence | undefined
  let [isStart, hasGap] = [true, false]

  const isCode = () => fence !== undefined && block.startsWith(fence.opening)

  /** What has gathered is a block of its own; `isEnd` false cuts it in two. */
  const finish = (isEnd = true): ReadonlyArray<Block> => {
    const text = block
    block = ""
    hasGap = false
    if (text.trim() === "") return []
    const found: Block = { text, isStart, isEnd }
    isStart = isEnd
    return [found]
  }

  const inCode = (next: string): ReadonlyArray<Block> => {
    const [open, wasCode] = [fence, isCode()]
    block += `${next}\n`
    if (open === undefined) return []
    if (isClosing(next, open)) {
      fence = undefined
      return wasCode ? finish() : []
    }
    if (!wasCode || block.length < longestCode) return []
    const cut = finish(false)
    block = `${open.opening}\n`
    return cut
  }

  const opensFence = (next: string): Fence | undefined => {
    const [, indent = "", mark, info = ""] = fencePattern.exec(next) ?? []
    if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined
    return { mark, opening: indent + mark + info }
  }

  const begin = (next: string, opened: Fence | undefined): ReadonlyArray<Block> => {
    const isInside = /^\s/.test(next)
    const continuesList = itemPattern.test(next) && itemPattern.test(block)
    const isNew = !isInside && (opened !== undefined || (hasGap && !continuesList))
    const found = isNew ? finish() : block.length > longestBlock ? finish(false) : []
    fence = opened
    hasGap = false
    block += `${next}\n`
    return found
  }

  const addLine = (next: string): ReadonlyArray<Block> => {
    if (fence !== undefined) return inCode(next)
    if (next.trim() !== "") return begin(next, opensFence(next))
    hasGap = block !== ""
    if (block !== "") block += "\n"
    return []
  }

  /** A line without an end is cut at a space. */
  const cutLine = (): ReadonlyArray<Block> => {
    if (line.length < longestBlock) return []
    const space = line.lastIndexOf(" ")
    const at = space > longestBlock / 2 ? space + 1 : line.length
    const [head, tail] = [line.slice(0, at), line.slice(at)]
    const found = [...addLine(head), ...(fence === undefined ? finish(false) : [])]
    line = tail
    return found
  }

  return {
    push: (text) => {
      const [head = "", ...lines] = text.split("\n")
      const found: Array<Block> = []
      line += head
      for (const next of lines) {
        found.push(...addLine(line))
        line = next
      }
      found.push(...cutLine())
      return found
    },
    rest: () => ({ text: block + line, isStart, isEnd: true }),
    end: () => {
      const last = line === "" ? [] : addLine(line)
      line = ""
      fence = undefined
      return [...last, ...finish()]
    }
  }
}

/** Longer rows are hard to read. */
const widest = 110

const isCode = (text: string) => /^ {0,3}(?:`{3}|~{3})/.test(text)

/** Blocks of Markdown as rows. Pure. */
export const render = ({ isEnd, isStart, text }: Block, { colors }: Style, width: number): ReadonlyArray<string> => {
  const columns = Math.min(width, widest)
  const rows = Rows.chop(TerminalText.markdown(Text.printable(text), { columns, colors }).trimEnd(), width)
  if (!isCode(text)) return rows
  // The frame of code that was cut in two is drawn once.
  return rows.slice(isStart ? 0 : 1, isEnd ? undefined : -1)
}

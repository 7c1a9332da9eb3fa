/** The answer of a model while it streams: blocks that are complete become final rows, the last one stays live. */
import * as Text from "../../../../domain/Text.ts"
import type { Update } from "../../../../domain/conversation/AssistantDraft.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import * as MarkdownBlocks from "./MarkdownBlocks.ts"

/** Rows that belong together. A gap comes before them unless they go on with the ones before. */
export interface Item {
  readonly kind: "user" | "text" | "thinking" | "tool" | "notice"
  readonly rows: ReadonlyArray<string>
  readonly continues: boolean
}

export interface Answer {
  /** `name` is that of the tool whose arguments arrive. */
  readonly update: (update: Update, name?: string) => ReadonlyArray<Item>
  /** Undefined when nothing has arrived that is not final. */
  readonly live: () => Item | undefined
  readonly end: () => ReadonlyArray<Item>
}

/** Thinking is plain text: a line is final when the next one begins, or when it fills some rows. */
const longestLine = 2000

const makeThinking = (style: Style, width: () => number) => {
  let [line, isStart] = ["", true]
  const toItem = (text: string): Item => ({
    kind: "thinking",
    rows: Rows.wrap(Text.printable(text), width()).map(style.thought),
    continues: !isStart
  })
  const finish = (text: string): ReadonlyArray<Item> => {
    if (text === "") return []
    const item = toItem(text)
    isStart = false
    return [item]
  }
  return {
    push: (text: string): ReadonlyArray<Item> => {
      line += text
      const end = line.length > longestLine ? line.length : line.lastIndexOf("\n")
      if (end < 0) return []
      const complete = line.slice(0, end)
      line = line.slice(end).replace(/^\n/, "")
      return finish(complete)
    },
    live: () => (line === "" ? undefined : toItem(line)),
    end: () => {
      const last = finish(line)
      line = ""
      isStart = true
      return last
    }
  }
}

const makeText = (style: Style, width: () => number) => {
  let blocks = MarkdownBlocks.make()
  const toItem = (block: MarkdownBlocks.Block): Item => ({
    kind: "text",
    rows: MarkdownBlocks.render(block, style, width()),
    continues: !block.isStart
  })
  return {
    push: (text: string) => blocks.push(text).map(toItem),
    live: () => {
      const rest = blocks.rest()
      return rest.text.trim() === "" ? undefined : toItem(rest)
    },
    end: () => {
      const last = blocks.end().map(toItem)
      blocks = MarkdownBlocks.make()
      return last
    }
  }
}

export const make = (style: Style, width: () => number): Answer => {
  const [text, thinking] = [makeText(style, width), makeThinking(style, width)]
  let call: { readonly name: string; characters: number } | undefined
  const callItem = (): Item | undefined => {
    if (call === undefined) return undefined
    const size = call.characters < 1000 ? "" : ` (${(call.characters / 1000).toFixed(1)} KB so far)`
    const row = `${style.symbols.running} ${Text.oneLine(call.name)}: the model writes its arguments${size}`
    return { kind: "tool", rows: [style.dim(Rows.fit(row, width()))], continues: false }
  }
  const end = () => {
    call = undefined
    return [...thinking.end(), ...text.end()]
  }
  return {
    update: (update, name = "") => {
      if (update.step === "end") return end()
      if (update.kind === "toolCall") {
        if (update.step === "start") call = { name, characters: 0 }
        else if (call !== undefined) call.characters += update.delta.length
        return []
      }
      if (update.step === "start") return []
      return update.kind === "text" ? text.push(update.delta) : thinking.push(update.delta)
    },
    live: () => text.live() ?? thinking.live() ?? callItem(),
    end
  }
}

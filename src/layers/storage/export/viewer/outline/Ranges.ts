/** Finds a text in an element, also across the elements that highlighting has divided it into. */
import * as Occurrences from "../text/Occurrences.ts"

const inlineElements = new Set(["A", "CODE", "DEL", "EM", "SPAN", "STRONG"])
/** Text of ours between the text of the session. */
const ours = ".copy, .more, .diff-number, .diff-sign"

interface TextNode {
  readonly node: Node
  readonly from: number
  readonly to: number
}

const blockOf = (node: Node): Element | null => {
  let at = node.parentElement
  while (at !== null && inlineElements.has(at.tagName)) at = at.parentElement
  return at
}

/** The text of an element, with a line break wherever a line ends on the page, and the position of each text node in it. */
const read = (root: Element) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches(ours) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT
  )
  const texts: Array<string> = []
  const nodes: Array<TextNode> = []
  let [length, block]: [number, Element | null] = [0, null]
  const add = (text: string) => {
    texts.push(text)
    length += text.length
  }
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (node.tagName === "BR") add("\n")
      continue
    }
    const home = blockOf(node)
    if (home !== block) add("\n")
    block = home
    const from = length
    add(Occurrences.folded(node.textContent ?? ""))
    nodes.push({ node, from, to: length })
  }
  return { text: texts.join(""), nodes }
}

/** The occurrences from number `first` on, at most `most`. `query` is folded. */
export const find = (root: Element, query: string, first: number, most: number): ReadonlyArray<Range> => {
  const { nodes, text } = read(root)
  const found: Array<Range> = []
  let index = 0
  /** Positions must be ascending. */
  const nodeAt = (isThere: (node: TextNode) => boolean): TextNode | undefined => {
    for (let node = nodes[index]; node !== undefined; node = nodes[++index]) if (isThere(node)) return node
    return undefined
  }
  Occurrences.each(text, query, (at, occurrence) => {
    if (occurrence < first) return true
    const start = nodeAt(({ to }) => at < to)
    const end = nodeAt(({ to }) => at + query.length <= to)
    if (start === undefined || end === undefined) return false
    const range = document.createRange()
    range.setStart(start.node, at - start.from)
    range.setEnd(end.node, at + query.length - end.from)
    found.push(range)
    return found.length < most
  })
  return found
}

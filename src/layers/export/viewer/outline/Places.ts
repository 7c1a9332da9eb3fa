/** Finds a text in an element, also across the elements that highlighting has divided it into. */

const mostPlaces = 2000

/** Keeps a text whose lower case has another length as it is, because all later positions would shift. */
const lowered = (text: string): string => {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text
}

const textNodes = (root: Element): ReadonlyArray<Node> => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: Array<Node> = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) found.push(node)
  return found
}

/** Every place of `query` (in lower case), in order. */
export const find = (root: Element, query: string): ReadonlyArray<Range> => {
  const nodes = textNodes(root)
  const texts = nodes.map((node) => lowered(node.textContent ?? ""))
  const whole = texts.join("")
  const found: Array<Range> = []
  let [index, start] = [0, 0]
  /** The text node of a position, and the offset in it. Positions must be ascending. */
  const locate = (position: number) => {
    while (index < nodes.length - 1 && position > start + (texts[index]?.length ?? 0))
      start += texts[index++]?.length ?? 0
    const node = nodes[index]
    return node === undefined ? undefined : { node, offset: position - start }
  }
  for (
    let at = whole.indexOf(query);
    at >= 0 && found.length < mostPlaces;
    at = whole.indexOf(query, at + query.length)
  ) {
    const [from, to] = [locate(at), locate(at + query.length)]
    if (from === undefined || to === undefined) break
    const range = document.createRange()
    range.setStart(from.node, from.offset)
    range.setEnd(to.node, to.offset)
    found.push(range)
  }
  return found
}

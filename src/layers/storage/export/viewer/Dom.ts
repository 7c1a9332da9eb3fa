/** Builds elements. Text becomes text nodes and is never parsed as markup. */

export type Child = Node | string | undefined | ReadonlyArray<Child>
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Longer texts are hardly names. */
const mostWords = 200

const setAll = (element: Element, attributes: Attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value))
  }
}

const add = (parent: Node, child: Child): void => {
  if (child === undefined) return
  if (typeof child === "string") parent.appendChild(document.createTextNode(child))
  else if (child instanceof Node) parent.appendChild(child)
  else for (const each of child) add(parent, each)
}

export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag)
  setAll(element, attributes)
  add(element, children)
  return element
}

export const svg = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): SVGElementTagNameMap[K] => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  setAll(element, attributes)
  add(element, children)
  return element
}

/** A path or a name, which may be broken behind its punctuation, so that a narrow column does not break its words. */
export const breakable = (name: string): ReadonlyArray<Child> => {
  const words = name.split(/(?<=[/\\_.:-])(?=[^/\\_.:-])/)
  return words.length > mostWords ? [name] : words.flatMap((word, at) => (at === 0 ? [word] : [h("wbr"), word]))
}

export const button = (attributes: Attributes, onPress: () => void, ...children: ReadonlyArray<Child>) => {
  const element = h("button", { type: "button", ...attributes }, ...children)
  element.addEventListener("click", onPress)
  return element
}

const paths = {
  chevron: "M6 4l4 4-4 4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  outline: "M2.5 3.5h11M2.5 8h7M2.5 12.5h9",
  theme: "M8 2.5a5.5 5.5 0 0 1 0 11zM8 2.5a5.5 5.5 0 1 0 0 11",
  unfold: "M4.5 6L8 2.5 11.5 6M4.5 10L8 13.5l3.5-3.5",
  help: "M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5zM6.3 6.4a1.75 1.75 0 1 1 2.3 1.7c-.4.1-.6.4-.6.8v.3M8 11.2v.1",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  close: "M4 4l8 8M12 4l-8 8",
  branch: "M4.5 3v10M4.5 9c0-3 7-1 7-5",
  back: "M10 4L6 8l4 4",
  download: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7"
} as const

export const icon = (name: keyof typeof paths) =>
  svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, class: `icon icon-${name}`, "aria-hidden": "true" },
    ...(paths[name].match(/M[^M]*/g) ?? []).map((d) =>
      svg("path", { d, fill: d.endsWith("z") && name === "theme" ? "currentColor" : "none" })
    )
  )

/** Draws the parts of an item. The body of a fold is built when it is first opened. */
import { h, icon } from "../Dom.ts"
import type { Fold, Part, LeafLocation } from "../Parts.ts"

const elements = new WeakMap<Part, HTMLElement>()
const builders = new WeakMap<Element, () => void>()

const show = (element: HTMLDetailsElement) => {
  builders.get(element)?.()
  element.open = true
}

const drawFold = (part: Fold): HTMLDetailsElement => {
  const element = h(
    "details",
    { class: `fold ${part.class}` },
    h("summary", {}, icon("chevron"), ...part.head.map(draw))
  )
  let built = false
  const build = () => {
    if (built) return
    built = true
    element.append(h("div", { class: "fold-body" }, ...part.body().map(draw)))
  }
  builders.set(element, build)
  element.addEventListener("toggle", () => (element.open ? build() : undefined))
  if (part.open) show(element)
  return element
}

const make = (part: Part): HTMLElement => {
  switch (part.kind) {
    case "leaf":
      return part.make()
    case "group":
      return part.make(part.parts().map(draw))
    case "fold":
      return drawFold(part)
  }
}

export const draw = (part: Part): HTMLElement => {
  const element = make(part)
  elements.set(part, element)
  return element
}

const within = (root: Element) =>
  [...root.querySelectorAll("details.fold")].filter((element) => element instanceof HTMLDetailsElement)

export const setAll = (root: Element, open: boolean): void => {
  for (const element of within(root)) {
    if (open) show(element)
    else element.open = false
    if (open) setAll(element, open)
  }
}

/** Opens the folds around a part of a drawn item, and returns its element. */
export const openAt = ({ folds, leaf }: LeafLocation): HTMLElement | undefined => {
  for (const each of folds) {
    const element = elements.get(each)
    if (element instanceof HTMLDetailsElement) show(element)
  }
  return elements.get(leaf)
}

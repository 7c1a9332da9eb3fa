/** Long texts that show their beginning at first, and how a search makes them show a later position. */

type Grow = (end: number) => void

const growers = new WeakMap<Element, Grow>()

/** `grow` shows the text at least up to the position `end`. */
export const set = (element: Element, grow: Grow): void => {
  element.classList.add("growing")
  growers.set(element, grow)
}

/** Shows the text of an element up to a position. Texts inside it are shown completely. */
export const upTo = (element: Element, end: number): void => {
  growers.get(element)?.(end)
  for (const inner of element.querySelectorAll(".growing")) growers.get(inner)?.(Number.POSITIVE_INFINITY)
}

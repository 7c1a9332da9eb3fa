/** Parts of an item that open and close. Their content is built when they are first opened. */
import { type Child, h, icon } from "../Dom.ts"
import { growToMatch } from "../text/Code.ts"

export interface FoldOptions {
  readonly class: string
  readonly summary: ReadonlyArray<Child>
  readonly body: () => ReadonlyArray<Child>
  /** The text inside that a search should find. */
  readonly words: () => string
  readonly open?: boolean
}

interface Contents {
  readonly words: () => string
  readonly build: () => void
}

const contents = new WeakMap<Element, Contents>()

const show = (element: HTMLDetailsElement) => {
  contents.get(element)?.build()
  element.open = true
}

export const fold = (options: FoldOptions): HTMLDetailsElement => {
  const element = h(
    "details",
    { class: `fold ${options.class}` },
    h("summary", {}, icon("chevron"), ...options.summary)
  )
  let built = false
  const build = () => {
    if (built) return
    built = true
    element.append(h("div", { class: "fold-body" }, ...options.body()))
  }
  contents.set(element, { words: options.words, build })
  element.addEventListener("toggle", () => (element.open ? build() : undefined))
  if (options.open === true) show(element)
  return element
}

const within = (root: Element) =>
  [...root.querySelectorAll("details.fold")].filter((element) => element instanceof HTMLDetailsElement)

export const setAll = (root: Element, open: boolean): void => {
  for (const element of within(root)) {
    if (open) show(element)
    else element.open = false
  }
}

/** Opens the folds that hold `query` (in lower case), nested ones included. */
export const openMatching = (root: Element, query: string): void => {
  for (const element of within(root)) {
    if (element.open || contents.get(element)?.words().toLowerCase().includes(query) !== true) continue
    show(element)
    openMatching(element, query)
  }
  growToMatch(root, query)
}

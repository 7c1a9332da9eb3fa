/**
 * What an item consists of. A part knows the text that a search finds in it before it is drawn, so that a search counts
 * matches in ten thousand messages without drawing them, and then finds the element of each match.
 */
import { h } from "./Dom.ts"

/** `words` is the text as it is shown. It is empty for decoration, and for text that another part shows, too. */
export interface Leaf {
  readonly kind: "leaf"
  readonly words: () => string
  readonly make: () => HTMLElement
}

export interface Group {
  readonly kind: "group"
  readonly parts: () => ReadonlyArray<Part>
  readonly make: (inner: ReadonlyArray<HTMLElement>) => HTMLElement
}

/** Opens and closes. Its body is made when it is first opened. */
export interface Fold {
  readonly kind: "fold"
  readonly class: string
  readonly head: ReadonlyArray<Part>
  readonly body: () => ReadonlyArray<Part>
  readonly open: boolean
}

export type Part = Leaf | Group | Fold

export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

export const leaf = (words: () => string, make: () => HTMLElement): Leaf => ({ kind: "leaf", words: once(words), make })

/** Not found by a search. */
export const decoration = (make: () => HTMLElement): Leaf => leaf(() => "", make)

export const group = (
  parts: () => ReadonlyArray<Part>,
  make: (inner: ReadonlyArray<HTMLElement>) => HTMLElement
): Group => ({ kind: "group", parts: once(parts), make })

export const text = (words: string, className?: string): Leaf =>
  leaf(
    () => words,
    () => h("span", { class: className }, words)
  )

/** Shown in a head for orientation; the body has the whole text. */
export const hint = (words: string): Leaf => decoration(() => h("span", { class: "fold-hint" }, words))

export interface FoldOptions {
  readonly class: string
  readonly head: ReadonlyArray<Part>
  readonly body: () => ReadonlyArray<Part>
  readonly open?: boolean
}

export const fold = ({ body, class: className, head, open = false }: FoldOptions): Fold => ({
  kind: "fold",
  class: className,
  head,
  body: once(body),
  open
})

/** A leaf, and the folds around it from the outside in. */
export interface LeafLocation {
  readonly leaf: Leaf
  readonly folds: ReadonlyArray<Fold>
}

/** All leaves, in the order in which they are shown. */
export const leafLocations = (
  parts: ReadonlyArray<Part>,
  folds: ReadonlyArray<Fold> = []
): ReadonlyArray<LeafLocation> =>
  parts.flatMap((part): ReadonlyArray<LeafLocation> => {
    switch (part.kind) {
      case "leaf":
        return [{ leaf: part, folds }]
      case "group":
        return leafLocations(part.parts(), folds)
      case "fold":
        return [...leafLocations(part.head, folds), ...leafLocations(part.body(), [...folds, part])]
    }
  })

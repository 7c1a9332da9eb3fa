/** Texts as rows of a terminal, which has a number of cells in each row. */

/** How many cells the text takes. */
export const cells = (text: string): number => Bun.stringWidth(text)

/** Breaks lines at spaces, and words that are longer than a line. Styles go on in the next line. */
export const wrap = (text: string, width: number): string => Bun.wrapAnsi(text, width, { hard: true, trim: true })

/** Breaks lines wherever they are full, for text whose spaces matter. */
export const chop = (text: string, width: number): string =>
  Bun.wrapAnsi(text, width, { hard: true, wordWrap: false, trim: false })

/** The cells from one column to another, with the styles that are in force there. */
export const slice = (text: string, from: number, to: number): string => Bun.sliceAnsi(text, from, to)

export const strip = (text: string): string => Bun.stripANSI(text)

/** The beginning of a text that is too long, with a mark at its end. */
export const cut = (text: string, width: number): string => Bun.sliceAnsi(text, 0, width, "…")

/** Markdown as rows. Links show their address, because what a model calls a link may lead elsewhere. */
export const markdown = (text: string, options: { readonly columns: number; readonly colors: boolean }): string =>
  Bun.markdown.ansi(text, { ...options, hyperlinks: false })

/** How many cells of a terminal a text takes, and texts that are fitted into a number of cells. */
export const cells = (text: string): number => Bun.stringWidth(text)

/** Breaks lines at spaces, and words that are longer than a line. Styles go on in the next line. */
export const wrap = (text: string, width: number): string => Bun.wrapAnsi(text, width, { hard: true, trim: true })

/** Breaks lines wherever they are full, for text whose spaces matter. */
export const chop = (text: string, width: number): string =>
  Bun.wrapAnsi(text, width, { hard: true, wordWrap: false, trim: false })

/** The beginning of a text that is too long, with a mark at its end. */
export const cut = (text: string, width: number): string => Bun.sliceAnsi(text, 0, width, "…")

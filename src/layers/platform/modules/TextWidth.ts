/** How many cells of a terminal a text takes. Escape sequences take none. */
export const cells = (text: string): number => Bun.stringWidth(text)

/** What a terminal shows of a text that others wrote: everything but control characters, which it would obey. Pure. */
export const printable = (text: string): string => text.replaceAll(/(?![\n\t])\p{Cc}/gu, "")

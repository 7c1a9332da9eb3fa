/** The name of a program without its folder. */
export const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

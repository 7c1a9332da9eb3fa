/** Names of sessions as people type them. */

/** One line without control characters and without blanks at its ends; undefined when nothing is left. */
export const clean = (name: string): string | undefined => {
  const cleaned = name
    .replaceAll(/(?!\s)\p{Cc}/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
  return cleaned === "" ? undefined : cleaned
}

/** What code of others throws, as a text for a report. */

const longest = 8192
const mostErrors = 5
const cut = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest)}… (cut)`)

/** The parser of the engine reports its findings together. */
const several = ({ errors, message }: AggregateError): string =>
  cut([message, ...errors.slice(0, mostErrors).map(textOf)].filter((text) => text !== "").join("; "))

/** Anything can be thrown, even an object whose members throw. */
export const textOf = (thrown: unknown): string => {
  try {
    if (thrown instanceof AggregateError) return several(thrown)
    if (thrown instanceof Error) return cut(thrown.message === "" ? thrown.name : String(thrown.message))
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) return cut(String(thrown.message))
    return cut(typeof thrown === "string" ? thrown : `thrown: ${String(thrown)}`)
  } catch {
    return "an object that cannot be shown was thrown"
  }
}

/** The stack of an error, or nothing: only errors have one, and a getter of it may throw. */
export const stackOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : ""
  } catch {
    return ""
  }
}

/** JSON of a value in the JSON Canonicalization Scheme (RFC 8785): one text for equal values, to take the hash of. */
import * as Json from "../Json.ts"

const text = (value: string): string => Json.stringify(value)

/** Sorts by UTF-16 units, as `<` of the language does. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const member = (object: object, key: string): unknown => Object.getOwnPropertyDescriptor(object, key)?.value

/**
 * Takes values that JSON knows, as a frame has them: a member that is undefined is left out, in an array it is null. Numbers
 * are written as the language prints them, and a surrogate without its pair as `\udxxx`. JSON.stringify does both.
 */
export const print = (value: unknown): string => {
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) return `[${value.map((item: unknown) => print(item)).join(",")}]`
  if (typeof value !== "object" || value === null) return Json.stringify(value) ?? "null"
  const members = Object.keys(value)
    .toSorted(byUnits)
    .flatMap((key) => {
      const found = member(value, key)
      return found === undefined ? [] : [`${text(key)}:${print(found)}`]
    })
  return `{${members.join(",")}}`
}

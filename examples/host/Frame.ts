/** Frames as a host reads them. A host must expect unknown members and types. */

export interface Frame {
  readonly type: string
  readonly [member: string]: unknown
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isFrame = (value: unknown): value is Frame => isRecord(value) && typeof value["type"] === "string"

/** A member of a value; undefined if the value is not an object. */
export const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

/** The member as text; empty if it is absent or of another type. */
export const text = (value: unknown, name: string): string => {
  const found = member(value, name)
  return typeof found === "string" ? found : ""
}

/** The member as a number; zero if it is absent or of another type. */
export const number = (value: unknown, name: string): number => {
  const found = member(value, name)
  return typeof found === "number" ? found : 0
}

export const list = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

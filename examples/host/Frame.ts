/** What a host knows about a line of JSON before it has looked inside. Unknown members and types are normal. */

export interface Frame {
  readonly type: string
  readonly [member: string]: unknown
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isFrame = (value: unknown): value is Frame => isRecord(value) && typeof value["type"] === "string"

/** A member of something that may not be an object. */
export const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

/** The member as text; empty where it is absent or something else. */
export const text = (value: unknown, name: string): string => {
  const found = member(value, name)
  return typeof found === "string" ? found : ""
}

/** The member as a number; zero where it is absent or something else. */
export const number = (value: unknown, name: string): number => {
  const found = member(value, name)
  return typeof found === "number" ? found : 0
}

export const list = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

/** Reads values of unknown form: session files come from many programs and versions, and some are damaged. */

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {})
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
export const records = (value: unknown): ReadonlyArray<JsonRecord> => list(value).filter(isRecord)
export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0)

/** As people read it; a text stands for itself. */
export const show = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")

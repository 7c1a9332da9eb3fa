/** Reads input of any form: session files come from many programs and versions, and some are damaged. */

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {})
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
export const records = (value: unknown): ReadonlyArray<JsonRecord> => list(value).filter(isRecord)
export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0)

/** Pretty-printed JSON; a string is shown as it is. */
export const show = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")

/** The only place of the viewer that catches: a text that makes a library throw must not break the page. */
export const attempt = <A, B>(run: () => A, otherwise: () => B): A | B => {
  try {
    return run()
  } catch {
    return otherwise()
  }
}

const bytesOf = (base64: string): Uint8Array => {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Reads base64 of UTF-8 JSON, the form in which the page embeds the session. Undefined if the page is damaged. */
export const decode = (base64: string): unknown =>
  attempt(
    (): unknown => JSON.parse(new TextDecoder().decode(bytesOf(base64))),
    () => undefined
  )

/** Removes keys from text that people see. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hidden } from "../../../../domain/model/BaseUrl.ts"
import type { Connection } from "../../Protocol.ts"

/** Name and password in an address. */
const userInfo = /\/\/[^/\s?#]+@/g

/** Patterns of keys, because a server may quote part of our key, or another key. */
const keyLike = [
  /\b(sk|pk|rk|gsk|xai|csk|hf|key|tok|AIza)[-_][A-Za-z0-9_\-.*]{5,}[A-Za-z0-9*]/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{5,}[A-Za-z0-9=]/gi,
  /\b[A-Za-z0-9]{3,}\*{4,}[A-Za-z0-9]*/g
]

/** Shorter values would also remove common words. */
const shortest = 6

export const redact = (text: string, connection: Connection): string => {
  const values = [...Option.toArray(connection.apiKey), ...Object.values(connection.headers)].map(Redacted.value)
  let clean = text.replaceAll(userInfo, `//${hidden}@`)
  for (const value of values) if (value.length >= shortest) clean = clean.replaceAll(value, hidden)
  for (const pattern of keyLike) clean = clean.replaceAll(pattern, hidden)
  return clean
}

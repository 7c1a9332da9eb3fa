/** Takes keys out of text that people see. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Connection } from "../../Protocol.ts"

const hidden = "[redacted]"
/** Name and password in an address. */
const userInfo = /\/\/[^/@\s]+@/g

/** What keys look like, for the ones that are not ours: a server may quote the key in parts or another one. */
const keyLike = [
  /\b(sk|pk|rk|gsk|xai|csk|hf|key|tok|AIza)[-_][A-Za-z0-9_\-.*]{5,}[A-Za-z0-9*]/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{5,}[A-Za-z0-9=]/gi,
  /\b[A-Za-z0-9]{3,}\*{4,}[A-Za-z0-9]*/g
]

/** Shorter values would take common words out of the text. */
const shortest = 6

export const redact = (text: string, connection: Connection): string => {
  const values = [...Option.toArray(connection.apiKey), ...Object.values(connection.headers)].map(Redacted.value)
  let clean = text.replaceAll(userInfo, `//${hidden}@`)
  for (const value of values) if (value.length >= shortest) clean = clean.replaceAll(value, hidden)
  for (const pattern of keyLike) clean = clean.replaceAll(pattern, hidden)
  return clean
}

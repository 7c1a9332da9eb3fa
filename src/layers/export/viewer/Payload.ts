/** The session as it stands in the page: base64 of UTF-8 JSON in a block that browsers do not run. */
import { attempt } from "./Attempt.ts"

const bytesOf = (base64: string): Uint8Array => {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Undefined when the page was damaged on its way. */
export const read = (id: string): unknown => {
  const base64 = document.getElementById(id)?.textContent?.trim() ?? ""
  return attempt(
    (): unknown => JSON.parse(new TextDecoder().decode(bytesOf(base64))),
    () => undefined
  )
}

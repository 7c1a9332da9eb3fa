/**
 * Addresses of model servers. They may hold a password (`https://name:password@host`) or a key (`?key=…`), which requests
 * use and no one else sees.
 */

export const hidden = "[redacted]"

const userInfo = /(\/\/)([^/?#\\]*)@/
/** In an address that is none, an `@` anywhere may follow a password. */
const anyUserInfo = /(\/\/)(.*)@/
const parameter = /([?&])([^=&#]*)=([^&#]*)/g
const none: ReadonlyArray<string> = []
const isPublic = (name: string) => /^(api-)?version$/i.test(name)

/** The address as people may see it, still an address. */
export const mask = (url: string): string => {
  if (!url.includes("@") && !url.includes("?")) return url
  const named = url.replace(URL.canParse(url) ? userInfo : anyUserInfo, `$1${hidden}@`)
  return named.replaceAll(parameter, (whole, mark: string, name: string) =>
    isPublic(name) ? whole : `${mark}${name}=${hidden}`
  )
}

/** URLSearchParams, because it takes any text. */
const decoded = (text: string): string => {
  const escaped = text.replaceAll("&", "%26").replaceAll("+", "%2B")
  return new URLSearchParams(`text=${escaped}`).get("text") ?? text
}

/** Everything that `mask` hides, as it is written and as it is meant. */
export const secretsOf = (url: string): ReadonlyArray<string> => {
  if (mask(url) === url) return none
  const found: Array<string> = []
  const info = (URL.canParse(url) ? userInfo : anyUserInfo).exec(url)?.[2]
  if (info !== undefined) {
    const [name = "", ...password] = info.split(":")
    // A name without a password is a token.
    found.push(info, password.length === 0 ? name : password.join(":"))
  }
  for (const [, , name = "", value = ""] of url.matchAll(parameter)) if (!isPublic(name)) found.push(value)
  return [...new Set(found.flatMap((text) => [text, decoded(text)]))]
}

/** An address without its query, and the query by name. */
export const split = (url: string): { readonly address: string; readonly query: Readonly<Record<string, string>> } => {
  const at = url.indexOf("?")
  if (at < 0) return { address: url.replace(/\/+$/, ""), query: {} }
  return {
    address: url.slice(0, at).replace(/\/+$/, ""),
    query: Object.fromEntries(new URLSearchParams(url.slice(at)))
  }
}

/** The address of something below a base address. */
export const below = (url: string, path: string): string => {
  const { address } = split(url)
  const at = url.indexOf("?")
  return `${address}${path}${at < 0 ? "" : url.slice(at)}`
}

/** How long a server asks us to wait, in the various spellings. */

const number = (text: string | undefined): number | undefined => {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

const until = (text: string | undefined, now: number): number | undefined => {
  // Date.parse would take almost any number for a year.
  const at = text?.includes(":") === true ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Go durations as OpenAI and Groq write them: `1s`, `6m0s`, `120ms`. */
const duration = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return undefined
  const units = new Map([
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
    ["ms", 1]
  ])
  let total = 0
  for (const [, value, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g))
    total += Number(value) * (units.get(unit ?? "") ?? 0)
  return total
}

/** A count of seconds is a wait while it is small, and a point in time (Unix, seconds or milliseconds) when it is not. */
const secondsOrInstant = (value: number | undefined, now: number): number | undefined => {
  if (value === undefined || value < 1e9) return value === undefined ? undefined : value * 1000
  return Math.max(0, (value > 1e11 ? value : value * 1000) - now)
}

export const retryAfterMs = (header: (name: string) => string | undefined, now: number): number | undefined => {
  const seconds = number(header("retry-after"))
  const reset = header("x-ratelimit-reset")
  const hint =
    number(header("retry-after-ms")) ??
    (seconds === undefined ? until(header("retry-after"), now) : seconds * 1000) ??
    number(header("x-ratelimit-reset-ms")) ??
    secondsOrInstant(number(reset), now) ??
    duration(reset) ??
    until(reset, now)
  return hint === undefined || !Number.isFinite(hint) ? undefined : Math.round(hint)
}

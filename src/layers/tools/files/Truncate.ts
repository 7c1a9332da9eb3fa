/** Cuts long text to whole lines. A line includes the LF that ends it; sizes are in bytes of UTF-8. */

export interface TruncationResult {
  readonly content: string
  readonly truncated: boolean
  readonly truncatedBy: "lines" | "bytes" | null
  readonly totalLines: number
  readonly totalBytes: number
  readonly outputLines: number
  readonly outputBytes: number
  /** The only kept line is the end of a longer line. */
  readonly lastLinePartial: boolean
  /** Nothing was kept, because the first line alone is too long. */
  readonly firstLineExceedsLimit: boolean
  readonly maxLines: number
  readonly maxBytes: number
}

/** The part that hosts get in `details`: everything but the text. */
export type TruncationDetails = Omit<TruncationResult, "content">

export interface Limits {
  readonly maxLines: number
  readonly maxBytes: number
}

export const defaultLimits: Limits = { maxLines: 2000, maxBytes: 50 * 1024 }

const lineFeed = 10

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** Bytes of one UTF-16 unit; each half of a pair counts two, and an unpaired half becomes U+FFFD. */
const unitBytes = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  const paired = (isHigh(unit) && isLow(text.charCodeAt(at + 1))) || (isLow(unit) && isHigh(text.charCodeAt(at - 1)))
  return paired ? 2 : 3
}

export const truncateHead = (text: string, limits: Limits = defaultLimits): TruncationResult => {
  let totalBytes = 0
  let totalLines = 0
  let end = 0
  let outputLines = 0
  let outputBytes = 0
  let truncatedBy: TruncationResult["truncatedBy"] = null
  for (let i = 0; i < text.length; i++) {
    totalBytes += unitBytes(text, i)
    if (text.charCodeAt(i) !== lineFeed && i < text.length - 1) continue
    totalLines++
    if (truncatedBy !== null) continue
    if (totalLines > limits.maxLines) truncatedBy = "lines"
    else if (totalBytes > limits.maxBytes) truncatedBy = "bytes"
    else {
      end = i + 1
      outputLines = totalLines
      outputBytes = totalBytes
    }
  }
  return {
    content: text.slice(0, end),
    truncated: truncatedBy !== null,
    truncatedBy,
    totalLines,
    totalBytes,
    outputLines,
    outputBytes,
    lastLinePartial: false,
    firstLineExceedsLimit: truncatedBy === "bytes" && outputLines === 0,
    ...limits
  }
}

const measure = (text: string) => {
  let totalBytes = 0
  let totalLines = 0
  for (let i = 0; i < text.length; i++) {
    totalBytes += unitBytes(text, i)
    if (text.charCodeAt(i) === lineFeed || i === text.length - 1) totalLines++
  }
  return { totalBytes, totalLines }
}

/** The start of the kept end of a text that does not fit. */
const findTail = (text: string, limits: Limits) => {
  let at = text.length
  let bytes = 0
  let whole = { start: at, outputLines: 0, outputBytes: 0 }
  while (at > 0 && whole.outputLines < limits.maxLines) {
    const units = isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2)) ? 2 : 1
    const size = units === 2 ? 4 : unitBytes(text, at - 1)
    if (bytes + size > limits.maxBytes) {
      const lastLinePartial = whole.outputLines === 0 && bytes > 0
      const kept = lastLinePartial ? { start: at, outputLines: 1, outputBytes: bytes } : whole
      return { ...kept, lastLinePartial, truncatedBy: "bytes" as const }
    }
    bytes += size
    at -= units
    if (at === 0 || text.charCodeAt(at - 1) === lineFeed) {
      whole = { start: at, outputLines: whole.outputLines + 1, outputBytes: bytes }
    }
  }
  return { ...whole, lastLinePartial: false, truncatedBy: "lines" as const }
}

/** Keeps the end; when even the last line is too long, the end of that line. */
export const truncateTail = (text: string, limits: Limits = defaultLimits): TruncationResult => {
  const { totalBytes, totalLines } = measure(text)
  const common = { totalLines, totalBytes, firstLineExceedsLimit: false, ...limits }
  if (totalLines <= limits.maxLines && totalBytes <= limits.maxBytes) {
    return {
      content: text,
      truncated: false,
      truncatedBy: null,
      outputLines: totalLines,
      outputBytes: totalBytes,
      lastLinePartial: false,
      ...common
    }
  }
  const { start, ...tail } = findTail(text, limits)
  return { content: text.slice(start), truncated: true, ...tail, ...common }
}

export const toDetails = (result: TruncationResult): TruncationDetails => {
  const { content: _, ...details } = result
  return details
}

/** `50 KiB`, `1.2 MiB`. */
export const formatBytes = (bytes: number): string => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${Math.round(value * 10) / 10} ${units[unit]}`
}

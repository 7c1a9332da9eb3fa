/** pi's functions that cut text, over the ones of the tools. Their content does not end with a line feed. */
import * as Text from "../../../../domain/Text.ts"
import * as Truncate from "../../../tools/files/Truncate.ts"

export const DEFAULT_MAX_LINES = Truncate.defaultLimits.maxLines
export const DEFAULT_MAX_BYTES = Truncate.defaultLimits.maxBytes
export const GREP_MAX_LINE_LENGTH = 500

type Cut = (text: string, limits: Truncate.Limits) => Truncate.TruncationResult

const withDefaults =
  (cut: Cut) =>
  (text: string, options: Partial<Truncate.Limits> = {}): Truncate.TruncationResult => {
    const { maxBytes = DEFAULT_MAX_BYTES, maxLines = DEFAULT_MAX_LINES } = options
    const result = cut(text, { maxBytes, maxLines })
    if (!result.truncated || !result.content.endsWith("\n")) return result
    return { ...result, content: result.content.slice(0, -1), outputBytes: result.outputBytes - 1 }
  }

export const truncateHead = withDefaults(Truncate.truncateHead)
export const truncateTail = withDefaults(Truncate.truncateTail)

export const truncateLine = (line: string, maxChars: number = GREP_MAX_LINE_LENGTH) =>
  line.length <= maxChars
    ? { text: line, wasTruncated: false }
    : { text: `${Text.first(line, maxChars)}... [truncated]`, wasTruncated: true }

/** `512B`, `1.5KB`, `3.0MB`. */
export const formatSize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes}B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)}KB` : `${(kilobytes / 1024).toFixed(1)}MB`
}

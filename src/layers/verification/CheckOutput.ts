/** The output of one check: all of it into its log, and its end in bounded memory. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Truncate from "../tools/files/Truncate.ts"
import * as OutputTail from "../tools/shell/OutputTail.ts"
import type { CheckLog } from "./CheckLog.ts"

export interface CheckOutput {
  readonly take: (text: string) => Effect.Effect<void>
  readonly finish: Effect.Effect<Kept>
}

export interface Kept {
  /** The last lines, as many as a repair is shown. */
  readonly context: Truncate.TruncationResult
  /** The last lines, as many as a host is shown; empty if there are none. */
  readonly preview: string
  readonly log: Option.Option<string>
}

/** Bytes count, so it is never more than 4000 characters. */
const previewLimits: Truncate.Limits = { maxLines: 20, maxBytes: 4000 }
/** Keeps lines of any length from filling the memory, and the context of the model. */
const contextBytes = 256 * 1024

const lineFeed = "\n"
const utf8 = new TextEncoder()

const countLineFeeds = (text: string): number => {
  let count = 0
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count++
  return count
}

export const previewOf = (output: string): string => Truncate.truncateTail(output.trimEnd(), previewLimits).content

/** Takes text without control sequences and secrets. */
export const make = (log: CheckLog, contextLines: number): CheckOutput => {
  const tail = OutputTail.make({
    maxLines: Math.max(contextLines, previewLimits.maxLines),
    maxBytes: contextBytes
  })
  let lineFeeds = 0
  return {
    take: (text) =>
      Effect.suspend(() => {
        const bytes = utf8.encode(text)
        lineFeeds += countLineFeeds(text)
        tail.push(bytes, lineFeeds)
        return log.write(bytes) ?? Effect.void
      }),
    finish: Effect.suspend(() => {
      const { content, totalLines, truncated } = tail.snapshot()
      const cut = Truncate.truncateTail(content, { maxLines: contextLines, maxBytes: contextBytes })
      const context = { ...cut, totalLines, truncated: truncated || cut.truncated }
      return Effect.map(log.finish(utf8.encode(content)), (path) => ({
        context,
        preview: previewOf(content),
        log: path
      }))
    })
  }
}

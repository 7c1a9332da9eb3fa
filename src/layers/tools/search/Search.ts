/** What a search engine of `grep` does. Both engines, RipgrepSearch and BuiltInSearch, give the same answers. */
import type * as Effect from "effect/Effect"
import type { Files } from "../../../services/machine/Files.ts"
import type { Processes } from "../../../services/machine/Processes.ts"
import type { ToolFailure } from "../../../services/Tools.ts"

export interface Query {
  /** Absolute: a folder, or a file, which is searched even if it is ignored. */
  readonly root: string
  readonly isFile: boolean
  /** A regular expression, or plain text if `literal`; matched within single lines. */
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  readonly glob?: string | undefined
  readonly limit: number
  readonly maxMillis: number
}

/** A line that matches; the text may end early if the line is very long. */
export interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface Found {
  /** At most as many as the limit, in the order of the tree. */
  readonly matches: ReadonlyArray<Match>
  readonly hasMore: boolean
  /** The time ran out before everything was searched. */
  readonly isPartial: boolean
}

export type Engine = (query: Query) => Effect.Effect<Found, ToolFailure, Files | Processes>

const names = (path: string) => path.split("/")

/** The order of a walk: compares paths name by name. */
export const comparePaths = (a: string, b: string): number => {
  const left = names(a)
  const right = names(b)
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = "", y = ""] = [left[i], right[i]]
    if (x !== y) return x < y ? -1 : 1
  }
  return left.length - right.length
}

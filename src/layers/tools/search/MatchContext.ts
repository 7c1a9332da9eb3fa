/** Adds the lines around matches, as grep does: `path:line: text` for a match, `path-line- text` for its neighbours. */
import * as Effect from "effect/Effect"
import type { Files } from "../../../services/machine/Files.ts"
import * as Lines from "./Lines.ts"
import type { Match } from "./Search.ts"

export interface Line extends Match {
  readonly isMatch: boolean
  /** The line before it is not shown, so a new block begins. */
  readonly opensBlock: boolean
}

const byFile = (matches: ReadonlyArray<Match>): ReadonlyArray<ReadonlyArray<Match>> => {
  const files: Array<Array<Match>> = []
  for (const match of matches) {
    const current = files.at(-1)
    if (current?.[0]?.path === match.path) current.push(match)
    else files.push([match])
  }
  return files
}

const around = Effect.fnUntraced(function* (matches: ReadonlyArray<Match>, context: number) {
  const path = matches[0]?.path ?? ""
  const matched = new Map(matches.map((match) => [match.line, match]))
  const wanted = new Set(
    matches.flatMap(({ line }) => Array.from({ length: 2 * context + 1 }, (_, i) => line - context + i))
  )
  const last = (matches.at(-1)?.line ?? 0) + context
  const texts = new Map<number, string>()
  yield* Lines.scan(path, (text, firstLine) =>
    Effect.sync(() => {
      const lines = text.replace(/\n$/, "").split("\n")
      for (const [index, content] of lines.entries()) {
        if (wanted.has(firstLine + index)) texts.set(firstLine + index, content.replace(/\r$/, ""))
      }
      return firstLine + lines.length <= last
    })
  )
  for (const { line, text } of matches) texts.set(line, text)
  return Array.from(texts.keys())
    .toSorted((a, b) => a - b)
    .map((line): Line => ({
      path,
      line,
      text: texts.get(line) ?? "",
      isMatch: matched.has(line),
      opensBlock: !texts.has(line - 1)
    }))
})

/** In the order of the matches. */
export const expand = (
  matches: ReadonlyArray<Match>,
  context: number
): Effect.Effect<ReadonlyArray<Line>, never, Files> =>
  context === 0
    ? Effect.succeed(matches.map((match) => ({ ...match, isMatch: true, opensBlock: false })))
    : Effect.map(
        Effect.forEach(byFile(matches), (file) => around(file, context), { concurrency: 8 }),
        (files) => files.flat()
      )

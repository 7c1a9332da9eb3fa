/** What Tab can put in the place of the word at the cursor: commands, their arguments, mentioned files. */
import * as Effect from "effect/Effect"
import { defined } from "../../../../domain/Values.ts"
import type { Completion } from "../../../../services/session/modules/Commands.ts"
import type { Files } from "../../../../services/machine/Files.ts"
import * as FileMentions from "../../../workspace/context/FileMentions.ts"

export interface Candidates {
  /** The part of the text that a candidate replaces. */
  readonly from: number
  readonly to: number
  readonly items: ReadonlyArray<Completion>
}

/** A command as Tab knows it. */
export interface Completable {
  readonly name: string
  readonly description?: string
  readonly complete?: (prefix: string) => Effect.Effect<ReadonlyArray<Completion>>
}

export interface Sources {
  readonly cwd: string
  readonly commands: Effect.Effect<ReadonlyArray<Completable>>
}

const files = Effect.fnUntraced(function* (
  { from, isQuoted, path }: FileMentions.Unfinished,
  cursor: number,
  cwd: string
) {
  const paths = yield* FileMentions.complete(path, { cwd })
  const toItem = (found: string): Completion => {
    const quote = found.includes(" ") && !isQuoted ? '"' : ""
    const end = found.endsWith("/") ? "" : quote !== "" || isQuoted ? '" ' : " "
    return { value: quote + found + end, label: found }
  }
  return { from, to: cursor, items: paths.map(toItem) } satisfies Candidates
})

const names = (commands: ReadonlyArray<Completable>, start: string, cursor: number): Candidates => ({
  from: 0,
  to: cursor,
  items: commands
    .filter(({ name }) => name.startsWith(start))
    .map(({ description, name }) => ({ value: `/${name} `, label: `/${name}`, ...defined({ description }) }))
})

const command = /^\/(\S*)$/
const argument = /^\/(\S+)\s+([^]*)$/

export const find = Effect.fnUntraced(function* (
  text: string,
  cursor: number,
  { commands, cwd }: Sources
): Effect.fn.Return<Candidates | undefined, never, Files> {
  const before = text.slice(0, cursor)
  const mention = FileMentions.at(text, cursor)
  if (mention !== undefined) return yield* files(mention, cursor, cwd)
  const start = command.exec(before)?.[1]
  if (start !== undefined) return names(yield* commands, start, cursor)
  const [, name, prefix = ""] = argument.exec(before) ?? []
  if (name === undefined) return undefined
  const known = (yield* commands).find((candidate) => candidate.name === name)
  if (known?.complete === undefined) return undefined
  return { from: cursor - prefix.length, to: cursor, items: yield* known.complete(prefix) }
})

/** The longest beginning that all candidates share. */
export const common = (items: ReadonlyArray<Completion>): string => {
  const [first, ...others] = items.map(({ value }) => value)
  let shared = first ?? ""
  for (const value of others) {
    while (!value.startsWith(shared)) shared = shared.slice(0, -1)
  }
  return shared
}

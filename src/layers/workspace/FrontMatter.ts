/** The YAML between two lines `---` at the top of a Markdown file: rules, skills and prompt templates begin with it. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import * as ReadText from "../platform/files/ReadText.ts"

export interface FrontMatter {
  readonly data: JsonObject
  readonly body: string
  /** Why `data` is empty although the file has front matter. */
  readonly problem?: string
}

/** More than anybody writes by hand, in characters. */
const largest = 64 * 1024

const opening = /^---[ \t]*\r?\n/
const closing = /^---[ \t]*\r?$/m

/** Editors write `globs: *.ts`, where YAML expects the name of an anchor. */
const unquotedStar = /^([ \t]*(?:[\w-]+:|-)[ \t]+)(\*[^\r\n]*?)([ \t]*\r?)$/gm

const quoteStars = (yaml: string) =>
  yaml.replaceAll(unquotedStar, (_, key: string, value: string, end: string) => `${key}${JSON.stringify(value)}${end}`)

const read = (yaml: string): Either.Either<JsonObject, string> => {
  if (yaml.length > largest) return Either.left(`The front matter is larger than ${largest / 1024} KiB`)
  return Either.flatMap(
    Either.mapLeft(ReadText.parseYaml(quoteStars(yaml)), (reason) => `The front matter is not valid YAML: ${reason}`),
    (value) => {
      if (value === null || value === undefined) return Either.right({})
      return Predicate.isRecord(value) ? Either.right(value) : Either.left("The front matter is not a list of keys")
    }
  )
}

const partsOf = (text: string) => {
  const from = opening.exec(text)?.[0].length
  if (from === undefined) return undefined
  const rest = text.slice(from)
  const end = rest.search(closing)
  if (end < 0) return undefined
  const line = rest.indexOf("\n", end)
  return { yaml: rest.slice(0, end), body: line < 0 ? "" : rest.slice(line + 1) }
}

/** `data` is empty for a file without front matter, and `body` is then the whole text. */
export const parse = (text: string): FrontMatter => {
  const parts = partsOf(text)
  if (parts === undefined) return { data: {}, body: text }
  return Either.match(read(parts.yaml), {
    onLeft: (problem) => ({ data: {}, body: parts.body, problem }),
    onRight: (data) => ({ data, body: parts.body })
  })
}

/** The YAML between two lines of dashes at the beginning of a Markdown file. Pure: what cannot be read is a problem, not a failure. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import * as ReadText from "../../machine/files/ReadText.ts"

export interface FrontMatter {
  /** Empty where the file has none. */
  readonly data: JsonObject
  /** The text behind it, without blank lines at its ends. */
  readonly body: string
  /** Why the front matter is not, or not wholly, in `data`. */
  readonly problem?: string
}

/** Longer than anybody writes by hand. */
const longest = 32 * 1024

const opening = /^---[ \t]*\n/
const closing = /^---[ \t]*$/m

const unquoted = (value: string) =>
  /^"(.*)"$|^'(.*)'$/
    .exec(value)
    ?.slice(1)
    .find((inner) => inner !== undefined) ?? value

const scalars = new Map<string, unknown>([
  ["true", true],
  ["false", false]
])

/**
 * The lines `key: value`. Many authors write a description with a colon in it and no quotes, which is not YAML, although
 * everybody can see what they mean.
 */
const linesOf = (yaml: string): JsonObject => {
  const pairs = yaml.split("\n").flatMap((line) => {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined || /^[>|[{&*!]/.test(value)) return []
    const text = unquoted(value.trim())
    return [[key, scalars.get(text) ?? text] as const]
  })
  return Object.fromEntries(pairs)
}

/** Editors write `globs: *.ts`, where YAML expects the name of an anchor. */
const unquotedStar = /^([ \t]*(?:[\w-]+:|-)[ \t]+)(\*[^\r\n]*?)([ \t]*\r?)$/gm

const quoteStars = (yaml: string) =>
  yaml.replaceAll(unquotedStar, (_, key: string, value: string, end: string) => `${key}${JSON.stringify(value)}${end}`)

const read = (yaml: string): Omit<FrontMatter, "body"> => {
  if (yaml.trim() === "") return { data: {} }
  if (yaml.length > longest) return { data: {}, problem: `front matter is longer than ${longest / 1024} KiB` }
  const parsed = ReadText.parseYaml(quoteStars(yaml))
  if (Either.isLeft(parsed)) {
    return { data: linesOf(yaml), problem: `front matter is not YAML (${parsed.left.replace(/^\w*Error: /, "")})` }
  }
  if (!Predicate.isReadonlyRecord(parsed.right))
    return { data: {}, problem: "front matter is not a list of `key: value`" }
  const excess = JsonValue.problemOf(parsed.right)
  return excess === undefined ? { data: parsed.right } : { data: {}, problem: `front matter ${excess}` }
}

/** A line of dashes that is never closed is a rule in the text, not front matter. */
export const parse = (text: string): FrontMatter => {
  const content = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n")
  const begin = opening.exec(content)?.[0].length
  if (begin === undefined) return { data: {}, body: content.trim() }
  const rest = content.slice(begin)
  const end = closing.exec(rest)
  if (end === null) return { data: {}, body: content.trim() }
  return { ...read(rest.slice(0, end.index)), body: rest.slice(end.index + end[0].length).trim() }
}

/** A text on one line; undefined where the member is absent, empty or no text. */
export const line = (data: JsonObject, key: string): string | undefined => {
  const value = data[key]
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const text = String(value).replaceAll(/\s+/g, " ").trim()
  return text === "" ? undefined : text
}

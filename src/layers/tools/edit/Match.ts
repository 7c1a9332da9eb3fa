/** Finds the one place of each edit in the text as it was before all edits. */
import * as Either from "effect/Either"
import { once } from "../../../domain/Values.ts"
import * as Normalise from "./Normalise.ts"
import type { Replacement } from "./TextFile.ts"
import { toLineFeeds } from "./TextFile.ts"

export interface Edit {
  readonly oldText: string
  readonly newText: string
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Further matches are not counted: the error is the same. */
const mostSpans = 1000
/** The number of lines that an error names when a text occurs more than once. */
const mostNamed = 5

const findAll = (text: string, wanted: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let at = text.indexOf(wanted)
  while (at !== -1 && spans.length < mostSpans) {
    spans.push({ start: at, end: at + wanted.length })
    at = text.indexOf(wanted, at + 1)
  }
  return spans
}

const endsLine = (text: string, { end }: Span) => end === text.length || text[end] === "\n"

/** Places of the text when typographic variants and spaces at line ends do not count. */
const findSimilar = (normal: Normalise.Normalised, wanted: string): ReadonlyArray<Span> => {
  const inner = Normalise.withinLines(wanted)
  const whole = inner.trimEnd() === "" ? "" : inner.replace(/[ \t]+$/, "")
  const toOriginal = ({ end, start }: Span) => ({
    start: Normalise.originalOffset(normal, start),
    end: Normalise.originalOffset(normal, end - 1) + 1
  })
  if (whole === "") return []
  const spans = findAll(normal.text, inner)
  if (spans.length > 0 || whole === inner) return spans.map(toOriginal)
  return findAll(normal.text, whole)
    .filter((span) => endsLine(normal.text, span))
    .map(toOriginal)
}

const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** A hint for a text that was not found: a line that differs only in the space around it. */
const nearMiss = (text: string, wanted: string): string => {
  const first = wanted
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "")
  if (first === undefined) return ""
  const line = text.split("\n").findIndex((candidate) => candidate.trim() === first)
  return line === -1 ? "" : ` Line ${line + 1} is like the first line of it, but the rest or the indentation differs.`
}

const several = (text: string, spans: ReadonlyArray<Span>): string => {
  const lines = spans.slice(0, mostNamed).map(({ start }) => lineAt(text, start))
  const more = spans.length > mostNamed ? ", …" : ""
  const count = spans.length >= mostSpans ? `at least ${mostSpans}` : String(spans.length)
  return `matches ${count} places (lines ${lines.join(", ")}${more}) and must match exactly one. Include more of the lines around it.`
}

const locate = (
  text: string,
  normal: () => Normalise.Normalised,
  edit: Edit,
  name: string
): Either.Either<Replacement, string> => {
  const wanted = toLineFeeds(edit.oldText)
  const exact = findAll(text, wanted)
  const spans = exact.length > 0 ? exact : findSimilar(normal(), wanted)
  const [span] = spans
  if (span === undefined) {
    return Either.left(
      `${name} was not found. It must be the text of the file, spaces and line breaks included.${nearMiss(text, wanted)}`
    )
  }
  if (spans.length > 1) return Either.left(`${name} ${several(text, spans)}`)
  return Either.right({ ...span, newText: edit.newText })
}

/** In the order of the text. A failure says which edit, and why. */
export const find = (text: string, edits: ReadonlyArray<Edit>): Either.Either<ReadonlyArray<Replacement>, string> => {
  const normal = once(() => Normalise.make(text))
  const found: Array<Replacement & { readonly name: string }> = []
  for (const [index, edit] of edits.entries()) {
    const name = edits.length === 1 ? "oldText" : `edits[${index}].oldText`
    const span = locate(text, normal, edit, name)
    if (Either.isLeft(span)) return Either.left(span.left)
    found.push({ ...span.right, name })
  }
  found.sort((a, b) => a.start - b.start)
  for (const [index, next] of found.entries()) {
    const previous = found[index - 1]
    if (previous !== undefined && next.start < previous.end) {
      return Either.left(`${previous.name} and ${next.name} overlap. Join them into one edit.`)
    }
  }
  return Either.right(found)
}

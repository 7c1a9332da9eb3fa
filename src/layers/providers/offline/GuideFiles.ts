/** What can be told about a file from its first lines: length, title, what a manifest says. Pure. */
import * as Predicate from "effect/Predicate"
import * as Json from "../../../domain/Json.ts"

export interface Excerpt {
  readonly lines: ReadonlyArray<string>
  readonly totalLines: number
}

/** The notice of the tool `read` below what it shows. */
const notice = /\n*^\[(?:Showing lines \d+-\d+ of (\d+)|(\d+) more lines?)[^\]\n]*\]\s*$/m

export const excerpt = (output: string): Excerpt => {
  const found = notice.exec(output)
  const shown = (found === null ? output : output.slice(0, found.index)).replace(/\r?\n$/, "")
  const lines = shown === "" || shown === "(empty file)" ? [] : shown.split(/\r?\n/)
  const [, total, more] = found ?? []
  return {
    lines,
    totalLines: total !== undefined ? Number(total) : lines.length + (more === undefined ? 0 : Number(more))
  }
}

export const shorten = (text: string, most: number): string => {
  const line = text.replace(/\s+/g, " ").trim()
  if (line.length <= most) return line
  const cut = line.slice(0, most)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most / 2)).trimEnd()}…`
}

export interface Prose {
  readonly title?: string
  readonly paragraph?: string
}

/** Lines of Markdown that are not the text of it: markup, badges, tables, rules, lists of links. */
const isDecoration = (line: string) => /^\s*($|[#<|>]|!\[|\[!\[|[-=*_]{3,}\s*$)/.test(line)

/** Title and first paragraph of a Markdown or plain text file. */
export const prose = (lines: ReadonlyArray<string>): Prose => {
  const heading = lines.findIndex((line) => /^#{1,6}\s+\S/.test(line))
  const underlined = lines.findIndex((line, at) => /^={3,}\s*$/.test(line) && (lines[at - 1] ?? "").trim() !== "") - 1
  const titleAt = underlined >= 0 && (heading === -1 || underlined < heading) ? underlined : heading
  const title = lines[titleAt]
    ?.replace(/^#+\s+/, "")
    .replace(/\s+#+$/, "")
    .trim()
  const paragraph: Array<string> = []
  let fenced = false
  for (const line of lines.slice(titleAt + 1)) {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) fenced = !fenced
    const isText = !fenced && !isFence && !isDecoration(line)
    if (isText) paragraph.push(line.trim())
    else if (paragraph.length > 0) break
  }
  return {
    ...(title === undefined || title === "" ? {} : { title: shorten(title, 120) }),
    ...(paragraph.length === 0 ? {} : { paragraph: shorten(paragraph.join(" "), 320) })
  }
}

export interface Manifest {
  readonly kind: string
  readonly name?: string
  readonly description?: string
  readonly scripts: ReadonlyArray<string>
}

const fields = (name: unknown, description: unknown) => ({
  ...(typeof name === "string" && name !== "" ? { name } : {}),
  ...(typeof description === "string" && description !== "" ? { description: shorten(description, 240) } : {})
})

const fromPackageJson = (text: string): Manifest => {
  // The excerpt may stop in the middle of the file.
  const parsed = Json.parsePartial(text)
  const { description, name, scripts } = Predicate.isRecord(parsed)
    ? { description: parsed["description"], name: parsed["name"], scripts: parsed["scripts"] }
    : {}
  return {
    kind: "a JavaScript or TypeScript project",
    ...fields(name, description),
    scripts: Predicate.isRecord(scripts) ? Object.keys(scripts) : []
  }
}

const tomlField = (text: string, key: string) => new RegExp(`^${key}\\s*=\\s*(["'])(.*)\\1`, "m").exec(text)?.[2]

const fromToml =
  (kind: string) =>
  (text: string): Manifest => ({
    kind,
    ...fields(tomlField(text, "name"), tomlField(text, "description")),
    scripts: []
  })

const readers = new Map<string, (text: string) => Manifest>([
  ["package.json", fromPackageJson],
  ["cargo.toml", fromToml("a Rust project")],
  ["pyproject.toml", fromToml("a Python project")],
  ["go.mod", (text) => ({ kind: "a Go module", ...fields(/^module\s+(\S+)/m.exec(text)?.[1], undefined), scripts: [] })]
])

/** Undefined when the file is no manifest. */
export const manifest = (fileName: string, { lines }: Excerpt): Manifest | undefined =>
  readers.get(fileName.toLowerCase())?.(lines.join("\n"))

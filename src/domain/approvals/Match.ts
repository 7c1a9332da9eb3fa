/**
 * Patterns of rules. In a pattern of text, `*` stands for any run of characters. In one of paths, `**` stands for any run
 * of folders, `*` and `?` stay within a name. A backslash takes `*`, `?` or a backslash by its word. Neither backtracks
 * further than to the last star, so the time is bounded by the length of the pattern times that of the text.
 */

/** What stands between the stars: one text for a pattern without any. */
export type Pieces = ReadonlyArray<string>

const isEscape = (pattern: string, at: number, escapable: string): boolean =>
  pattern[at] === "\\" && at + 1 < pattern.length && escapable.includes(pattern.charAt(at + 1))

/** Cuts a pattern of text at its stars. */
export const pieces = (pattern: string): Pieces => {
  const found: Array<string> = []
  let piece = ""
  for (let at = 0; at < pattern.length; at++) {
    if (isEscape(pattern, at, "*\\")) piece += pattern.charAt(++at)
    else if (pattern[at] === "*") {
      found.push(piece)
      piece = ""
    } else piece += pattern.charAt(at)
  }
  return [...found, piece]
}

/** The text that a pattern without a star stands for; undefined for the others. */
export const literal = (pattern: string): string | undefined => {
  const [only = "", ...others] = pieces(pattern)
  return others.length === 0 ? only : undefined
}

/** A pattern that stands for just this text. */
export const escape = (text: string): string => text.replaceAll(/[*\\]/g, (char) => `\\${char}`)

/** The same for a path. */
export const escapePath = (path: string): string => path.replaceAll(/[*?\\]/g, (char) => `\\${char}`)

const fits = (between: Pieces, text: string): boolean => {
  const [first = "", ...others] = between
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

/** Whether a pattern of text covers the whole text. A last ` *` also stands for nothing. */
export const text = (pattern: string): ((text: string) => boolean) => {
  const between = pieces(pattern)
  const last = between.length - 1
  const before = between[last - 1]
  const mayEnd = between[last] === "" && before !== undefined && before.endsWith(" ")
  const shorter = mayEnd ? [...between.slice(0, last - 1), before.slice(0, -1)] : undefined
  return (candidate) => fits(between, candidate) || (shorter !== undefined && fits(shorter, candidate))
}

/** Goes through items with `run` standing for any number of them, back to the last run and no further. */
const follow = <P, T>(
  pattern: ReadonlyArray<P>,
  items: ReadonlyArray<T>,
  isRun: (part: P) => boolean,
  isSame: (part: P, item: T) => boolean
): boolean => {
  let at = 0
  let from = 0
  let run = -1
  let resume = 0
  while (from < items.length) {
    const part = pattern[at]
    const item = items[from]
    if (part !== undefined && isRun(part)) {
      run = at++
      resume = from
    } else if (part !== undefined && item !== undefined && isSame(part, item)) {
      at++
      from++
    } else if (run >= 0) {
      at = run + 1
      from = ++resume
    } else return false
  }
  return pattern.slice(at).every(isRun)
}

type Char = { readonly is: "star" | "any" } | { readonly is: "char"; readonly char: string }

const chars = (segment: string): ReadonlyArray<Char> => {
  const found: Array<Char> = []
  for (let at = 0; at < segment.length; at++) {
    if (isEscape(segment, at, "*?\\")) found.push({ is: "char", char: segment.charAt(++at) })
    else if (segment[at] === "*") found.push({ is: "star" })
    else found.push(segment[at] === "?" ? { is: "any" } : { is: "char", char: segment.charAt(at) })
  }
  return found
}

type Segment = { readonly is: "folders" } | { readonly is: "name"; readonly chars: ReadonlyArray<Char> }

const nameFits = (pattern: ReadonlyArray<Char>, name: string): boolean =>
  follow(
    pattern,
    name.split(""),
    ({ is }) => is === "star",
    (part, char) => part.is === "any" || (part.is === "char" && part.char === char)
  )

/** The names of a path: without empty ones, `.`, and what `..` takes away. */
const namesOf = (path: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return names
}

export interface Folders {
  readonly cwd: string
  readonly home: string
}

/** A path as people write it, from the root: `~` is home, others are relative to the working folder. */
export const absolute = (path: string, { cwd, home }: Folders): string => {
  const from =
    path === "~" || path.startsWith("~/") ? home + path.slice(1) : path.startsWith("/") ? path : `${cwd}/${path}`
  return `/${namesOf(from).join("/")}`
}

/** Whether the path is the folder or lies below it. Both are absolute. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** Whether a pattern of paths covers an absolute path. A last `**` also stands for the folder itself. */
export const path = (pattern: string, folders: Folders): ((path: string) => boolean) => {
  const around = { cwd: escapePath(folders.cwd), home: escapePath(folders.home) }
  const segments = namesOf(absolute(pattern, around)).map((name): Segment =>
    name === "**" ? { is: "folders" } : { is: "name", chars: chars(name) }
  )
  return (candidate) =>
    follow(
      segments,
      namesOf(candidate),
      ({ is }) => is === "folders",
      (segment, name) => segment.is === "name" && nameFits(segment.chars, name)
    )
}

/** Shell patterns as regular expressions: `*`, `?`, `[a-z]`, `**` across folders and, where asked for, `{a,b}`. */

import * as Engine from "../../machine/engine/Engine.ts"

const escapeChar = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** Escapes by code point, so that no character of a class is read as syntax. */
const inClass = (char: string) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/** The character of a class at a position, without the backslash in front of it, and where the next one begins. */
const memberAt = (glob: string, at: number): readonly [char: string, next: number] => {
  const from = glob[at] === "\\" && at + 1 < glob.length ? at + 1 : at
  const char = String.fromCodePoint(glob.codePointAt(from) ?? 0)
  return [char, from + char.length]
}

/** The class that begins at `[`, and where it ends; undefined when it has no `]`. A backward range is empty. */
const classAt = (glob: string, start: number): { readonly source: string; readonly end: number } | undefined => {
  const negated = glob[start + 1] === "!" || glob[start + 1] === "^"
  const first = start + (negated ? 2 : 1)
  let source = ""
  for (let at = first; at < glob.length;) {
    if (glob[at] === "]" && at > first) return { source: `(?!/)[${negated ? "^" : ""}${source}]`, end: at + 1 }
    const [from, next] = memberAt(glob, at)
    const isRange = glob[next] === "-" && next + 1 < glob.length && glob[next + 1] !== "]"
    const [to, end] = isRange ? memberAt(glob, next + 1) : [from, next]
    if ((from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0)) source += `${inClass(from)}-${inClass(to)}`
    at = end
  }
  return undefined
}

/** The meaning of two or more stars depends on the slashes around them. */
const starsAt = (glob: string, at: number): { readonly source: string; readonly end: number } => {
  let end = at
  while (glob[end] === "*") end++
  const opens = at === 0 || glob[at - 1] === "/"
  if (end - at < 2 || !opens) return { source: "[^/]*", end }
  if (glob[end] === "/") return { source: "(?:[^/]+/)*", end: end + 1 }
  return end === glob.length ? { source: ".+", end } : { source: "[^/]*", end }
}

/** Whether the brace is closed; alternatives may be nested. An open brace is a plain character. */
const closes = (glob: string, at: number): boolean => {
  let depth = 0
  for (let i = at; i < glob.length; i++) {
    if (glob[i] === "\\") i++
    else if (glob[i] === "[") i = (classAt(glob, i)?.end ?? i + 1) - 1
    else if (glob[i] === "{") depth++
    else if (glob[i] === "}" && --depth === 0) return true
  }
  return false
}

const toSource = (glob: string, braces: boolean): string => {
  let source = ""
  let depth = 0
  for (let at = 0; at < glob.length;) {
    const char = glob[at] ?? ""
    const found = char === "[" ? classAt(glob, at) : char === "*" ? starsAt(glob, at) : undefined
    if (found !== undefined) {
      source += found.source
      at = found.end
      continue
    }
    if (char === "\\" && at + 1 < glob.length) source += escapeChar(glob[++at] ?? "")
    else if (char === "?") source += "[^/]"
    else if (char === "{" && braces && closes(glob, at)) {
      source += "(?:"
      depth++
    } else if (char === "}" && depth > 0) {
      source += ")"
      depth--
    } else source += char === "," && depth > 0 ? "|" : escapeChar(char)
    at++
  }
  return source
}

/** Matches whole paths with `/` between the names, by a regular expression, which may backtrack for ever. */
export const toRegExp = (glob: string, options: { readonly braces: boolean }): RegExp =>
  new RegExp(`^${toSource(glob, options.braces)}$`, "us")

/**
 * For Bun's own matcher, which reads some of it otherwise: there a negated class has the slash, and two stars
 * are special in the middle of a name, too. Undefined
 * for classes that it cannot be told about.
 */
const toNative = (glob: string, braces: boolean): string | undefined => {
  let native = ""
  for (let at = 0; at < glob.length;) {
    const char = glob[at] ?? ""
    const found = char === "[" ? classAt(glob, at) : undefined
    if (found !== undefined) {
      const text = glob.slice(at, found.end)
      if (!/^\[[!^]?[\w.]+(?:-\w)?\]$/.test(text)) return undefined
      native += /^\[[!^]/.test(text) ? `${text.slice(0, -1)}/]` : text
      at = found.end
    } else if (char === "*") {
      let end = at
      while (glob[end] === "*") end++
      const isSegment = (at === 0 || glob[at - 1] === "/") && (end === glob.length || glob[end] === "/")
      native += isSegment && end - at > 1 ? "**" : "*"
      at = end
    } else if (char === "\\" && at + 1 < glob.length) {
      native += glob.slice(at, at + 2)
      at += 2
    } else {
      native += char === "[" || (!braces && (char === "{" || char === "}")) ? `\\${char}` : char
      at++
    }
  }
  return native
}

/** Matches paths with `/` between the names and none at the ends. */
export const compile = (glob: string, options: { readonly braces: boolean }): ((path: string) => boolean) => {
  const native = toNative(glob, options.braces)
  const matches = native === undefined ? undefined : Engine.glob(native)
  if (matches !== undefined) return matches
  const pattern = toRegExp(glob, options)
  return (path) => pattern.test(path)
}

/** A glob of `grep` or `find`: without a slash it means names in any folder, with one paths; `!` in front negates. */
export const matcher = (glob: string): ((path: string) => boolean) => {
  if (glob.startsWith("!")) {
    const excluded = matcher(glob.slice(1))
    return (path) => !excluded(path)
  }
  const trimmed = glob.replace(/^(\.?\/)+/, "")
  const anchored = glob.startsWith("/") || trimmed.includes("/")
  return compile(anchored ? trimmed : `**/${trimmed}`, { braces: true })
}

/** Shell patterns as regular expressions: `*`, `?`, `[a-z]`, `**` across folders and, where asked for, `{a,b}`. */

const escapeChar = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** The class that begins at `[`, and where it ends; undefined when nothing closes it. */
const classAt = (glob: string, at: number): { readonly source: string; readonly end: number } | undefined => {
  const negated = glob[at + 1] === "!" || glob[at + 1] === "^"
  const first = at + (negated ? 2 : 1)
  let source = ""
  for (let i = first; i < glob.length; i++) {
    const char = glob[i] ?? ""
    if (char === "]" && i > first) return { source: `(?!/)[${negated ? "^" : ""}${source}]`, end: i + 1 }
    if (char === "\\") i++
    const literal = char === "\\" ? (glob[i] ?? "\\") : char
    source += char === "-" ? "-" : literal.replace(/[\\\]^[&~-]/g, "\\$&")
  }
  return undefined
}

/** What two or more stars mean depends on the slashes around them. */
const starsAt = (glob: string, at: number): { readonly source: string; readonly end: number } => {
  let end = at
  while (glob[end] === "*") end++
  const opens = at === 0 || glob[at - 1] === "/"
  if (end - at < 2 || !opens) return { source: "[^/]*", end }
  if (glob[end] === "/") return { source: "(?:[^/]+/)*", end: end + 1 }
  return end === glob.length ? { source: ".+", end } : { source: "[^/]*", end }
}

/** Nested alternatives are taken; a brace that nothing closes is a plain character. */
const closes = (glob: string, at: number): boolean => {
  let depth = 0
  for (let i = at; i < glob.length; i++) {
    if (glob[i] === "\\") i++
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

/** Matches whole paths with `/` between the names. A class that makes no sense, such as `[z-a]`, matches nothing. */
export const toRegExp = (glob: string, options: { readonly braces: boolean }): RegExp => {
  const source = toSource(glob, options.braces).replace(
    /\[\^?([^\]\\])-([^\]\\])\]/g,
    (all, from: string, to: string) => (from > to ? "(?!)" : all)
  )
  return new RegExp(`^${source}$`, "us")
}

/** A glob of `grep` or `find`: without a slash it means names in any folder, with one paths; `!` in front negates. */
export const matcher = (glob: string): ((path: string) => boolean) => {
  if (glob.startsWith("!")) {
    const excluded = matcher(glob.slice(1))
    return (path) => !excluded(path)
  }
  const trimmed = glob.replace(/^(\.?\/)+/, "")
  const anchored = glob.startsWith("/") || trimmed.includes("/")
  const pattern = toRegExp(anchored ? trimmed : `**/${trimmed}`, { braces: true })
  return (path) => pattern.test(path)
}

/** Paths of a package that patterns name: plain paths, globs, and exclusions with `!`. */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as PathPattern from "../../machine/files/folders/PathPattern.ts"
import { type Look, relative } from "./Look.ts"

/** Deeper than packages nest what they offer. */
const deepest = 8

const plain = (path: string): string => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")

/** The folders in front of the first name with a wildcard. */
const fixedPart = (pattern: string): string => {
  const names = pattern.split("/")
  const wild = names.findIndex(PathPattern.isPattern)
  return names.slice(0, wild).join("/")
}

/**
 * Files and folders below `root` that match. Links to folders, `node_modules` and hidden folders are not entered, and no
 * pattern leads out of the package: it would go through all files of the machine.
 */
const expand = Effect.fnUntraced(function* (look: Look, root: string, pattern: string) {
  if (pattern.split("/").includes("..")) return []
  const matches = PathPattern.matcher(pattern)
  const found: Array<string> = []
  const pending = [{ folder: LocalPaths.resolve(root, fixedPart(pattern)), depth: 0 }]
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const { isLink, kind, name, path } of yield* look.entries(next.folder)) {
      if (kind !== "odd" && matches(relative(root, path))) found.push(path)
      const isClosed = isLink || name === "node_modules" || name.startsWith(".")
      if (kind === "folder" && !isClosed && next.depth < deepest) pending.push({ folder: path, depth: next.depth + 1 })
    }
  }
  return found
})

export interface Named {
  readonly path: string
  /** By a glob, so that it may be anything that happens to lie there. */
  readonly byPattern: boolean
}

/** The paths that the patterns include, in order. */
export const included = Effect.fnUntraced(function* (look: Look, root: string, patterns: ReadonlyArray<string>) {
  const found: Array<Named> = []
  for (const pattern of patterns.filter((text) => !text.startsWith("!")).map(plain)) {
    const byPattern = PathPattern.isPattern(pattern)
    const paths = byPattern ? yield* expand(look, root, pattern) : [LocalPaths.resolve(root, pattern)]
    for (const path of paths) found.push({ path, byPattern })
  }
  return found
})

/** Whether a pattern means a path: the path itself, a folder above it, a glob for it, or its bare name. */
const means = (pattern: string) => {
  const text = plain(pattern)
  const matches = PathPattern.matcher(text)
  return (path: string) =>
    path === text || path.startsWith(`${text}/`) || matches(path) || matches(path.slice(path.lastIndexOf("/") + 1))
}

/** What is left when patterns with `!` in front are applied. Paths are relative. */
export const notExcluded = (patterns: ReadonlyArray<string>): ((path: string) => boolean) => {
  const excluded = patterns.filter((text) => text.startsWith("!")).map((text) => means(text.slice(1)))
  return (path) => !excluded.some((matches) => matches(path))
}

/**
 * The filter of a package in the settings: plain patterns narrow, `!` excludes, `+path` includes one path in spite of that,
 * and `-path` excludes one. Without a list all is taken; an empty list takes nothing.
 */
export const filter = (patterns: ReadonlyArray<string> | undefined): ((path: string) => boolean) => {
  if (patterns === undefined) return () => true
  if (patterns.length === 0) return () => false
  const exact = (sign: string) =>
    new Set(patterns.filter((text) => text.startsWith(sign)).map((text) => plain(text.slice(1))))
  const [forced, removed] = [exact("+"), exact("-")]
  const narrowing = patterns.filter((text) => !/^[!+-]/.test(text)).map(means)
  const kept = notExcluded(patterns)
  return (path) => {
    if (removed.has(path)) return false
    if (forced.has(path)) return true
    return (narrowing.length === 0 || narrowing.some((matches) => matches(path))) && kept(path)
  }
}

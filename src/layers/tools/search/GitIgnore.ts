/** The rules of .gitignore files, as git documents them. */
import * as Glob from "./Glob.ts"

interface Rule {
  readonly negated: boolean
  readonly directoriesOnly: boolean
  readonly matches: (path: string) => boolean
}

/** The rules of one file, for paths below the folder that it lies in. */
export interface IgnoreFile {
  readonly folder: string
  readonly rules: ReadonlyArray<Rule>
}

const parseLine = (line: string): Rule | undefined => {
  const kept = line.replace(/\r$/, "").replace(/(?<!\\)((?:\\\\)*)\s+$/, "$1")
  if (kept === "" || kept.startsWith("#")) return undefined
  const negated = kept.startsWith("!")
  const glob = (negated ? kept.slice(1) : kept).replace(/^\\(?=[#!])/, "")
  const directoriesOnly = glob.endsWith("/")
  const body = directoriesOnly ? glob.slice(0, -1) : glob
  const path = body.replace(/^\//, "")
  if (path === "") return undefined
  const matches = Glob.compile(body.includes("/") ? path : `**/${path}`, { braces: false })
  return { negated, directoriesOnly, matches }
}

/** `folder` is absolute, without a slash at its end. */
export const parse = (folder: string, text: string): IgnoreFile => ({
  folder,
  rules: text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line) => parseLine(line) ?? [])
    .toReversed()
})

/** `files` are ordered from the top. The deepest file with a matching rule decides, by its last matching rule. */
export const ignores = (files: ReadonlyArray<IgnoreFile>, path: string, isDirectory: boolean): boolean => {
  for (let i = files.length - 1; i >= 0; i--) {
    const file = files[i]
    if (file === undefined || !path.startsWith(`${file.folder}/`)) continue
    const relative = path.slice(file.folder.length + 1)
    const rule = file.rules.find((rule) => (isDirectory || !rule.directoriesOnly) && rule.matches(relative))
    if (rule !== undefined) return !rule.negated
  }
  return false
}

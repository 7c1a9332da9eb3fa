/** Finds links in Markdown pages that lead nowhere: to a file that is not there, or to a heading that its page lacks. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")

/** Code shows links without being one. Line breaks stay, so that lines can be counted. */
const withoutCode = (markdown: string) =>
  markdown
    .replaceAll(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()<>#]/g, ""))

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The anchors that GitHub makes of headings, numbered where headings repeat, and those that a page sets itself. */
export const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const text = withoutCode(markdown)
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id))
  const seen = new Map<string, number>()
  for (const [, heading = ""] of text.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const name = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    anchors.add(count === 0 ? name : `${name}-${count}`)
  }
  return anchors
}

export interface Link {
  readonly line: number
  readonly target: string
}

/** The links of a page to files and headings of this repository. */
export const linksOf = (markdown: string): ReadonlyArray<Link> => {
  const text = withoutCode(markdown)
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(({ 1: target = "", index }) => ({ target, line: text.slice(0, index).split("\n").length }))
    .filter(({ target }) => !/^[a-z]+:/i.test(target))
}

const read = (path: string) => readFileSync(path, "utf8")

/** What is wrong with the links of one page, each at its line. `page` is a path below `folder`. */
export const brokenLinks = (page: string, folder = root): ReadonlyArray<string> => {
  const problem = (target: string): string | undefined => {
    const [path = "", anchor] = target.split("#")
    const file = path === "" ? join(folder, page) : resolve(folder, dirname(page), path)
    if (!existsSync(file)) return `there is no ${relative(folder, file)}`
    if (anchor === undefined || !file.endsWith(".md")) return undefined
    return anchorsOf(read(file)).has(anchor) ? undefined : `${relative(folder, file)} has no heading #${anchor}`
  }
  return linksOf(read(join(folder, page))).flatMap(({ line, target }) => {
    const found = problem(target)
    return found === undefined ? [] : [`${page}:${line}: ${found}`]
  })
}

/** The pages of the root folder and of docs. */
export const allPages = (): ReadonlyArray<string> => {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`)
  return [...readdirSync(root), ...docs].filter((name) => name.endsWith(".md")).toSorted()
}

/** The YAML between two lines of dashes at the beginning of a Markdown file. */
import * as Yaml from "../../../platform/modules/Yaml.ts"

const block = /^---[^\n]*\n([\s\S]*?\n)?---[^\n]*(?:\n|$)/

const split = (content: string) => {
  const text = content.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n")
  const found = block.exec(text)
  return found === null ? { yaml: "", body: text } : { yaml: found[1] ?? "", body: text.slice(found[0].length).trim() }
}

/** Throws on front matter that is not YAML. */
export const parseFrontmatter = (content: string): { readonly frontmatter: object; readonly body: string } => {
  const { body, yaml } = split(content)
  const parsed = yaml.trim() === "" ? undefined : Yaml.parse(yaml)
  return { frontmatter: typeof parsed === "object" && parsed !== null ? parsed : {}, body }
}

export const stripFrontmatter = (content: string): string => split(content).body

/** The words of `offline/guide`, made from what the tools returned. Pure. */
import { plainText } from "../../../domain/conversation/Content.ts"
import type { Message } from "../../../domain/conversation/Message.ts"
import * as Text from "../../../domain/Text.ts"

export interface Call {
  readonly tool: "ls" | "read"
  readonly path: string
}

export interface MadeCall extends Call {
  readonly result: Message | undefined
}

export interface Listing {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** Stands under every answer, so that these rules are not taken for a language model. */
const disclosure =
  "I am heddle's scripted offline model, not a language model: fixed rules wrote this. For a real one, set " +
  "ANTHROPIC_API_KEY or OPENAI_API_KEY and restart, or choose a model with --model or set_model."

const ability =
  "I can list folders and read files with the tools of this session and tell you what I find. " +
  'Try "what is in this folder", "look at src" or "read package.json".'

const noImages = "I cannot look at images."
const shownNames = 12
const longestQuote = 320
const verb = { ls: "list", read: "read" } as const

export const failed = ({ result }: MadeCall): boolean => result?.role === "toolResult" && result.isError

/** A line that a tool adds to its output. */
const notice = /^\[.*\]$/
const noticesOut = (output: string) =>
  output.split("\n").filter((line) => !notice.test(line) && !/^\(empty (file|directory)\)$/.test(line))

/** The output of `ls`. */
export const listing = (output: string): Listing => {
  const names = noticesOut(output).filter((name) => name.trim() !== "")
  return {
    folders: names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
    files: names.filter((name) => !name.endsWith("/"))
  }
}

const quote = (names: ReadonlyArray<string>) => {
  const more = names.length - shownNames
  const shown = names.slice(0, shownNames).map((name) => `\`${name}\``)
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "")
}

export const announce = (calls: ReadonlyArray<Call>): string => {
  const pathsOf = (tool: Call["tool"]) => calls.filter((call) => call.tool === tool).map(({ path }) => path)
  const [listed, read] = [pathsOf("ls"), pathsOf("read")]
  const parts = [
    ...(listed.length === 0 ? [] : [`list what is in ${listed.includes(".") ? "this folder" : quote(listed)}`]),
    ...(read.length === 0 ? [] : [`read the start of ${quote(read)}`])
  ]
  return `I will ${parts.join(" and ")}.`
}

const shorten = (text: string) => Text.clip(text.replace(/\s+/g, " ").trim(), longestQuote)

const count = (many: number, one: string) => `${many} ${one}${many === 1 ? "" : "s"}`

const describeFolder = (path: string, { files, folders }: Listing) => {
  const name = path === "." ? "This folder" : `\`${path}\``
  if (files.length + folders.length === 0) return `${name} is empty.`
  return [
    `${name} has ${count(files.length, "file")} and ${count(folders.length, "folder")}.`,
    ...(folders.length === 0 ? [] : [`- Folders: ${quote(folders)}`]),
    ...(files.length === 0 ? [] : [`- Files: ${quote(files)}`])
  ].join("\n")
}

/** The name and description in a manifest, the title and first paragraph of a document, or the first line. */
const describeText = (text: string): string => {
  const field = (name: string) => new RegExp(`(?:^|[{,])\\s*"?${name}"?\\s*[:=]\\s*"([^"]+)"`, "m").exec(text)?.[1]
  const name = field("name")
  if (name !== undefined) return `**${name}**. ${shorten(field("description") ?? "")}`.trim()
  const title = /^#\s+(.+)/m.exec(text)?.[1]
  if (title === undefined)
    return `it starts with \`${shorten(text.trim().split("\n", 1).join()).replaceAll("`", "'")}\`.`
  const paragraphs = text.replace(/^```[^]*?^```/gm, "").split(/\n\s*\n/)
  return `**${title}**. ${shorten(paragraphs.find((paragraph) => /^\s*[A-Za-z]/.test(paragraph)) ?? "")}`.trim()
}

const describe = (call: MadeCall): string => {
  const { path, result, tool } = call
  if (result === undefined) return `- Could not ${verb[tool]} \`${path}\`: no result came back.`
  const text = plainText(result.content)
  if (failed(call)) return `- Could not ${verb[tool]} \`${path}\`: ${shorten(text)}`
  if (tool === "ls") return describeFolder(path, listing(text))
  if (result.content.some(({ type }) => type === "image")) return `- \`${path}\` is an image. ${noImages}`
  const shown = noticesOut(text).join("\n")
  return shown.trim() === "" ? `- \`${path}\` is empty.` : `- \`${path}\`: ${describeText(shown)}`
}

interface Found {
  readonly made: ReadonlyArray<MadeCall>
  /** The calls for which the session offers no tool. */
  readonly missing: ReadonlyArray<Call>
  readonly hasImages: boolean
}

/** The last words about a prompt. */
export const write = ({ hasImages, made, missing }: Found): string => {
  // A wrong guess about the kind of a path is left out once the other tool was tried.
  const found = made.filter(
    (call) => !(failed(call) && made.some((other) => other.path === call.path && other !== call))
  )
  const sections = [
    ...found.map(describe),
    ...missing.map(
      ({ path, tool }) => `- I would ${verb[tool]} \`${path}\`, but this session does not offer \`${tool}\`.`
    ),
    ...(hasImages ? [`- ${noImages}`] : [])
  ]
  const text = made.length + missing.length === 0 ? [...sections, ability] : sections
  // Markdown would take a line right under a list for a part of its last item.
  return `${text.map((section, at) => (at > 0 && !section.startsWith("-") ? `\n${section}` : section)).join("\n")}\n\n${disclosure}`
}

const entriesOf = (prompt: string, speaker: string) =>
  [...prompt.matchAll(new RegExp(`^\\[${speaker}\\]: (.*)`, "gm"))]
    .map(([, text = ""]) => shorten(text))
    .slice(-shownNames)

/** The summary of a conversation: what was asked, which tools were called, and the last answer. */
export const summary = (prompt: string): string => {
  const list = (speaker: string) =>
    entriesOf(prompt, speaker)
      .map((text) => `- ${text}`)
      .join("\n") || "- (none)"
  const answer = entriesOf(prompt, "Assistant").at(-1) ?? "(none)"
  return `## Goal\n${list("User")}\n\n## Progress\n${list("Assistant tool calls")}\n\n## Critical Context\n- ${answer}\n\nWritten by fixed rules, not by a language model.`
}

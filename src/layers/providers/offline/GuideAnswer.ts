/** The last words of `offline/guide` about a prompt, made from what the tools returned. Pure. */
import type { Answer, Call, Evidence, MadeCall } from "./GuideEvidence.ts"
import { sameCall } from "./GuideEvidence.ts"
import * as GuideFiles from "./GuideFiles.ts"
import * as GuideListing from "./GuideListing.ts"
import { join, workingFolder } from "./GuidePlan.ts"
import type { Intent } from "./GuidePrompt.ts"

/** Under every answer: nobody is to take these rules for a language model. */
const disclosure =
  "I am heddle's scripted offline model, not a language model: fixed rules wrote this. For a real one, set " +
  "ANTHROPIC_API_KEY or OPENAI_API_KEY and restart, or choose a model with --model or set_model."

const ability =
  "I can list folders and read files with the tools of this session and tell you what I find. " +
  'Try "what is in this folder", "look at src" or "read package.json".'

const noImages = "I cannot look at images."

const smallTalk = {
  Greeting: `Hello! ${ability}`,
  Help: ability,
  Identity: `I come with heddle so that it can be tried without a key. ${ability}`,
  ImagesOnly: `${noImages} ${ability}`
} as const

const shownNames = 12
const shownLines = 6
const shownColumns = 160

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

const names = (all: ReadonlyArray<string>) => {
  const more = all.length - shownNames
  const shown = all.slice(0, shownNames).map((name) => `\`${name}\``)
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "")
}

const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

const describeFolder = (path: string, listing: GuideListing.Listing): string => {
  const { files, folders, isPartial } = listing
  const place = path === workingFolder ? "This folder" : `\`${path}\``
  if (files.length + folders.length === 0) return `${place} is empty.`
  const numbers = `${count(files.length, "file", "files")} and ${count(folders.length, "folder", "folders")}`
  return [
    `${place} has ${isPartial ? "at least " : ""}${numbers}.`,
    ...(folders.length === 0 ? [] : [`- Folders: ${names(folders)}`]),
    ...(files.length === 0 ? [] : [`- Files: ${names(files)}`])
  ].join("\n")
}

const describeManifest = (path: string, { description, kind, name, scripts }: GuideFiles.Manifest): string =>
  [
    `- \`${path}\`: ${kind}${name === undefined ? "" : ` named **${name}**`}.`,
    ...(description === undefined ? [] : [sentence(description)]),
    ...(scripts.length === 0 ? [] : [`Scripts: ${names(scripts)}.`])
  ].join(" ")

const size = ({ lines, totalLines }: GuideFiles.Excerpt) =>
  count(totalLines, "line", "lines") + (lines.length < totalLines ? `, of which I read ${lines.length}` : "")

const isProse = (name: string) => /^readme|\.(md|markdown|txt|rst|adoc)$/i.test(name)

/** The prompt was about this file, so a few of its lines are shown. */
const describeNamed = (path: string, name: string, excerpt: GuideFiles.Excerpt): string => {
  const { paragraph, title } = isProse(name) ? GuideFiles.prose(excerpt.lines) : {}
  const about = [
    `- \`${path}\` has ${size(excerpt)}.`,
    ...(title === undefined ? [] : [`First heading: **${title}**.`]),
    ...(paragraph === undefined ? [] : [paragraph])
  ].join(" ")
  if (title !== undefined || paragraph !== undefined) return about
  const start = excerpt.lines.slice(0, shownLines).map((line) => `  ${line.slice(0, shownColumns)}`)
  return [`${about} It starts with:`, "", "  ````", ...start, "  ````"].join("\n")
}

const describePicked = (path: string, name: string, excerpt: GuideFiles.Excerpt): string => {
  if (isProse(name)) {
    const { paragraph, title } = GuideFiles.prose(excerpt.lines)
    const said = [title === undefined ? [] : `**${sentence(title)}**`, paragraph ?? []].flat()
    if (said.length > 0) return `- \`${path}\`: ${said.join(" ")}`
  }
  const start = excerpt.lines.find((line) => line.trim() !== "") ?? ""
  return `- \`${path}\`: ${size(excerpt)}, starting with \`${GuideFiles.shorten(start.replaceAll("`", "'"), 80)}\`.`
}

const describeFile = (path: string, answer: Answer, isPicked: boolean): string => {
  if (answer.images.length > 0) return `- \`${path}\` is an image (${answer.images.join(", ")}). ${noImages}`
  const excerpt = GuideFiles.excerpt(answer.text)
  if (excerpt.lines.length === 0) return `- \`${path}\` is empty.`
  const name = path.split("/").at(-1) ?? path
  const manifest = GuideFiles.manifest(name, excerpt)
  if (manifest !== undefined) return describeManifest(path, manifest)
  return isPicked ? describePicked(path, name, excerpt) : describeNamed(path, name, excerpt)
}

const verb = { ls: "list", read: "read" } as const

/** Files that nobody named: they were chosen from a listing. */
const pickedPaths = (made: ReadonlyArray<MadeCall>): ReadonlySet<string> =>
  new Set(
    made.flatMap(({ answer, path, tool }) =>
      tool === "ls" && answer?.isError === false
        ? GuideListing.worthReading(GuideListing.parse(answer.text)).map((name) => join(path, name))
        : []
    )
  )

const describe = (call: MadeCall, isPicked: boolean): string => {
  const { answer, path, tool } = call
  if (answer === undefined) return `- Could not ${verb[tool]} \`${path}\`: no result came back.`
  if (answer.isError) return `- Could not ${verb[tool]} \`${path}\`: ${sentence(GuideFiles.shorten(answer.text, 300))}`
  return tool === "ls" ? describeFolder(path, GuideListing.parse(answer.text)) : describeFile(path, answer, isPicked)
}

const withoutTool = ({ path, tool }: Call): string =>
  `- I would ${verb[tool]} \`${path}\` now, but this session does not offer the tool \`${tool}\`.`

/** A wrong guess about the kind of a path is not worth a word once the other tool was tried. */
const isCorrected = (call: MadeCall, made: ReadonlyArray<MadeCall>) =>
  call.answer?.isError === true &&
  made.some((other) => sameCall(other, { path: call.path, tool: call.tool === "ls" ? "read" : "ls" }))

/** `missing` are the calls that there is no tool for. */
export const write = (intent: Intent, evidence: Evidence, missing: ReadonlyArray<Call>): string => {
  if (intent._tag !== "Look") return `${smallTalk[intent._tag]}\n\n${disclosure}`
  const picked = pickedPaths(evidence.made)
  const told = evidence.made.filter((call) => !isCorrected(call, evidence.made))
  const found = [...told.map((call) => describe(call, picked.has(call.path))), ...missing.map(withoutTool)]
  const images = evidence.images > 0 ? [`- ${noImages}`] : []
  const sections = [...found, ...images].map((section, index) =>
    // Markdown would take a line right under a list for a part of its last item.
    index > 0 && !section.startsWith("-") ? `\n${section}` : section
  )
  return `${sections.join("\n")}\n\n${disclosure}`
}

/** Lists the files that a conversation has read and changed, for its summary (protocol.md 7.4). Pure. */
import type { JsonObject } from "../conversation/Content.ts"
import type { AgentMessage } from "../conversation/Message.ts"

export interface FileLists {
  /** Files that were read and not changed. */
  readonly readFiles: ReadonlyArray<string>
  readonly modifiedFiles: ReadonlyArray<string>
}

/** Longer lists would crowd out the text of the summary. */
const longest = 20

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

const pathOf = ({ file_path, path }: JsonObject): string | undefined => {
  if (typeof path === "string" && path !== "") return path
  return typeof file_path === "string" && file_path !== "" ? file_path : undefined
}

/** The files of the messages, and the files in the details of earlier summaries. */
export const collect = (
  messages: ReadonlyArray<AgentMessage>,
  earlier: ReadonlyArray<JsonObject | undefined>
): FileLists => {
  const read = new Set(earlier.flatMap((details) => strings(details?.["readFiles"])))
  const modified = new Set(earlier.flatMap((details) => strings(details?.["modifiedFiles"])))
  for (const message of messages) {
    if (message.role !== "assistant") continue
    for (const block of message.content) {
      const path = block.type === "toolCall" ? pathOf(block.arguments) : undefined
      if (block.type !== "toolCall" || path === undefined) continue
      if (block.name === "read") read.add(path)
      else if (block.name === "write" || block.name === "edit") modified.add(path)
    }
  }
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted()
  }
}

const block = (tag: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (files.length === 0) return []
  const omitted = files.length - longest
  const lines = omitted > 0 ? [...files.slice(0, longest), `… (${omitted} more files omitted)`] : files
  return [`<${tag}>\n${lines.join("\n")}\n</${tag}>`]
}

export const strip = (summary: string): string =>
  summary.replaceAll(/\s*<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "").trim()

export const append = (summary: string, { modifiedFiles, readFiles }: FileLists): string =>
  [strip(summary), ...block("read-files", readFiles), ...block("modified-files", modifiedFiles)].join("\n\n")

/** What the model that gave out tasks reads of their results (protocol.md 14.3), and how long an output may be. */
import type { SubagentResult } from "./Subagent.ts"
import * as Text from "../Text.ts"

export interface OutputLimits {
  readonly maxBytes: number
  readonly maxLines: number
}

export const defaultLimits: OutputLimits = { maxBytes: 500_000, maxLines: 5000 }

export interface CappedOutput {
  /** The beginning of the output, as much as is allowed of it. */
  readonly text: string
  readonly truncated: boolean
  /** Says what was cut; absent where nothing was. */
  readonly note?: string
  /** Of the whole output. */
  readonly meta: { readonly lineCount: number; readonly charCount: number }
}

const longestPreview = 5000
const longestError = 2000

const countLines = (text: string): number => {
  if (text === "") return 0
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** How many characters the first lines have, with the newline that ends the last of them. */
const endOfLine = (text: string, lines: number): number => {
  let end = 0
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf("\n", end)
    if (next < 0) return text.length
    end = next + 1
  }
  return end
}

/** The longest beginning that takes so many bytes as UTF-8. No character is cut. */
const firstBytes = (text: string, maxBytes: number): string => {
  const room = Math.max(0, Math.min(maxBytes, text.length * 3))
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room))
  return text.slice(0, read)
}

export const cap = (output: string, { maxBytes, maxLines }: OutputLimits): CappedOutput => {
  const meta = { lineCount: countLines(output), charCount: output.length }
  const text = firstBytes(output.slice(0, endOfLine(output, Math.max(0, maxLines))), maxBytes)
  if (text.length === output.length) return { text, truncated: false, meta }
  const note = `[Output cut: the first ${countLines(text)} of ${meta.lineCount} lines, ${text.length} of ${meta.charCount} characters.]`
  return { text, truncated: true, note, meta }
}

export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours === 0 ? `${minutes}m${seconds % 60}s` : `${hours}h${minutes}m`
}

export const isSuccess = ({ aborted, exitCode }: SubagentResult) => exitCode === 0 && aborted !== true

export const status = (result: SubagentResult): "completed" | "failed" | "aborted" => {
  if (result.aborted === true) return "aborted"
  return isSuccess(result) ? "completed" : "failed"
}

/** The beginning of the output, and where the rest of it is. */
export const preview = ({ output, outputMeta, outputPath, truncated }: SubagentResult): string => {
  const trimmed = output.trim()
  if (trimmed === "") return "(no output)"
  const shown = Text.first(trimmed, longestPreview)
  if (shown.length === trimmed.length && !truncated) return shown
  const all = outputMeta?.charCount ?? output.length
  const where = outputPath === undefined ? "The rest was not kept." : `Full output: ${outputPath}`
  return `${shown}\n[The first ${shown.length} of ${all} characters. ${where}]`
}

const verificationLine = ({ verification }: SubagentResult): ReadonlyArray<string> => {
  if (verification === undefined || verification.status === "not_requested") return []
  const repaired = verification.retriesUsed > 0 && verification.status === "passed" ? " after a repair" : ""
  return [`Verification: ${verification.status}${repaired}`]
}

const whatBecame = (result: SubagentResult): ReadonlyArray<string> => {
  const { abortReason, branchName, error, outputPath, patchPath } = result
  const failure = isSuccess(result) ? undefined : (error ?? abortReason)
  return [
    ...(failure === undefined ? [] : [`Error: ${Text.first(failure, longestError)}`]),
    ...verificationLine(result),
    ...(outputPath === undefined ? [] : [`Output: ${outputPath}`]),
    ...(patchPath === undefined ? [] : [`Patch: ${patchPath}`]),
    ...(branchName === undefined ? [] : [`Branch: ${branchName}`])
  ]
}

const section = (result: SubagentResult): string => {
  const { agent, durationMs, id } = result
  const head = `<agent id="${Text.attribute(id)}" name="${Text.attribute(agent)}" status="${status(result)}" time="${duration(durationMs)}">`
  return [head, ...whatBecame(result), "<result>", preview(result), "</result>", "</agent>"].join("\n")
}

const mostNames = 20

/** The first names, and how many there are beside them. */
export const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - mostNames
  return names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

export interface Batch {
  readonly results: ReadonlyArray<SubagentResult>
  readonly totalDurationMs: number
  /** What became of the changes of isolated tasks, a line each. */
  readonly merge?: ReadonlyArray<string>
}

export const summary = ({ merge = [], results, totalDurationMs }: Batch): string => {
  const good = results.filter(isSuccess).length
  return [
    "<task-summary>",
    `${good}/${results.length} succeeded [${duration(totalDurationMs)}]`,
    ...results.map((result) => `\n${section(result)}`),
    ...(merge.length === 0 ? [] : ["\n<merge>", ...merge, "</merge>"]),
    "</task-summary>"
  ].join("\n")
}

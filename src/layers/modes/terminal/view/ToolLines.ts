/** Tool calls as rows: what was called, how it ended, and a part of its output. Pure. */
import * as Predicate from "effect/Predicate"
import * as Text from "../../../../domain/Text.ts"
import { type JsonObject, plainText } from "../../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"

export interface Call {
  readonly name: string
  readonly args: JsonObject
}

export interface Ended extends Call {
  readonly result: ToolOutput
  readonly isError: boolean
  readonly durationMs: number
}

/** The argument that tells calls of a tool apart. Others show all of theirs as JSON. */
const mainArguments: Readonly<Record<string, ReadonlyArray<string>>> = {
  bash: ["command"],
  read: ["path"],
  write: ["path"],
  edit: ["path"],
  ls: ["path"],
  grep: ["pattern", "path"],
  find: ["pattern", "path"],
  task: ["agent"]
}

/** Tools whose output the person has seen before, or can look up: its length is enough. */
const summarised = new Set(["read", "ls", "grep", "find", "write"])
const [outputRows, errorRows, changeRows, liveRows] = [5, 8, 14, 3]
const longestArguments = 400

/** The first question of the tool `ask`, which has its text deep inside. */
const questionOf = ({ questions }: JsonObject): ReadonlyArray<string> => {
  const [first]: ReadonlyArray<unknown> = Array.isArray(questions) ? questions : []
  return Predicate.hasProperty(first, "question") ? [shown(first.question)] : []
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** On one line, for people: they must see all of what runs. */
export const argumentsOf = ({ args, name }: Call): string => {
  const names = mainArguments[name]
  const named = names?.flatMap((key) => (args[key] === undefined ? [] : [shown(args[key])]))
  const values = name === "ask" ? questionOf(args) : named
  const text = values ?? (Object.keys(args).length === 0 ? [] : [JSON.stringify(args)])
  return Text.name(text.join(" ").trim().replaceAll(/\s+/g, " "), longestArguments)
}

const seconds = (ms: number): string => (ms < 10_000 ? (ms / 1000).toFixed(1) : String(Math.round(ms / 1000)))

/** Short calls are not worth a figure. */
const duration = (ms: number): string => (ms < 1000 ? "" : ` (${seconds(ms)} s)`)

const title = (call: Call, mark: string, after: string, style: Style, width: number): string =>
  Rows.fit(`${mark} ${style.bold(Text.oneLine(call.name))} ${argumentsOf(call)}`.trimEnd(), width - after.length) +
  style.dim(after)

const below = (rows: ReadonlyArray<string>, style: Style) =>
  rows.map((row) => `  ${style.dim(style.symbols.bar)} ${row}`)

const linesOf = (text: string) => Rows.settled(text).trimEnd().split("\n")

const count = (lines: number, what = "line") => `${lines} ${what}${lines === 1 ? "" : "s"}`

/** The first or the last lines, with a row that says how many are missing. */
const fold = (lines: ReadonlyArray<string>, most: number, part: "first" | "last", style: Style) => {
  if (lines.length <= most + 1) return lines
  const how = style.plain ? "" : " (Ctrl-O shows all)"
  const missing = style.dim(`${style.symbols.more} ${count(lines.length - most, "more line")}${how}`)
  return part === "first" ? [...lines.slice(0, most), missing] : [missing, ...lines.slice(-most)]
}

const diffLine = (line: string, style: Style) => {
  if (line.startsWith("+")) return style.good(line)
  return line.startsWith("-") ? style.bad(line) : style.dim(line)
}

/** The first lines of a change, in colors. */
export const diffRows = (lines: ReadonlyArray<string>, most: number, style: Style): ReadonlyArray<string> =>
  fold(lines, most, "first", style).map((line) => diffLine(line.replaceAll("\t", "    "), style))

const textOf = ({ content }: ToolOutput): string => {
  const images = content.filter(({ type }) => type === "image").length
  return plainText(content) + (images === 0 ? "" : `\n[${count(images, "image")}]`)
}

const body = ({ isError, name, result }: Ended, style: Style): ReadonlyArray<string> => {
  const text = textOf(result)
  if (text.trim() === "") return []
  const lines = linesOf(text)
  const part = name === "bash" ? "last" : "first"
  if (isError) return fold(lines, errorRows, part, style).map(style.bad)
  const diff = result.details?.["diff"]
  if (typeof diff === "string" && diff !== "") {
    return fold(linesOf(diff), changeRows, "first", style).map((line) => diffLine(line, style))
  }
  if (summarised.has(name)) return [style.dim(lines.length === 1 ? (lines[0] ?? "") : count(lines.length))]
  return fold(lines, outputRows, part, style).map(style.dim)
}

const markOf = ({ isError, result }: Ended, style: Style) => {
  if (isError) return style.bad(style.symbols.failed)
  return result.isWarning === true ? style.warning(style.symbols.warned) : style.good(style.symbols.done)
}

export const ended = (call: Ended, style: Style, width: number): ReadonlyArray<string> => [
  title(call, markOf(call, style), duration(call.durationMs), style, width),
  ...below(
    body(call, style).map((row) => Rows.fit(row.replaceAll("\t", "    "), width - 4)),
    style
  )
]

/** A call that goes on, with the last lines of its output. */
export const running = (call: Call, partial: ToolOutput | undefined, style: Style, width: number) => {
  const lines = partial === undefined ? [] : linesOf(textOf(partial)).filter((line) => line.trim() !== "")
  const rows = lines.slice(-liveRows).map((line) => style.dim(Rows.fit(line.replaceAll("\t", "    "), width - 4)))
  return [title(call, style.accent(style.symbols.running), "", style, width), ...below(rows, style)]
}

/** All of an output. */
export const whole = (call: Ended, style: Style, width: number): ReadonlyArray<string> => [
  style.dim(Rows.fit(`Output of ${call.name} ${argumentsOf(call)}`, width)),
  ...below(Rows.chop(linesOf(textOf(call.result)).join("\n"), width - 4), style)
]

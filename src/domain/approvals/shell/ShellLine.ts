/** A command line as rules and risks see it: its simple commands, and what in it nobody can know before it runs. */
import { doubtsOf } from "./Doubts.ts"
import { innerOf } from "./Inner.ts"
import { baseName } from "./Names.ts"
import type { Parse, Redirect, SimpleCommand, Unknown, Word } from "./Syntax.ts"

/** Longer lines are not parsed. */
const mostBytes = 64 * 1024
/** The parser goes through the heredocs that are open for each new one. */
const mostHeredocs = 1000
/** Wrappers in wrappers, lines in lines. */
const mostNesting = 16
/** What wrappers and words of a line run, all together, in characters. */
const mostInner = 2 * mostBytes

export interface ShellCommand {
  /** The words after removal of quotes, joined by one blank. */
  readonly text: string
  /** With its quotes, as it stands in the line. */
  readonly written: string
  /** `text` with the command word cut to its base name: `rm x` for `/bin/rm x`. */
  readonly base: string
  readonly words: ReadonlyArray<Word>
  /** Variables that are set for it, or for the lines behind it if it has no words. */
  readonly assignments: ReadonlyArray<string>
}

export interface ShellLine {
  /** As it was given. */
  readonly line: string
  /** Each simple command in it. Behind them those that a wrapper or a line in a word runs. */
  readonly commands: ReadonlyArray<ShellCommand>
  /** Those that open a file other than /dev/null. */
  readonly redirects: ReadonlyArray<Redirect>
  readonly unknown: ReadonlyArray<Unknown>
}

const toCommand = ({ assignments, words, written }: SimpleCommand): ShellCommand => {
  const [first, ...others] = words.map(({ text }) => text)
  const text = words.map((word) => word.text).join(" ")
  const base = first === undefined ? "" : [baseName(first), ...others].join(" ")
  return { text, written: written ?? text, base, words, assignments }
}

const bytes = (text: string): number => {
  let count = text.length
  for (const char of text) {
    const unit = char.charCodeAt(0)
    if (unit > 0x7f) count += unit > 0x7ff ? 2 : 1
  }
  return count
}

const heredocs = (line: string): number => line.match(/<</g)?.length ?? 0

const boundOf = (line: string): Unknown | undefined => {
  if (line.length > mostBytes || bytes(line) > mostBytes) return { kind: "too_long", text: "the line is over 64 KB" }
  if (line.includes("\0")) return { kind: "parse_error", text: "the line has a NUL" }
  return heredocs(line) > mostHeredocs ? { kind: "nesting", text: "there are too many heredocs" } : undefined
}

/** Bash takes them for letters, people do not see them. */
const controls = /(?![\n\t])\p{Cc}/u

/** Looks at commands, and at what they run, level by level, and stops at a bound. */
const collect = (parse: Parse, line: string): Omit<ShellLine, "line"> => {
  const commands: Array<ShellCommand> = []
  const redirects: Array<Redirect> = []
  const unknown: Array<Unknown> = []
  const seen = new Set<string>()
  let length = 0
  let isCut = false

  const open = (text: string): ReadonlyArray<SimpleCommand> => {
    if (seen.has(text)) return []
    seen.add(text)
    const syntax = parse(text)
    for (const found of syntax.unknown) unknown.push(found)
    for (const redirect of syntax.redirects) {
      const { kind, text: target } = redirect.target
      if (target === "/dev/null" && kind === "literal") continue
      redirects.push(redirect)
      unknown.push({ kind: "redirection", text: target })
    }
    return syntax.commands
  }

  const openInner = (text: string): ReadonlyArray<SimpleCommand> => {
    length += text.length
    const isTooMuch = length > mostInner || boundOf(text) !== undefined
    isCut ||= isTooMuch
    return isTooMuch ? [] : open(text)
  }

  const take = (command: SimpleCommand): ReadonlyArray<SimpleCommand> => {
    const taken = toCommand(command)
    commands.push(taken)
    for (const doubt of doubtsOf(command)) unknown.push(doubt)
    const inner = innerOf(command)
    length += inner.commands.length * taken.text.length
    isCut ||= inner.isCut || length > mostInner
    if (isCut) return []
    return [
      ...inner.commands.map((words): SimpleCommand => ({ words, assignments: [], inputs: command.inputs })),
      ...inner.lines.flatMap(openInner)
    ]
  }

  let level = open(line)
  for (let depth = 0; level.length > 0 && depth < mostNesting; depth++) level = level.flatMap(take)
  if (level.length > 0 || isCut) unknown.push({ kind: "nesting", text: "commands run commands too deeply" })
  return { commands, redirects, unknown }
}

/** Makes the reader of lines from a parser. */
export const reader =
  (parse: Parse) =>
  (line: string): ShellLine => {
    const bound = boundOf(line)
    if (bound !== undefined) return { line, commands: [], redirects: [], unknown: [bound] }
    const found = collect(parse, line)
    const control: ReadonlyArray<Unknown> = controls.test(line)
      ? [{ kind: "control", text: "the line has control characters" }]
      : []
    const hasCommand = found.commands.some(({ words }) => words.length > 0)
    const empty: ReadonlyArray<Unknown> = hasCommand ? [] : [{ kind: "empty", text: "there is no command" }]
    return { ...found, line, unknown: [...found.unknown, ...control, ...empty] }
  }

/** Part of the line was not read, so that nobody can say that a command is not in it. */
export const isUnread = ({ unknown }: ShellLine): boolean =>
  unknown.some(({ kind }) => kind === "too_long" || kind === "nesting" || kind === "parse_error")

/** A command line as rules and risks see it: its simple commands, and what in it nobody can know before it runs. */
import type { Parse, Redirect, SimpleCommand, Unknown, Word } from "./Syntax.ts"

/** Longer lines are not parsed. UTF-16 units; the bytes are at least as many. */
const mostLength = 64 * 1024

export interface ShellCommand {
  /** The words after removal of quotes, joined by one blank. */
  readonly text: string
  /** The same with the command word cut to its base name: `rm x` for `/bin/rm x`. */
  readonly base: string
  readonly words: ReadonlyArray<Word>
  /** Variables that are set for it, or for the lines behind it if it has no words. */
  readonly assignments: ReadonlyArray<string>
}

export interface ShellLine {
  /** As it was given. */
  readonly line: string
  /** Each simple command in it, those that a wrapper runs as well. */
  readonly commands: ReadonlyArray<ShellCommand>
  /** Those that open a file. */
  readonly redirects: ReadonlyArray<Redirect>
  readonly unknown: ReadonlyArray<Unknown>
}

export const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

const toCommand = ({ assignments, words }: SimpleCommand): ShellCommand => {
  const [first, ...others] = words.map(({ text }) => text)
  const text = words.map((word) => word.text).join(" ")
  const base = first === undefined ? "" : [baseName(first), ...others].join(" ")
  return { text, base, words, assignments }
}

const outOfBounds = (line: string): Unknown | undefined => {
  if (line.length > mostLength) return { kind: "too_long", text: "the line is over 64 KB" }
  return line.includes("\0") ? { kind: "nul", text: "the line has a NUL" } : undefined
}

/** Makes the reader of lines from a parser. */
export const reader =
  (parse: Parse) =>
  (line: string): ShellLine => {
    const bound = outOfBounds(line)
    if (bound !== undefined) return { line, commands: [], redirects: [], unknown: [bound] }
    const syntax = parse(line)
    const commands = syntax.commands.map(toCommand)
    const hasCommand = commands.some(({ words }) => words.length > 0)
    const empty: ReadonlyArray<Unknown> = hasCommand ? [] : [{ kind: "empty", text: "there is no command" }]
    const opened = syntax.redirects.filter(({ target }) => target.text !== "/dev/null" || !target.isLiteral)
    const files = opened.map(({ target }): Unknown => ({ kind: "redirection", text: target.text }))
    return { line, commands, redirects: opened, unknown: [...syntax.unknown, ...files, ...empty] }
  }

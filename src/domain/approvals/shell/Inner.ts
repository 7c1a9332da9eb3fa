/** What a simple command runs besides itself: the command of a wrapper, a line of the shell in a word, actions of `find`. */
import { baseName } from "./Names.ts"
import { evaluators, isShell, type Wrapper, wrappers } from "./Programs.ts"
import type { SimpleCommand, Word } from "./Syntax.ts"

export interface Inner {
  /** Words of commands. Where nobody can say which option has a value, there is one for each reading. */
  readonly commands: ReadonlyArray<ReadonlyArray<Word>>
  /** Lines of the shell. */
  readonly lines: ReadonlyArray<string>
  /** There are more readings than anybody would look at. */
  readonly isCut: boolean
}

const mostStarts = 32

const textOf = (words: ReadonlyArray<Word>, at: number): string => words[at]?.text ?? ""

/** Whether the option may have the next word as its value. */
const mayTakeValue = (option: string, flags: string): boolean => {
  if (option.startsWith("--")) return !option.includes("=")
  return !flags.includes(option.slice(-1))
}

/** Where the command of a wrapper may begin. */
const startsOf = (
  words: ReadonlyArray<Word>,
  wrapper: Wrapper
): { readonly starts: ReadonlyArray<number>; readonly isCut: boolean } => {
  const { assigns = false, flags, operands = 0 } = wrapper
  const seen = new Set<number>()
  const starts = new Set<number>()
  const open = [1]
  for (let at = open.pop(); at !== undefined && starts.size <= mostStarts; at = open.pop()) {
    if (seen.has(at) || at >= words.length) continue
    seen.add(at)
    const text = textOf(words, at)
    if (text === "--") starts.add(at + 1 + operands)
    else if (/^-./.test(text)) open.push(at + 1, ...(mayTakeValue(text, flags) ? [at + 2] : []))
    else if (assigns && /^\w+=/.test(text)) open.push(at + 1)
    else starts.add(at + operands)
  }
  const isCut = starts.size > mostStarts
  return { isCut, starts: isCut ? [] : [...starts].filter((at) => at < words.length).toSorted((a, b) => a - b) }
}

/** The value of an option with code: the next word, or behind `=`, or behind its letter. */
const valuesOf = (words: ReadonlyArray<Word>, options: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap(({ text }, at) => {
    const option = options.find(
      (name) => text === name || (name.length === 2 ? text.startsWith(name) : text.startsWith(`${name}=`))
    )
    if (option === undefined || at === 0) return []
    return [text === option ? textOf(words, at + 1) : text.slice(option.length).replace(/^=/, "")]
  })

const join = (words: ReadonlyArray<Word>): string => words.map(({ text }) => text).join(" ")

/** Behind each `-exec` up to its end. */
const findCommands = (words: ReadonlyArray<Word>): Inner => {
  const starts = words.flatMap(({ text }, at) => (/^-(exec|ok)(dir)?$/.test(text) ? [at + 1] : []))
  if (starts.length > mostStarts) return { commands: [], lines: [], isCut: true }
  const commands = starts.map((start) => {
    const end = words.findIndex(({ text }, at) => at >= start && (text === ";" || text === "+"))
    return words.slice(start, end < 0 ? words.length : end)
  })
  return { commands, lines: [], isCut: false }
}

const shellLines = ({ inputs, words }: SimpleCommand): ReadonlyArray<string> => {
  const codes = words.flatMap(({ text }, at) => (at > 0 && /^-\w*c\w*$/.test(text) ? [textOf(words, at + 1)] : []))
  return [...codes, ...inputs]
}

const evaluated = (
  program: string,
  words: ReadonlyArray<Word>,
  starts: ReadonlyArray<number>
): ReadonlyArray<string> => {
  const args = words.slice(1)
  if (program === "eval") return [join(args.filter(({ text }, at) => at > 0 || text !== "--"))]
  if (program === "trap") return args.slice(0, 2).map(({ text }) => text)
  if (program === "alias") return args.map(({ text }) => text.slice(text.indexOf("=") + 1))
  return starts.map((at) => join(words.slice(at)))
}

export const innerOf = (command: SimpleCommand): Inner => {
  const { words } = command
  const program = baseName(textOf(words, 0))
  if (program === "find") return findCommands(words)
  if (isShell(program)) return { commands: [], lines: shellLines(command), isCut: false }
  const wrapper = wrappers.get(program)
  const isQuery = wrapper?.query?.test(textOf(words, 1)) ?? false
  const { isCut, starts } = wrapper === undefined || isQuery ? { isCut: false, starts: [] } : startsOf(words, wrapper)
  return {
    isCut,
    commands: starts.map((at) => words.slice(at)),
    lines: [
      ...(evaluators.has(program) ? evaluated(program, words, starts) : []),
      ...valuesOf(words, wrapper?.code ?? [])
    ].filter((line) => line !== "")
  }
}

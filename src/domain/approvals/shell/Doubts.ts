/** Why nobody can say what a simple command does, by its words alone. */
import * as Match from "../Match.ts"
import { baseName } from "./Names.ts"
import {
  assigning,
  declaring,
  evaluators,
  findActions,
  type Interpreter,
  interpreterOf,
  opaque,
  runsCode,
  subscripting,
  wrappers
} from "./Programs.ts"
import type { SimpleCommand, Unknown, UnknownKind, Word } from "./Syntax.ts"

/** What bash would evaluate if it took the word for a subscript. */
export const hidesSubstitution = (text: string): boolean => text.includes("$(") || text.includes("`")

/** Variables that programs look at are written in capitals; `http_proxy` and its like are the exception. */
export const isSpecial = (name: string): boolean => /[A-Z]|_proxy$/.test(name)

/** A glob may become the name of a file that looks like an action. */
const mayBeAction = ({ kind, text }: Word): boolean => {
  if (kind === "dynamic") return true
  if (kind === "literal") return /^-(exec|ok|delete|fprint|fls)/.test(text)
  const matches = Match.text(text.replaceAll(/\[[^\]]*\]|\?|[*?@+!]\(.*\)/g, "*"))
  return findActions.some(matches)
}

const stdin = /^(-|\/dev\/(stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/

/** Whether an option of an interpreter has code, is a plain flag, or takes the next word; undefined: it may. */
const optionOf = (option: string, interpreter: Interpreter): "code" | "flag" | "valued" | undefined => {
  const { code, flags, longCode, longFlags, valued = "" } = interpreter
  if (longCode?.test(option)) return "code"
  if (option.startsWith("--")) return longFlags?.test(option) || option.includes("=") ? "flag" : undefined
  const letters = option.slice(1)
  if ([...letters].some((letter) => code.includes(letter))) return "code"
  if ([...letters].every((letter) => flags.includes(letter))) return "flag"
  return valued.includes(letters.slice(-1)) ? "valued" : undefined
}

/** What an interpreter runs: code in its arguments, or nothing that is named. */
const interpreted = (words: ReadonlyArray<Word>, interpreter: Interpreter): UnknownKind | undefined => {
  const only = words.length === 2 ? words[1]?.text : undefined
  if (only !== undefined && (only === "--version" || only === "--help" || only === interpreter.version))
    return undefined
  if (interpreter.subcommands?.includes(words[1]?.text ?? "")) return "inline_code"
  let at = 1
  for (; at < words.length; at++) {
    const { kind = "dynamic", text = "" } = words[at] ?? {}
    if (kind !== "literal" || stdin.test(text)) return "no_script"
    if (text === "--") {
      at++
      break
    }
    // A module of Python is a script with another address.
    if (text === "-m") return words.length > at + 1 ? undefined : "no_script"
    if (!/^[-+]./.test(text)) return undefined
    const option = optionOf(text, interpreter)
    if (option === "code") return "inline_code"
    if (option === undefined) return "no_script"
    if (option === "valued") at++
  }
  const script = words[at]
  return script?.kind === "literal" && !stdin.test(script.text) ? undefined : "no_script"
}

const setsVariables = (program: string, args: ReadonlyArray<Word>): boolean => {
  if (assigning.has(program))
    return args.some(({ kind, text }) => kind !== "literal" || isSpecial(text) || text.includes("["))
  if (program === "printf") return args[0]?.text.startsWith("-v") ?? false
  return declaring.has(program) && args.some(({ kind, text }) => kind === "dynamic" || text.includes("="))
}

const kindsOf = (program: string, words: ReadonlyArray<Word>): ReadonlyArray<UnknownKind> => {
  const args = words.slice(1)
  const texts = words.map(({ text }) => text)
  const interpreter = interpreterOf(program)
  const kind = interpreter === undefined ? undefined : interpreted(words, interpreter)
  const found: Array<UnknownKind> = kind === undefined ? [] : [kind]
  if (program === "eval" || program === "trap" || program === "alias") found.push("inline_code")
  else if (wrappers.has(program) || evaluators.has(program)) found.push("wrapper")
  if (opaque.has(program) || runsCode(program, texts)) found.push("runs_code")
  if (program === "find" && args.some(mayBeAction)) found.push("find_action")
  if (setsVariables(program, args)) found.push("assignment")
  if (subscripting.has(program) && texts.some(hidesSubstitution)) found.push("substitution")
  return found
}

export const doubtsOf = ({ words }: SimpleCommand): ReadonlyArray<Unknown> => {
  const [first] = words
  if (first === undefined) return []
  const text = words.map((word) => word.text).join(" ")
  if (first.kind !== "literal") return [{ kind: "dynamic_command", text: first.text }]
  return kindsOf(baseName(first.text), words).map((kind) => ({ kind, text }))
}

/**
 * The parser of shell lines: unbash, and what of its tree rules and risks need. Loaded late, with the first line that is
 * judged, because nothing else needs the parser.
 */
import * as Either from "effect/Either"
import {
  type Command,
  forEachChild,
  parse as parseBash,
  type Redirect as FileRedirect,
  type Redirection,
  type SyntaxNode,
  type Word as Node
} from "unbash"
import * as ShellLine from "../../domain/approvals/shell/ShellLine.ts"
import type { Redirect, SimpleCommand, Syntax, Unknown, Word } from "../../domain/approvals/shell/Syntax.ts"

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  forEachChild(node, (child) => void children.push(child))
  return children
}

const literalParts = new Set(["Literal", "SingleQuoted", "DoubleQuoted", "AnsiCQuoted"])

/** Parts of double quotes are looked at, too. */
const isLiteral = (word: Node): boolean =>
  childrenOf(word).every(
    (part) => literalParts.has(part.type) && childrenOf(part).every(({ type }) => type === "Literal")
  )

const toWord = (word: Node): Word => ({ text: word.value, isLiteral: isLiteral(word) })

const writing = new Set([">", ">>", "<>", ">&", ">|", "&>", "&>>"])

/** Copies and closes of descriptors open nothing. */
const isDescriptor = (operator: string, target: string): boolean =>
  (operator === ">&" || operator === "<&") && /^(\d+-?|-)$/.test(target)

const redirectsOf = ({ operator, target }: FileRedirect): ReadonlyArray<Redirect> =>
  target === undefined || isDescriptor(operator, target.value)
    ? []
    : [{ target: toWord(target), writes: writing.has(operator) }]

const inputsOf = (redirects: ReadonlyArray<Redirection>): ReadonlyArray<string> =>
  redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return [redirect.body.text]
    return redirect.type === "HereString" && redirect.target !== undefined ? [redirect.target.value] : []
  })

const toCommand = (command: Command): SimpleCommand => {
  const words = command.args.map((arg): Word =>
    arg.type === "Word" ? toWord(arg) : { text: arg.text, isLiteral: false }
  )
  return {
    words: command.name === undefined ? words : [toWord(command.name), ...words],
    assignments: command.prefix.flatMap((part) => (part.type === "Assignment" ? [part.text] : [])),
    inputs: inputsOf(command.redirects)
  }
}

/** What a node itself hides or does, its children aside. */
const unknownOf = (node: SyntaxNode): ReadonlyArray<Unknown> => {
  switch (node.type) {
    case "Script":
      return (node.errors ?? []).map(({ message }) => ({ kind: "parse_error", text: message }))
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return [{ kind: "substitution", text: node.text }]
    case "Assignment":
      return [{ kind: "assignment", text: node.text }]
    case "Function":
      return [{ kind: "function", text: node.name.value }]
    case "HereDoc":
      return node.closing === undefined ? [{ kind: "heredoc", text: node.delimiter?.value ?? "" }] : []
    default:
      return []
  }
}

/** In source order, without recursion. */
const walk = (script: SyntaxNode): Syntax => {
  const commands: Array<SimpleCommand> = []
  const redirects: Array<Redirect> = []
  const unknown: Array<Unknown> = []
  const open: Array<SyntaxNode> = [script]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    unknown.push(...unknownOf(node))
    if (node.type === "Command") commands.push(toCommand(node))
    if (node.type === "Redirect") redirects.push(...redirectsOf(node))
    open.push(...childrenOf(node).toReversed())
  }
  return { commands, redirects, unknown }
}

/** Whatever the parser throws is a parse error. */
const parse = (text: string): Syntax =>
  Either.getOrElse(
    Either.try(() => walk(parseBash(text))),
    () => ({ commands: [], redirects: [], unknown: [{ kind: "parse_error", text: "the line cannot be parsed" }] })
  )

export const read: (line: string) => ShellLine.ShellLine = ShellLine.reader(parse)

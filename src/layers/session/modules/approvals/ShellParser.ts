/**
 * The parser of shell lines: unbash, and what of its tree rules and risks need. Loaded late, with the first line that is
 * judged, because nothing else needs the parser.
 */
import * as Either from "effect/Either"
import {
  type Command,
  forEachChild,
  parse as parseBash,
  type ParameterExpansionPart,
  type Redirect as FileRedirect,
  type Redirection,
  type SyntaxNode,
  type Word as Node
} from "unbash"
import { hidesSubstitution, isSpecial } from "../../../../domain/approvals/shell/Doubts.ts"
import * as ShellLine from "../../../../domain/approvals/shell/ShellLine.ts"
import type { Redirect, SimpleCommand, Syntax, Unknown, Word } from "../../../../domain/approvals/shell/Syntax.ts"

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  forEachChild(node, (child) => void children.push(child))
  return children
}

const plain = new Set(["Literal", "SingleQuoted", "AnsiCQuoted"])

const kindOf = (word: Node): Word["kind"] => {
  let kind: Word["kind"] = "literal"
  for (const part of childrenOf(word)) {
    if (part.type === "Glob" || part.type === "ExtendedGlob") kind = "glob"
    else if (part.type === "DoubleQuoted") {
      if (childrenOf(part).some(({ type }) => type !== "Literal")) return "dynamic"
    } else if (!plain.has(part.type)) return "dynamic"
  }
  return kind
}

const toWord = (word: Node): Word => ({ text: word.value, kind: kindOf(word) })

const writing = new Set([">", ">>", "<>", ">&", ">|", "&>", "&>>"])

/** Copies and closes of descriptors open nothing. */
const isDescriptor = (operator: string, target: string): boolean =>
  (operator === ">&" || operator === "<&") && /^(\d+-?|-)$/.test(target)

const redirectOf = ({ operator, target }: FileRedirect): ReadonlyArray<Redirect> =>
  target === undefined || isDescriptor(operator, target.value)
    ? []
    : [{ target: toWord(target), writes: writing.has(operator) }]

const inputsOf = (redirects: ReadonlyArray<Redirection>): ReadonlyArray<string> =>
  redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return [redirect.body.text]
    return redirect.type === "HereString" && redirect.target !== undefined ? [redirect.target.value] : []
  })

const toCommand = (command: Command, source: string): SimpleCommand => {
  const words = command.args.map((arg): Word =>
    arg.type === "Word" ? toWord(arg) : { text: arg.text, kind: "dynamic" }
  )
  return {
    written: source.slice(command.pos, command.end),
    words: command.name === undefined ? words : [toWord(command.name), ...words],
    assignments: command.prefix.flatMap((part) => (part.type === "Assignment" ? [part.text] : [])),
    inputs: inputsOf(command.redirects)
  }
}

/** `${x=…}` sets a variable, `${x@P}` runs the substitutions in its value. */
const expansionDoubts = ({ operation, text }: ParameterExpansionPart): ReadonlyArray<Unknown> => {
  if (operation?.type === "Default" && operation.operator.endsWith("=")) return [{ kind: "assignment", text }]
  return operation?.type === "Transform" && operation.operand.value === "P" ? [{ kind: "substitution", text }] : []
}

const loopDoubts = (variable: Node): ReadonlyArray<Unknown> =>
  isSpecial(variable.value) ? [{ kind: "assignment", text: variable.value }] : []

/** Bash evaluates subscripts in operands of `[[ ]]`, quoted or not. */
const operandDoubts = (operands: ReadonlyArray<Node>): ReadonlyArray<Unknown> =>
  operands.flatMap(({ value }) => (hidesSubstitution(value) ? [{ kind: "substitution", text: value }] : []))

/** What a node itself hides or does, its children aside. */
const doubtsOf = (node: SyntaxNode): ReadonlyArray<Unknown> => {
  switch (node.type) {
    case "Script":
      return (node.errors ?? []).map(({ message }) => ({ kind: "parse_error", text: message }))
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return [{ kind: "substitution", text: node.text }]
    case "ParameterExpansion":
      return expansionDoubts(node)
    case "Assignment":
      return [{ kind: "assignment", text: node.text }]
    case "Function":
      return [{ kind: "function", text: node.name.value }]
    case "For":
    case "Select":
      return loopDoubts(node.name)
    case "TestUnary":
      return operandDoubts([node.operand])
    case "TestBinary":
      return operandDoubts([node.left, node.right])
    case "HereDoc":
      return node.closing === undefined ? [{ kind: "heredoc", text: node.delimiter?.value ?? "" }] : []
    default:
      return []
  }
}

/** An expansion is parsed when it is looked at, once for each one around it. All together, in characters. */
const mostExpanded = 256 * 1024

const expandedIn = (node: SyntaxNode): number => {
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
    case "ArithmeticExpansion":
    case "ParameterExpansion":
      return node.text.length
    default:
      return 0
  }
}

/** In source order, without recursion. */
const walk = (script: SyntaxNode, text: string): Syntax => {
  const commands: Array<SimpleCommand> = []
  const redirects: Array<Redirect> = []
  const unknown: Array<Unknown> = []
  // Backticks in backticks have a source of their own, without the backslashes.
  const open: Array<readonly [node: SyntaxNode, source: string]> = [[script, text]]
  let expanded = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, around] = next
    const source = (node.type === "Script" ? node.source : undefined) ?? around
    for (const doubt of doubtsOf(node)) unknown.push(doubt)
    if (node.type === "Command") commands.push(toCommand(node, source))
    if (node.type === "Redirect") for (const redirect of redirectOf(node)) redirects.push(redirect)
    expanded += expandedIn(node)
    if (expanded > mostExpanded) {
      unknown.push({ kind: "nesting", text: "expansions stand in each other too deeply" })
      break
    }
    for (const child of childrenOf(node).toReversed()) open.push([child, source])
  }
  return { commands, redirects, unknown }
}

/** Whatever the parser throws is a parse error. */
const parse = (text: string): Syntax =>
  Either.getOrElse(
    Either.try(() => walk(parseBash(text), text)),
    () => ({ commands: [], redirects: [], unknown: [{ kind: "parse_error", text: "the line cannot be parsed" }] })
  )

export const read: (line: string) => ShellLine.ShellLine = ShellLine.reader(parse)

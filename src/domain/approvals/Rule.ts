/** A rule of approvals: `tool` or `tool(pattern)`, on the wire also `{tool,pattern?}`. What a rule covers is in Covers.ts. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { defined } from "../Values.ts"

export const Rule = Schema.Struct({
  tool: Schema.String.annotations({
    description: "`bash`, `write`, `read`, a built-in tool, `host`, `extension`, `mcp`, `task`, or `*` for every tool."
  }),
  pattern: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "What of the tool: a command, a path, a name. Absent: every call of it."
  })
}).annotations({
  identifier: "ApprovalRule",
  description: "A rule of approvals, as text `tool` or `tool(pattern)`."
})
export type Rule = typeof Rule.Type

/** What the pattern of a rule is compared with. */
export type PatternKind = "command" | "path" | "name" | "none"

const kinds: Readonly<Record<string, PatternKind>> = {
  "*": "none",
  bash: "command",
  read: "path",
  write: "path",
  edit: "path",
  grep: "path",
  find: "path",
  ls: "path",
  host: "name",
  extension: "name",
  mcp: "name",
  task: "name",
  ask: "none",
  todo_write: "none",
  submit_result: "none"
}

export const patternKind = (tool: string): PatternKind | undefined =>
  Object.hasOwn(kinds, tool) ? kinds[tool] : undefined

export const print = ({ pattern, tool }: Rule): string => (pattern === undefined ? tool : `${tool}(${pattern})`)

const tools = Object.keys(kinds).join(", ")

/** Why a rule cannot hold, in a sentence. */
const problemOf = (rule: Rule): string | undefined => {
  const { pattern, tool } = rule
  const kind = patternKind(tool)
  if (kind === undefined) return `Rule ${print(rule)}: there is no tool "${tool}". Use one of ${tools}`
  if (pattern === undefined) return undefined
  if (pattern.trim() === "") return `Rule ${print(rule)}: the pattern is empty. Write ${tool} for every call of it`
  if (kind === "none") return `Rule ${print(rule)}: ${tool} takes no pattern. Write ${tool}`
  if (tool === "mcp" && !/[/*]/.test(pattern))
    return `Rule ${print(rule)}: name the server and the tool, such as mcp(${pattern}/*)`
  return undefined
}

const checked = (rule: Rule): Either.Either<Rule, string> => {
  const problem = problemOf(rule)
  return problem === undefined ? Either.right(rule) : Either.left(problem)
}

/** Reads the form of options and settings. */
export const parse = (text: string): Either.Either<Rule, string> => {
  const trimmed = text.trim()
  const open = trimmed.indexOf("(")
  if (trimmed === "")
    return Either.left(
      "A rule is empty. Write a tool, such as bash, or a tool and a pattern, such as bash(git status*)"
    )
  if (open < 0)
    return trimmed.includes(")")
      ? Either.left(`Rule ${trimmed}: the "(" before the pattern is missing`)
      : checked({ tool: trimmed })
  if (!trimmed.endsWith(")")) return Either.left(`Rule ${trimmed}: the ")" at the end is missing`)
  return checked({ tool: trimmed.slice(0, open), pattern: trimmed.slice(open + 1, -1) })
}

/** Takes the form of the wire. */
export const fromWire = ({ pattern, tool }: Rule): Either.Either<Rule, string> =>
  checked({ tool, ...defined({ pattern }) })

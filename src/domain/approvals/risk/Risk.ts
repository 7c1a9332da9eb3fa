/** What can go wrong if an effect happens: codes, and the level of the worst of them. */
import * as Schema from "effect/Schema"
import * as Match from "../Match.ts"
import { baseName } from "../shell/Names.ts"
import type { ShellCommand } from "../shell/ShellLine.ts"
import type { UnknownKind, Word } from "../shell/Syntax.ts"
import type { BashSubject, FileSubject, Subject } from "../Subject.ts"
import { levels, RiskCode, RiskLevel, sorted } from "./Codes.ts"
import * as CommandTable from "./CommandTable.ts"
import * as PathRisks from "./PathRisks.ts"

export { RiskCode, RiskLevel } from "./Codes.ts"

export const Risk = Schema.Struct({ level: RiskLevel, codes: Schema.Array(RiskCode) }).annotations({
  identifier: "ApprovalRisk",
  description: "What can go wrong: codes, the worst first, and the level of that one."
})
export type Risk = typeof Risk.Type

/** What a part of a line that nobody can know means. */
const ofUnknown: Readonly<Partial<Record<UnknownKind, RiskCode>>> = {
  parse_error: "unparsed_shell",
  too_long: "unparsed_shell",
  nesting: "unparsed_shell",
  control: "unparsed_shell",
  heredoc: "unparsed_shell",
  dynamic_command: "unparsed_shell",
  inline_code: "unparsed_shell",
  no_script: "unparsed_shell",
  runs_code: "runs_code",
  function: "runs_code"
}

const ofWord = ({ kind, text }: Word, { cwd, places }: BashSubject, writes: boolean): ReadonlyArray<RiskCode> => {
  const path = PathRisks.pathIn(text, places.home)
  if (PathRisks.isPlain(path)) return []
  // Another user's home, and what only bash knows.
  if (/^~[^/]/.test(path) || (kind === "dynamic" && /^[$`<>]/.test(path))) return ["outside_workspace"]
  return PathRisks.codesOf(Match.absolute(path, { cwd, home: places.home }), places, writes)
}

const ofCommand = ({ words }: ShellCommand, subject: BashSubject): ReadonlyArray<RiskCode> => {
  const [first, ...args] = words
  if (first === undefined) return []
  const codes =
    first.kind === "literal" ? CommandTable.codesOf([baseName(first.text), ...args.map(({ text }) => text)]) : []
  return [...codes, ...args.flatMap((word) => ofWord(word, subject, codes.length > 0))]
}

const ofLine = (subject: BashSubject): ReadonlyArray<RiskCode> => {
  const { cwd, escalates, line, places } = subject
  return [
    ...(escalates ? (["unsandboxed"] as const) : []),
    ...line.commands.flatMap((command) => ofCommand(command, subject)),
    ...line.redirects.flatMap(({ target, writes }) => [
      ...(writes ? (["writes_files"] as const) : []),
      ...ofWord(target, subject, writes)
    ]),
    ...line.unknown.flatMap(({ kind }) => ofUnknown[kind] ?? []),
    ...PathRisks.codesOf(cwd, places, false)
  ]
}

const ofFile = ({ places, real, tool }: FileSubject): ReadonlyArray<RiskCode> => {
  const writes = tool === "write" || tool === "edit"
  return [...(writes ? (["writes_files"] as const) : []), ...PathRisks.codesOf(real, places, writes)]
}

const codesOf = (subject: Subject): ReadonlyArray<RiskCode> => {
  switch (subject._tag) {
    case "Bash":
      return ofLine(subject)
    case "File":
      return ofFile(subject)
    case "Named":
      return subject.tool === "task" ? [] : ["runs_code"]
    case "Other":
      return []
  }
}

export const of = (subject: Subject): Risk => {
  const codes = sorted(codesOf(subject))
  const [worst] = codes
  return { level: worst === undefined ? "low" : levels[worst], codes }
}

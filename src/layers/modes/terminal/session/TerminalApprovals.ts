/** Asks the person at the terminal whether an effect may happen: what it is, what it changes, and what may go wrong. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ApprovalRequest, Decision, FileDiff } from "../../../../domain/approvals/Question.ts"
import { print } from "../../../../domain/approvals/Rule.ts"
import * as Text from "../../../../domain/Text.ts"
import { type Approver, Approvers } from "../../../../services/host/Approvers.ts"
import type { Dialogs } from "../input/Dialogs.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import * as ToolLines from "../view/ToolLines.ts"

interface Parts {
  readonly dialogs: Dialogs
  readonly style: Style
  readonly width: () => number
}

interface Choice {
  readonly decision: Decision
  readonly key: string
  readonly label: string
  /** The person says why. */
  readonly asksWhy?: true
}

const choicesOf = ({ choices, rule }: ApprovalRequest): ReadonlyArray<Choice> => {
  const all: ReadonlyArray<Choice> = [
    { decision: "allow_once", key: "y", label: "Allow once" },
    { decision: "allow_session", key: "s", label: "Allow for this session" },
    {
      decision: "allow_rule",
      key: "a",
      label: `Always allow in this session: ${rule === undefined ? "" : print(rule)}`
    },
    { decision: "escalate", key: "e", label: "Run once without the sandbox" },
    { decision: "deny", key: "n", label: "Deny" },
    { decision: "deny", key: "r", label: "Deny, and say why", asksWhy: true }
  ]
  return all.filter(({ decision }) => choices.includes(decision))
}

/** Codes whose words are not those of the code. */
const risks: Readonly<Record<string, string>> = {
  git_history: "rewrites git history",
  network: "uses the network",
  outside_workspace: "outside the working folder",
  privilege: "more rights than yours",
  processes: "ends or changes processes",
  secrets: "may read or change keys",
  settings: "changes settings of heddle",
  unparsed_shell: "cannot be told before it runs",
  unsandboxed: "runs without the sandbox"
}

const riskRow = ({ risk: { codes, level } }: ApprovalRequest, style: Style): string => {
  const words = codes.map((code) => risks[code] ?? code.replaceAll("_", " ")).join(", ")
  const row = `Risk: ${level}${words === "" ? "" : ` (${words})`}`
  if (level === "low") return style.dim(row)
  return level === "medium" ? style.warning(row) : style.bad(row)
}

/** Rows of a command or of a change. More of them are counted. */
const mostRows = 12

const diffRows = ({ path, truncated, unified }: FileDiff, style: Style): ReadonlyArray<string> => {
  const lines = unified.trimEnd().split("\n").slice(2)
  const body = unified === "" ? ["(no text that can be shown)"] : ToolLines.diffRows(lines, mostRows, style)
  return [style.dim(path), ...body, ...(truncated && unified !== "" ? [style.dim("(cut)")] : [])]
}

const commandRows = ({ args }: ApprovalRequest, style: Style, width: number): ReadonlyArray<string> => {
  const { command } = args
  if (typeof command !== "string") return []
  const rows = Rows.chop(Rows.settled(Text.printable(command)).trimEnd(), width - 4)
  const more = rows.length - mostRows
  return more > 0 ? [...rows.slice(0, mostRows), style.dim(`${style.symbols.more} ${more} more lines`)] : rows
}

const about = (request: ApprovalRequest, style: Style, width: number): ReadonlyArray<string> => [
  ...commandRows(request, style, width),
  ...(request.diff ?? []).flatMap((diff) => diffRows(diff, style)),
  style.dim(`in ${request.cwd}${request.subagentId === undefined ? "" : `, by subagent ${request.subagentId}`}`),
  riskRow(request, style)
]

const titleOf = ({ args, tool: { name } }: ApprovalRequest): string =>
  `Allow ${name}${"command" in args ? "" : ` ${ToolLines.argumentsOf({ name, args })}`}?`

export const make = ({ dialogs, style, width }: Parts): Approver => ({
  absent: Effect.succeed(undefined),
  ask: Effect.fnUntraced(function* (request) {
    const choices = choicesOf(request)
    const chosen = yield* dialogs.choose(
      { title: titleOf(request), options: choices.map(({ label }) => label) },
      { about: about(request, style, width()), keys: choices.map(({ key }) => key) }
    )
    const by = "host" as const
    const choice = choices.find(({ label }) => Option.contains(chosen, label))
    if (choice === undefined) return { decision: "deny" as const, by }
    if (choice.asksWhy !== true) return { decision: choice.decision, by }
    const why = yield* dialogs.ui.input({
      title: "Why not? The model reads it.",
      placeholder: "such as: use the test database"
    })
    return {
      decision: "deny" as const,
      by,
      ...Option.match(why, { onNone: () => ({}), onSome: (message) => ({ message }) })
    }
  })
})

/** Until the scope closes. */
export const connect = (parts: Parts) => Effect.flatMap(Approvers, ({ connect: join }) => join(make(parts)))

/** What there is: commands, keys, tools, and what the session has cost. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Text from "../../../../domain/Text.ts"
import * as SessionStats from "../../../../domain/session/SessionStats.ts"
import { Commands } from "../../../../services/session/modules/Commands.ts"
import { ToolSet } from "../../../../services/Tools.ts"
import { Controls } from "../../../../services/session/modules/Controls.ts"
import { Session } from "../../../../services/session/Session.ts"
import { Sessions } from "../../../../services/session/Sessions.ts"
import * as Rows from "../screen/Rows.ts"
import { amount, money } from "../view/StatusLine.ts"
import type { Command } from "./Command.ts"

const current = Effect.flatMap(Sessions, (sessions) => sessions.current)

const keys: ReadonlyArray<readonly [string, string]> = [
  ["Enter", "send; during a turn the message is read at the next step"],
  ["Ctrl-J, Alt-Enter", "new line"],
  ["Tab", "complete a command or @file"],
  ["Up, Down, Ctrl-R", "history, search in it"],
  ["Ctrl-C", "abort the turn; twice to leave"],
  ["Ctrl-O", "all of the last tool output"],
  ["Ctrl-L", "clear the screen"],
  ["Ctrl-Z", "suspend"],
  ["Ctrl-D", "leave"]
]

interface Line {
  readonly left: string
  readonly right: string
}

/** Two columns; on a narrow screen the right one wraps. */
const table = (lines: ReadonlyArray<Line>, width: number): ReadonlyArray<string> => {
  const column = Math.min(Math.max(...lines.map(({ left }) => left.length)) + 4, Math.floor(width / 2))
  return lines.flatMap(({ left, right }) => {
    const start = Rows.fit(`  ${left}`, column - 1).padEnd(column)
    return Rows.hang(start, Rows.wrap(Text.oneLine(right), Math.max(8, width - column)))
  })
}

const usage = ({ hint, name }: Pick<Command, "name" | "hint">) => `/${name}${hint === undefined ? "" : ` ${hint}`}`

export const help = (all: () => ReadonlyArray<Command>): Command => ({
  name: "help",
  description: "Show this",
  run: Effect.fnUntraced(function* (_, { print, style, width }) {
    const { load, list } = Context.get(yield* current, Commands)
    yield* load
    const others = (yield* list).map(({ description = "", name }) => ({ left: `/${name}`, right: description }))
    const own = all().map((command) => ({ left: usage(command), right: command.description }))
    const more =
      others.length === 0 ? [] : ["", style.bold("Extensions, templates and skills"), ...table(others, width())]
    print([
      style.bold("Commands"),
      ...table(own, width()),
      ...more,
      "",
      style.bold("Keys"),
      ...table(
        keys.map(([left, right]) => ({ left, right })),
        width()
      ),
      "",
      ...Rows.wrap("@path in a message attaches a file or an image.", width()).map(style.dim)
    ])
  })
})

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text

const tools: Command = {
  name: "tools",
  description: "List the tools that the model can call",
  run: Effect.fnUntraced(function* (_, { print, notify, width }) {
    const active = yield* Context.get(yield* current, ToolSet).active
    if (active.length === 0) return notify("info", "The model has no tools in this session.")
    const lines = active.map(({ definition }) => ({
      left: definition.name,
      right: firstSentence(definition.description)
    }))
    print(table(lines, width()))
  })
}

const cost: Command = {
  name: "cost",
  description: "Show the tokens and the cost of the session",
  run: Effect.fnUntraced(function* (_, { print, width }) {
    const services = yield* current
    const [controls, session] = [Context.get(services, Controls), Context.get(services, Session)]
    const stats = SessionStats.make({
      messages: yield* session.messages,
      branch: yield* session.branch,
      entries: yield* session.entries,
      model: controls.values().model
    })
    const { allBranches, contextUsage, tokens } = stats
    const context =
      contextUsage === undefined || contextUsage.tokens === null
        ? "not known yet"
        : `${amount(contextUsage.tokens)} of ${amount(contextUsage.contextWindow)} tokens`
    print(
      table(
        [
          { left: "Cost", right: money(allBranches.cost) },
          { left: "Input", right: `${amount(tokens.input)} tokens` },
          { left: "From the cache", right: `${amount(tokens.cacheRead)} tokens` },
          { left: "To the cache", right: `${amount(tokens.cacheWrite)} tokens` },
          { left: "Output", right: `${amount(tokens.output)} tokens` },
          { left: "Context", right: context },
          { left: "Messages", right: `${stats.userMessages} of yours, ${stats.toolCalls} tool calls` }
        ],
        width()
      )
    )
  })
}

export const commands: ReadonlyArray<Command> = [tools, cost]

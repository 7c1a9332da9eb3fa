/** The commands of the terminal, and the line between them and those of the session. */
import * as Effect from "effect/Effect"
import type { Command } from "./Command.ts"
import * as InfoCommands from "./InfoCommands.ts"
import * as ModelCommands from "./ModelCommands.ts"
import * as SessionCommands from "./SessionCommands.ts"

export interface Called {
  readonly command: Command
  readonly args: string
}

export interface Commands {
  readonly all: ReadonlyArray<Command>
  readonly find: (text: string) => Called | undefined
}

/** `leave` ends the session on the terminal. */
export const make = ({
  clear,
  leave
}: {
  readonly clear: Effect.Effect<void>
  readonly leave: () => void
}): Commands => {
  const quit = (name: string): Command => ({
    name,
    description: "Leave; the session stays stored",
    run: () => Effect.sync(leave)
  })
  const all: ReadonlyArray<Command> = [
    InfoCommands.help(() => all),
    ...ModelCommands.commands,
    ...SessionCommands.commands,
    ...InfoCommands.commands,
    { name: "clear", description: "Clear the screen; the conversation stays", run: () => clear },
    quit("quit")
  ]
  const aliases = new Map([["exit", "quit"]])
  return {
    all,
    find: (text) => {
      const [, name = "", args = ""] = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? []
      const command = all.find((candidate) => candidate.name === (aliases.get(name) ?? name))
      return command === undefined ? undefined : { command, args: args.trim() }
    }
  }
}

/** The name of the command that a text seems to call; paths such as /etc/hosts and comments do not count. */
export const nameIn = (text: string): string | undefined => /^\/(\p{L}[^\s/.]*)(?=\s|$)/u.exec(text.trim())?.[1]

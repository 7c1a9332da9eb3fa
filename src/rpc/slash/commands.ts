/** What hosts ask for to fill the menu of slash commands. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Agent } from "../../services/Agent.ts"
import * as Command from "../Command.ts"
import { asQuery } from "../Started.ts"
import { Available, available, Listed, listed } from "./Shapes.ts"

const all = (request: Command.Request) =>
  Effect.zipRight(
    asQuery(request),
    Effect.flatMap(Agent, ({ commands }) => Effect.zipRight(commands.load, commands.list))
  )

const getCommands = Command.make({
  name: "get_commands",
  lane: "control",
  summary: "The commands that a prompt can start with: those of extensions, then prompt templates, then skills.",
  notes: "Commands of the same name are called `name:1`, `name:2`.",
  origin: ["pi"],
  params: Command.noParams,
  result: Schema.Struct({ commands: Schema.Array(Listed) }),
  run: (_, request) => Effect.map(all(request), (commands) => ({ commands: commands.map(listed) }))
})

const getAvailableCommands = Command.make({
  name: "get_available_commands",
  lane: "control",
  summary: "The same in the form of the omp family. `available_commands_update` has it whenever it changes.",
  origin: ["omp"],
  params: Command.noParams,
  result: Schema.Struct({ commands: Schema.Array(Available) }),
  run: (_, request) => Effect.map(all(request), (commands) => ({ commands: commands.map(available) }))
})

export const commands = [getCommands, getAvailableCommands]

/** What hosts ask for to fill the menu of slash commands. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Commands } from "../../services/session/modules/Commands.ts"
import * as Command from "../Command.ts"
import { started } from "../../services/session/Startup.ts"
import { Available, available, Listed, listed } from "./Shapes.ts"

const all = Effect.zipRight(
  started,
  Effect.flatMap(Commands, ({ list, load }) => Effect.zipRight(load, list))
)

const getCommands = Command.make({
  name: "get_commands",
  lane: "aside",
  summary: "The commands that a prompt can start with: those of extensions, then prompt templates, then skills.",
  notes: "Commands of the same name are called `name:1`, `name:2`.",
  origin: ["pi"],
  params: Command.noParams,
  result: Schema.Struct({ commands: Schema.Array(Listed) }),
  run: () => Effect.map(all, (commands) => ({ commands: commands.map(listed) }))
})

const getAvailableCommands = Command.make({
  name: "get_available_commands",
  lane: "aside",
  summary: "The same in the form of the omp family. `available_commands_update` has it whenever it changes.",
  origin: ["omp"],
  params: Command.noParams,
  result: Schema.Struct({ commands: Schema.Array(Available) }),
  run: () => Effect.map(all, (commands) => ({ commands: commands.map(available) }))
})

export const commands = [getCommands, getAvailableCommands]

/** Slash commands on the wire, in the forms of two families of hosts (protocol.md 3.8, supplement 1.3). */
import * as Schema from "effect/Schema"
import type { CommandInfo } from "../../domain/conversation/AgentEvent.ts"
import { optional } from "../../domain/conversation/Content.ts"
import { SourceInfo } from "../../domain/extension/SourceInfo.ts"
import { defined } from "../../domain/Values.ts"
import type { SlashCommand } from "../../services/session/modules/Commands.ts"

export const Listed = Schema.Struct({
  name: Schema.String,
  description: optional(Schema.String),
  source: Schema.Literal("extension", "prompt", "skill"),
  sourceInfo: SourceInfo
})

export const Available = Schema.Struct({
  name: Schema.String,
  aliases: optional(Schema.Array(Schema.String)),
  description: optional(Schema.String),
  input: optional(Schema.Struct({ hint: optional(Schema.String) }), "A hint at its arguments, for menus."),
  source: Schema.Literal("builtin", "skill", "extension", "custom", "mcp_prompt", "file")
}).annotations({ identifier: "AvailableCommand", description: "A slash command." })

const described = ({ description }: CommandInfo) => defined({ description })

export const listed = (command: SlashCommand): typeof Listed.Type => ({
  name: command.name,
  ...described(command),
  source: command.source,
  sourceInfo: command.sourceInfo
})

/** That family has no prompt templates, but files that are commands. */
const families = { extension: "extension", prompt: "file", skill: "skill" } as const

export const available = (command: CommandInfo): typeof Available.Type => ({
  name: command.name,
  ...described(command),
  ...(command.argumentHint === undefined ? {} : { input: { hint: command.argumentHint } }),
  source: families[command.source]
})

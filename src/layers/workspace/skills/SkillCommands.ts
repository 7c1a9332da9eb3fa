/** The slash commands `/skill:name`: a message that begins with one carries the text of the skill. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../../domain/Values.ts"
import * as Text from "../../../domain/Text.ts"
import { type SlashCommand, SlashCommandFailed } from "../../../services/session/modules/Commands.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as FrontMatter from "./FrontMatter.ts"
import type { Skill } from "./SkillFiles.ts"

export const largest = 256 * 1024

/** Extensions find the parts of such a message by its tags. */
const blockOf = ({ baseDir, name, path }: Skill, body: string, args: string) => {
  const words = args.trim()
  return [
    `<skill name="${Text.attribute(name)}" location="${Text.attribute(path)}">`,
    `Paths in this skill are relative to ${baseDir}.`,
    "",
    body,
    `</skill>${words === "" ? "" : `\n\n${words}`}`
  ].join("\n")
}

/** Reads a file when its command is used, so that the user's last change to it counts. */
export const readBody = Effect.fnUntraced(function* (
  files: Files,
  command: string,
  { path, within }: Pick<Skill, "path" | "within">
) {
  const refuse = (message: string) => new SlashCommandFailed({ command, message })
  const options = { largest, ...defined({ within }) }
  const text = yield* Effect.mapError(ReadText.readIfPresent(files, path, options), ({ message }) => refuse(message))
  if (Option.isNone(text)) return yield* refuse(`${path} was deleted or renamed`)
  return FrontMatter.parse(text.value).body
})

export const make = (files: Files, skill: Skill): SlashCommand => {
  const name = `skill:${skill.name}`
  const { argumentHint, description, sourceInfo } = skill
  return {
    name,
    description,
    ...defined({ argumentHint }),
    source: "skill",
    sourceInfo,
    action: {
      _tag: "Expand",
      expand: (args) => Effect.map(readBody(files, name, skill), (body) => blockOf(skill, body, args))
    }
  }
}

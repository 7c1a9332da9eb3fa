/** What Tab does: completes a command, its argument or the path of a file. */
import * as Effect from "effect/Effect"
import * as Completion from "../input/Completion.ts"
import type { PromptLine } from "../input/PromptLine.ts"
import type { Services } from "./Command.ts"
import type { Commands } from "./Commands.ts"
import * as Conversation from "./Conversation.ts"

export interface TabParts {
  readonly cwd: string
  readonly line: PromptLine
  readonly commands: Commands
}

export const complete = Effect.fnUntraced(function* ({ commands, cwd, line }: TabParts) {
  const { cursor, text } = line.editor()
  const services = yield* Effect.context<Services>()
  const own = commands.all.map(({ complete: find, description, name }) => ({
    name,
    description,
    ...(find === undefined ? {} : { complete: (prefix: string) => Effect.provide(find(prefix), services) })
  }))
  const known = Effect.map(Conversation.sessionCommands, (others) => [...own, ...others])
  const found = yield* Completion.find(text, cursor, { cwd, commands: Effect.provide(known, services) })
  const current = line.editor()
  // The person may have typed on meanwhile.
  if (found !== undefined && current.text === text && current.cursor === cursor) line.offer(found)
})

/** The tools of a session as a module: those of the process, and those that the modules of the session contribute. */
import * as Effect from "effect/Effect"
import { SessionCore } from "../../services/session/SessionCore.ts"
import * as SessionModule from "../../services/session/SessionModule.ts"
import { Tools, ToolSet } from "../../services/Tools.ts"

const build = Effect.fnUntraced(function* ({ open }: typeof Tools.Service) {
  const { contributions } = yield* SessionCore
  const contributed = Effect.suspend(() =>
    Effect.map(
      Effect.forEach(contributions(), ({ tools = Effect.succeed([]) }) => tools),
      (all) => all.flat()
    )
  )
  return { service: yield* open(contributed) }
})

/** Others than those of the process. */
export const of = (tools: typeof Tools.Service) => SessionModule.make("tools", ToolSet, build(tools))

export const module = SessionModule.make("tools", ToolSet, Effect.flatMap(Tools, build))

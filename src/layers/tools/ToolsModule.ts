/** The tools of a session as a module: those of the process, and those that the modules of the session contribute. */
import * as Effect from "effect/Effect"
import { SessionCore } from "../../services/session/SessionCore.ts"
import * as SessionModule from "../../services/session/SessionModule.ts"
import { Tools, ToolSet } from "../../services/Tools.ts"

export const module = SessionModule.make(
  "tools",
  ToolSet,
  Effect.gen(function* () {
    const { contributions } = yield* SessionCore
    const { open } = yield* Tools
    const contributed = Effect.suspend(() =>
      Effect.map(
        Effect.forEach(contributions(), ({ tools = Effect.succeed([]) }) => tools),
        (all) => all.flat()
      )
    )
    return { service: yield* open(contributed) }
  })
)

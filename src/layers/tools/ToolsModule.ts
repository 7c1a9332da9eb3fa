/**
 * The tools of a session as a module: those of the process, and those that the modules of the session contribute. What they know
 * of files is a service of the session.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SessionFile from "../../domain/session/SessionFile.ts"
import { SessionCore } from "../../services/session/SessionCore.ts"
import { SessionFiles } from "../../services/session/SessionFiles.ts"
import * as SessionModule from "../../services/session/SessionModule.ts"
import { Tools, ToolSet } from "../../services/Tools.ts"
import * as FileLedger from "./files/FileLedger.ts"

const build = Effect.fnUntraced(function* ({ open }: typeof Tools.Service) {
  const { contributions, entries } = yield* SessionCore
  const contributed = Effect.suspend(() =>
    Effect.map(
      Effect.forEach(contributions(), ({ tools = Effect.succeed([]) }) => tools),
      (all) => all.flat()
    )
  )
  const files = SessionFiles.of({
    ledger: FileLedger.make(),
    artifacts: Effect.map(entries.info, ({ file }) => Option.map(file, SessionFile.artifacts))
  })
  const tools = yield* open(contributed, files)
  return { services: Context.make(ToolSet, tools).pipe(Context.add(SessionFiles, files)) }
})

/** Others than those of the process. */
export const of = (tools: typeof Tools.Service) => SessionModule.providing("tools", build(tools))

export const module = SessionModule.providing("tools", Effect.flatMap(Tools, build))

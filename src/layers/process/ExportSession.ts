/** `--export <session> [out.html]`: reads a session, whoever may be writing it, and writes its page. Starts nothing else. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Ids } from "../../services/Ids.ts"
import * as PageFile from "../export/PageFile.ts"
import * as Environment from "../platform/processes/Environment.ts"
import * as LocalFiles from "../platform/files/LocalFiles.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as Process from "../platform/processes/Process.ts"
import * as RandomIds from "../platform/RandomIds.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import * as JsonlSessionStore from "../session/JsonlSessionStore.ts"
import { invalid } from "./StartupFailure.ts"

export interface ExportRequest {
  /** A path, an id, or the beginning of one. */
  readonly session: string
  /** What else stands on the command line: where to write, if anything. */
  readonly words: ReadonlyArray<string>
  readonly cwd?: string
  readonly sessionDir?: string
}

const openStore = Effect.fnUntraced(function* (cwd: string, wanted: string | undefined) {
  const given = wanted ?? Option.getOrUndefined(yield* Environment.variable("PI_CODING_AGENT_SESSION_DIR"))
  const sessionDir = given === undefined ? {} : { sessionDir: ReadText.absolute(cwd, given) }
  const place = { agentDir: LocalPaths.resolve(yield* Process.agentDir), cwd, home: LocalPaths.home(), ...sessionDir }
  return yield* Effect.provideService(JsonlSessionStore.make(place), Ids, RandomIds.service)
})

const write = Effect.fnUntraced(function* (request: ExportRequest, given: string | undefined) {
  const cwd = LocalPaths.resolve(request.cwd ?? (yield* Process.currentFolder))
  const store = yield* openStore(cwd, request.sessionDir)
  // Whatever its name looks like: a file that is there is meant.
  const path = ReadText.absolute(cwd, request.session)
  const reference = Option.isSome(yield* Effect.option(LocalFiles.realPath(path))) ? path : request.session
  const { entries, file, header } = yield* store.read(reference)
  const sessionFile = Option.getOrElse(file, () => header.id)
  const document = { header, entries, leafId: entries.at(-1)?.id ?? null, tools: [] }
  const outputPath = given ?? PageFile.defaultName(sessionFile)
  return yield* PageFile.write(document, { cwd, outputPath, sessionFile })
})

export const run = Effect.fnUntraced(function* (request: ExportRequest) {
  const [outputPath, ...more] = request.words
  const wrong = request.words.find((word) => word.startsWith("-")) ?? more[0]
  if (wrong !== undefined) return yield* invalid(`--export takes a session and one more path; got "${wrong}" too`)
  const path = yield* Effect.mapError(write(request, outputPath), ({ message }) => invalid(`--export: ${message}`))
  yield* Process.print(path)
})

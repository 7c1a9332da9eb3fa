/** `--export <session.jsonl> [out.html]`: reads a session file, writes its page, and prints where. Starts nothing else. */
import * as Effect from "effect/Effect"
import * as PageFile from "../export/PageFile.ts"
import * as StoredSession from "../export/StoredSession.ts"
import * as LocalPaths from "../platform/LocalPaths.ts"
import * as Process from "../platform/Process.ts"
import * as ReadText from "../platform/ReadText.ts"
import { invalid } from "./StartupFailure.ts"

export interface ExportRequest {
  readonly session: string
  /** What else stands on the command line: where to write, if anything. */
  readonly words: ReadonlyArray<string>
  readonly cwd?: string
}

const write = Effect.fnUntraced(function* (request: ExportRequest, given: string | undefined) {
  const cwd = LocalPaths.resolve(request.cwd ?? (yield* Process.currentFolder))
  const sessionFile = ReadText.absolute(cwd, request.session)
  const { entries, header } = yield* StoredSession.read(sessionFile)
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

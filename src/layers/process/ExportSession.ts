/** `--export <session.jsonl> [out.html]`: reads a session file, writes its page, and prints where. Starts nothing else. */
import * as Effect from "effect/Effect"
import * as PageFile from "../export/PageFile.ts"
import * as StoredSession from "../export/StoredSession.ts"
import * as Process from "../platform/Process.ts"
import * as ReadText from "../platform/ReadText.ts"
import { StartupFailure } from "./StartupFailure.ts"

export interface ExportRequest {
  readonly sessionFile: string
  readonly outputPath?: string
  readonly cwd?: string
}

export const run = Effect.fnUntraced(
  function* (request: ExportRequest) {
    const cwd = request.cwd ?? (yield* Process.currentFolder)
    const file = ReadText.absolute(cwd, request.sessionFile)
    const { entries, header } = yield* StoredSession.read(file)
    const document = { header, entries, leafId: entries.at(-1)?.id ?? null, tools: [] }
    const outputPath = request.outputPath ?? PageFile.defaultName(file)
    yield* Process.print(yield* PageFile.write(document, { cwd, outputPath, sessionFile: file }))
  },
  Effect.mapError(({ message }) => new StartupFailure({ code: "INVALID_ARG", message: `--export: ${message}` }))
)

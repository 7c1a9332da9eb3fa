/** `--export <session> [out.html]`: writes the page of a session, even while another process has it open. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../../../domain/Values.ts"
import { Ids } from "../../../../services/Ids.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as PageFile from "../../../storage/export/PageFile.ts"
import * as LocalFiles from "../../../machine/files/LocalFiles.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as RandomIds from "../../../machine/engine/RandomIds.ts"
import * as JsonlSessionStore from "../../../storage/sessions/JsonlSessionStore.ts"
import * as SessionFolders from "../../../storage/sessions/SessionFolders.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"
import { invalid } from "../arguments/OptionTable.ts"
import * as SecretMask from "./SecretMask.ts"

export interface ExportRequest {
  /** A path, an id, or the beginning of one. */
  readonly session: string
  /** The other words of the command line: at most one, the path of the page. */
  readonly words: ReadonlyArray<string>
  readonly cwd?: string
  readonly sessionDir?: string
  /** Values of `--set`, by dotted key. */
  readonly overrides: Readonly<Record<string, unknown>>
  readonly trusted?: boolean
}

const openStore = Effect.fnUntraced(function* (
  cwd: string,
  sessionDir: string | undefined,
  settings: typeof Settings.Service
) {
  const chosen = defined({ sessionDir })
  const location = yield* SessionFolders.locate({ agentDir: yield* Process.agentDir, cwd, ...chosen }).pipe(
    Effect.provideService(Settings, settings)
  )
  return yield* Effect.provideService(JsonlSessionStore.make(location), Ids, RandomIds.make())
})

const write = Effect.fnUntraced(function* (request: ExportRequest, given: string | undefined) {
  const cwd = LocalPaths.resolve(request.cwd ?? (yield* Process.currentFolder))
  const { overrides, sessionDir, trusted } = request
  const loaded = yield* FileSettings.load({ agentDir: yield* Process.agentDir, cwd, overrides, trusted })
  const store = yield* openStore(cwd, sessionDir, loaded.settings)
  // A path of an existing file counts as a path, even where it looks like an id.
  const path = LocalPaths.absolute(cwd, request.session)
  const reference = Option.isSome(yield* Effect.option(LocalFiles.service.realPath(path))) ? path : request.session
  const { entries, file, header } = yield* store.read(reference)
  const sessionFile = Option.getOrElse(file, () => header.id)
  const document = { header, entries, leafId: entries.at(-1)?.id ?? null, tools: [] }
  const outputPath = given ?? PageFile.defaultName(sessionFile)
  // Sessions of earlier versions may hold keys that tools have printed.
  const mask = yield* SecretMask.make(cwd, loaded.trust.atStart === "trusted")
  return yield* PageFile.write(document, { files: LocalFiles.service, cwd, outputPath, sessionFile, mask })
})

export const run = Effect.fnUntraced(function* (request: ExportRequest) {
  const [outputPath, ...more] = request.words
  const wrong = request.words.find((word) => word.startsWith("-")) ?? more[0]
  if (wrong !== undefined) return yield* invalid(`--export takes a session and one more path; got "${wrong}" too`)
  const path = yield* Effect.mapError(write(request, outputPath), ({ message }) => invalid(`--export: ${message}`))
  yield* Process.print(path)
})

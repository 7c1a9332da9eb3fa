/** Writes the page of a session to a file, completely or not at all. */
import * as Effect from "effect/Effect"
import type { FileError, Files } from "../../../services/machine/Files.ts"
import { ExportFailed } from "../../../services/storage/SessionExport.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Document } from "./Document.ts"
import * as Page from "./Page.ts"

const extension = /\.jsonl$/

/** `sessionFile` is the path of the session, or its id if it has no file. */
export const defaultName = (sessionFile: string): string =>
  `heddle-session-${LocalPaths.basename(sessionFile).replace(extension, "")}.html`

/** The system says the same of a folder that is missing, that is a file, and that takes no files. */
const folderOf = (files: typeof Files.Service, path: string): Effect.Effect<string> => {
  const folder = LocalPaths.dirname(path)
  const missing = `there is no folder ${folder}`
  return Effect.match(files.inspect(folder), {
    onFailure: ({ reason }) => (reason === "is_directory" ? `the folder ${folder} takes no new files` : missing),
    onSuccess: ({ version }) => (version === undefined ? missing : `${folder} is a file, not a folder`)
  })
}

const detailOf = (error: FileError): string => {
  switch (error.reason) {
    case "denied":
      return "permission denied"
    case "is_directory":
    case "not_regular":
      return `it is ${error.description}, not a file`
    case "changed":
      return "another program wrote it at the same time"
    default:
      return error.description
  }
}

export interface WriteOptions {
  readonly files: typeof Files.Service
  readonly cwd: string
  readonly outputPath: string
  /** Never overwritten, so that a typing error cannot destroy a session. */
  readonly sessionFile?: string
  /** Hides secrets in the texts of the session. */
  readonly mask?: (text: string) => string
}

/** Replaces an existing file. Returns the absolute path. */
export const write = Effect.fnUntraced(function* (document: Document, options: WriteOptions) {
  const { cwd, files, mask, outputPath, sessionFile } = options
  const path = LocalPaths.absolute(cwd, outputPath)
  const { viewer } = yield* Effect.promise(() => import("./ViewerAsset.ts"))
  yield* Effect.gen(function* () {
    const target = yield* files.inspect(yield* files.resolve(path))
    if (sessionFile !== undefined && target.path === (yield* files.resolve(sessionFile))) {
      return yield* new ExportFailed({ path, detail: "it is the session itself" })
    }
    const bytes = new TextEncoder().encode(Page.render(document, viewer, mask))
    yield* files.replace(target, bytes, () => {})
  }).pipe(
    Effect.catchTag("FileError", (error) => {
      const detail = error.reason === "not_found" ? folderOf(files, path) : Effect.succeed(detailOf(error))
      return Effect.flatMap(detail, (detail) => new ExportFailed({ path, detail }))
    })
  )
  return path
})

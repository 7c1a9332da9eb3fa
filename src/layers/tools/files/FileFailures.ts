/** Texts for the model about failed file operations. */
import * as Effect from "effect/Effect"
import { type FileError, Files } from "../../../services/machine/Files.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as SimilarNames from "./SimilarNames.ts"

/** At most so many names of a folder are compared with a name that was not found. */
const mostNames = 5000

const explainMissing = Effect.fnUntraced(function* (path: string) {
  const folder = LocalPaths.dirname(path)
  const files = yield* Files
  const entries = yield* Effect.option(files.entries(folder))
  if (entries._tag === "None") return `File not found: ${path} (there is no folder ${folder} to look into)`
  const names = entries.value.slice(0, mostNames).map((entry) => entry.name)
  const wanted = LocalPaths.basename(path)
  if (names.includes(wanted)) return `File not found: ${path} is a link to something that does not exist`
  const similar = SimilarNames.find(wanted, names).map((name) => LocalPaths.join(folder, name))
  return `File not found: ${path}` + (similar.length === 0 ? "" : `. Did you mean ${similar.join(" or ")}?`)
})

type Purpose = "read" | "edit" | "write" | "search"

const explain = (error: FileError, purpose: Purpose): Effect.Effect<string, never, Files> => {
  switch (error.reason) {
    case "not_found":
      return explainMissing(error.path)
    case "denied":
      return Effect.succeed(`Permission denied: ${error.path}`)
    case "not_directory":
      return Effect.succeed(`Not a directory: ${error.path}. Use read to see a file.`)
    case "is_directory":
    case "not_regular":
      return Effect.succeed(`Cannot ${purpose} ${error.path}: it is ${error.description}, not a regular file`)
    case "changed":
      return Effect.succeed(changedText(error.path))
    case "refused":
    case "unreadable":
      return Effect.succeed(`Cannot ${purpose} ${error.path}: ${error.description}`)
  }
}

/** Refuses a write that would undo another program's change. */
export const changedText = (path: string): string =>
  `${path} has changed since you last read or wrote it, so nothing was written. Read it again, then repeat the change on what it holds now.`

export const fromFileError = (error: FileError): Effect.Effect<never, ToolFailure, Files> => forPurpose("read")(error)

export const forPurpose =
  (purpose: Purpose) =>
  (error: FileError): Effect.Effect<never, ToolFailure, Files> => {
    const { description, details } = error
    if (details !== undefined) return new ToolFailure({ message: description, details })
    return Effect.flatMap(explain(error, purpose), (message) => new ToolFailure({ message }))
  }

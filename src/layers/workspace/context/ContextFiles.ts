/** The instruction files of the user and of the project: AGENTS.md, or CLAUDE.md where there is none (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as Notes from "./Notes.ts"
import type { ProjectFolders } from "./ProjectFolders.ts"

export interface ContextFile {
  readonly path: string
  readonly content: string
  /** A note asks the model to read the rest of the file itself. */
  readonly isCut: boolean
}

const names = ["AGENTS.md", "CLAUDE.md"] as const

/** Characters of all files together. More would take a good part of the window of a small model. */
const mostCharacters = 192 * 1024

const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`

/** Where a text of a file stands in the prompt or is left out, notes say why. */
export const readText = Effect.fnUntraced(function* (
  files: Files,
  path: string,
  notes: Notes.Notes,
  options: Pick<ReadText.ReadOptions, "within"> = {}
) {
  const read = yield* Notes.head(files, notes, path, "it", options)
  if (read === undefined) return undefined
  const { cutFrom, isDamaged, text } = read
  if (text.includes("\0")) {
    notes.add(path, "is not text, so it was left out")
    return undefined
  }
  if (isDamaged) notes.add(path, "is not UTF-8; the bytes that are not were replaced")
  if (cutFrom !== undefined)
    notes.add(path, `has ${kib(cutFrom)}; only the first ${kib(ReadText.headBytes)} are in the prompt`)
  const content = text.replaceAll(/\r\n?/g, "\n").trim()
  return content === "" ? undefined : { path, content, isCut: cutFrom !== undefined }
})

const inFolder = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  notes: Notes.Notes,
  options: Pick<ReadText.ReadOptions, "within">
) {
  for (const name of names) {
    const path = LocalPaths.join(folder, name)
    const state = yield* Effect.orElseSucceed(files.state(path), () => "odd" as const)
    if (state !== undefined) return yield* readText(files, path, notes, options)
  }
  return undefined
})

/** The user's file first, then from the root of the project down: what is closer to the working folder comes later. */
export const find = Effect.fnUntraced(function* (
  files: Files,
  agentDir: string,
  { root, upward }: ProjectFolders,
  notes: Notes.Notes
) {
  const found: Array<ContextFile> = []
  let left = mostCharacters
  const take = (file: ContextFile | undefined) => {
    if (file === undefined) return
    if (file.content.length > left) {
      notes.add(file.path, `was left out: the instruction files have more than ${kib(mostCharacters)} together`)
      return
    }
    left -= file.content.length
    found.unshift(file)
  }
  for (const folder of upward) {
    if (folder !== agentDir) take(yield* inFolder(files, folder, notes, { within: root }))
  }
  take(yield* inFolder(files, agentDir, notes, {}))
  return found
})

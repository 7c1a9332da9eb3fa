/** Texts in place of the built-in instructions, or behind them: SYSTEM.md, APPEND_SYSTEM.md and the options (protocol.md 1.1). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as ContextFiles from "./ContextFiles.ts"
import type { Notes } from "./Notes.ts"

/** An option of the command line names a file that cannot be used. */
export class UnusableOption extends Schema.TaggedError<UnusableOption>()("UnusableOption", {
  option: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `--${this.option}: ${this.problem}`
  }
}

const longestPath = 4096
const largest = 256 * 1024

/** The text of an option, or of the file that it names. */
export const ofOption = Effect.fnUntraced(function* (option: string, value: string, cwd: string) {
  if (value === "" || value.length > longestPath || value.includes("\n")) return value
  const files = yield* OwnFiles
  const path = LocalPaths.absolute(cwd, value)
  const state = yield* Effect.orElseSucceed(files.state(path), () => undefined)
  if (state?.isFile !== true) return value
  const refuse = (problem: string) => new UnusableOption({ option, problem })
  if (state.size > largest) return yield* refuse(`${path}: is larger than ${largest / 1024} KiB`)
  const text = yield* Effect.mapError(ReadText.read(files, path), ({ message }) => refuse(message))
  return text.includes("\0") ? yield* refuse(`${path}: is not text`) : text
})

interface PromptFolders {
  readonly agentDir: string
  readonly cwd: string
  readonly root: string
  readonly isTrusted: boolean
}

/**
 * The project's file before the user's. That of a project counts only if it is trusted, because it takes the place of all
 * instructions of the agent.
 */
export const find = Effect.fnUntraced(function* (
  files: Files,
  name: "SYSTEM.md" | "APPEND_SYSTEM.md",
  { agentDir, cwd, isTrusted, root }: PromptFolders,
  notes: Notes
) {
  const path = LocalPaths.join(cwd, ".heddle", name)
  const state = yield* Effect.orElseSucceed(files.state(path), () => undefined)
  if (state !== undefined) {
    if (isTrusted) return (yield* ContextFiles.readText(files, path, notes, { within: root }))?.content
    notes.add(path, "was left out, because the project is not trusted (--approve)")
  }
  return (yield* ContextFiles.readText(files, LocalPaths.join(agentDir, name), notes))?.content
})

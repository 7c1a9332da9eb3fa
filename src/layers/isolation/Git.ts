/** Runs git for worktrees: without hooks, filters of LFS, signatures, or anything else that the user's settings change. */
import * as Effect from "effect/Effect"
import type { Processes } from "../../services/machine/Processes.ts"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import { inherited } from "../platform/processes/Environment.ts"

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.safecrlf=false",
  "core.quotePath=false",
  "commit.gpgSign=false",
  "apply.whitespace=nowarn",
  "gc.auto=0",
  "filter.lfs.process=",
  "filter.lfs.clean=",
  "filter.lfs.smudge=",
  "filter.lfs.required=false"
].flatMap((one) => ["-c", one])

const ownVariables = {
  GIT_AUTHOR_NAME: "heddle",
  GIT_AUTHOR_EMAIL: "heddle@localhost",
  GIT_COMMITTER_NAME: "heddle",
  GIT_COMMITTER_EMAIL: "heddle@localhost",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  LC_ALL: "C"
} as const

const kept = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"])

/** Variables such as GIT_DIR would lead git to another repository than the one in the folder. */
const environment = (more: Readonly<Record<string, string>>) => {
  const own = Object.entries(inherited()).filter(([name]) => !name.startsWith("GIT_") || kept.has(name))
  return { ...Object.fromEntries(own), ...ownVariables, ...more }
}

export interface Call {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Git {
  /** What git wrote to stdout; fails with its words where it does not exit with 0. */
  readonly bytes: (call: Call, ...args: ReadonlyArray<string>) => Effect.Effect<Uint8Array, WorktreeFailed>
  /** The same as text, without the newline at its end. */
  readonly text: (call: Call, ...args: ReadonlyArray<string>) => Effect.Effect<string, WorktreeFailed>
}

const joined = (chunks: ReadonlyArray<Uint8Array>) => {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

export const make = ({ run }: typeof Processes.Service): Git => {
  const bytes: Git["bytes"] = ({ cwd, env = {} }, ...args) =>
    Effect.gen(function* () {
      const chunks: Array<Uint8Array> = []
      const onOutput = (chunk: Uint8Array) => {
        chunks.push(chunk.slice())
        return true
      }
      const command = ["git", ...settings, ...args]
      const ended = yield* Effect.mapError(
        run({ command, cwd, env: environment(env), onOutput, keepErrors: true }),
        ({ message }) => new WorktreeFailed({ reason: "git", message: `git cannot be run: ${message}` })
      )
      if (ended.exitCode === 0) return joined(chunks)
      const said = ended.errors.trim() === "" ? `exit code ${ended.exitCode}` : ended.errors.trim()
      return yield* new WorktreeFailed({ reason: "git", message: `git ${args[0]} failed: ${said}` })
    })
  return {
    bytes,
    text: (call, ...args) =>
      Effect.map(bytes(call, ...args), (output) => new TextDecoder().decode(output).replace(/\n$/, ""))
  }
}

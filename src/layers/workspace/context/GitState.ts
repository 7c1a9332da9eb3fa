/**
 * The branch and the state of the repository, in a few words for the prompt. The configuration of a repository can name
 * programs that git runs, so git is asked only in a project that the user trusts.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Processes } from "../../../services/machine/Processes.ts"
import * as Trust from "../../../services/Trust.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as GitFolder from "./GitFolder.ts"

/** A large repository on a slow disk: the prompt then names the branch alone. */
const patience = "500 millis"
const mostOutput = 256 * 1024

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

/** From the output of `git status --porcelain=v2`. */
export const stateIn = (status: string): string => {
  const lines = status.split("\n")
  const starting = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const [, ahead, behind] = /^# branch\.ab \+(\d+) -(\d+)$/m.exec(status) ?? []
  const changes = [
    ...counted(starting("1 ") + starting("2 "), "changed file", "changed files"),
    ...counted(starting("u "), "file in conflict", "files in conflict"),
    ...counted(starting("? "), "untracked entry", "untracked entries")
  ]
  const apart = [
    ...counted(Number(ahead ?? 0), "commit ahead of its upstream", "commits ahead of its upstream"),
    ...counted(Number(behind ?? 0), "commit behind it", "commits behind it")
  ]
  return [...(changes.length === 0 ? ["no changes"] : changes), ...apart].join(", ")
}

const command = [
  "git",
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "status",
  "--porcelain=v2",
  "--branch",
  "--ignore-submodules=all"
]

/** Undefined where git is absent, takes too long, or has too much to say. */
const ask = Effect.fnUntraced(function* (root: string) {
  const { run } = yield* Processes
  const utf8 = new TextDecoder()
  let output = ""
  const onOutput = (chunk: Uint8Array) => {
    output += utf8.decode(chunk, { stream: true })
    return output.length <= mostOutput
  }
  const end = yield* Effect.option(Effect.timeout(run({ command, cwd: root, onOutput }), patience))
  return Option.isSome(end) && end.value.exitCode === 0 ? stateIn(output) : undefined
})

/** Undefined where nothing can be said. */
export const describe = Effect.fnUntraced(function* (files: Files, root: string) {
  const folder = yield* GitFolder.find(files, root)
  const out = folder === undefined ? undefined : yield* GitFolder.checkedOut(files, folder)
  if (out === undefined || !(yield* Trust.isTrusted)) return out
  const state = yield* ask(root)
  return state === undefined ? out : `${out}, ${state}`
})

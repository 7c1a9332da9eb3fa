/**
 * The branch and the state of the repository, in a few words for the prompt. Asking git must not run code that the
 * repository brings along: its own configuration can name programs, so git is asked only where it names none.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Processes } from "../../services/machine/Processes.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import type { Files } from "../platform/files/OwnFiles.ts"
import * as ReadText from "../platform/files/ReadText.ts"

/** A large repository on a slow disk: the prompt then names the branch alone. */
const patience = "500 millis"
const mostOutput = 256 * 1024
const longestBranch = 200

const textOf = (files: Files, path: string) =>
  Effect.map(
    Effect.orElseSucceed(ReadText.readIfPresent(files, path), () => Option.none<string>()),
    Option.getOrUndefined
  )

/** In a worktree, `.git` is a file that names the folder, and that one names the folder of the repository. */
const foldersOf = Effect.fnUntraced(function* (files: Files, root: string) {
  const git = LocalPaths.join(root, ".git")
  const state = yield* Effect.orElseSucceed(files.state(git), () => undefined)
  if (state?.isFile !== true) return { own: git, common: git }
  const named = /^gitdir: (.+)$/m.exec((yield* textOf(files, git)) ?? "")?.[1]
  const own = named === undefined ? git : LocalPaths.resolve(root, named.trim())
  const common = (yield* textOf(files, LocalPaths.join(own, "commondir")))?.trim()
  return { own, common: common === undefined ? own : LocalPaths.resolve(own, common) }
})

/** Sections and keys that git itself writes, none of which names a program. */
const plainSections = /^(core|branch|user|init|pull|push|gui|color|remote)$/
const plainKeys: Readonly<Record<string, RegExp>> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  remote: /^(url|fetch|pushurl)$/
}

/** Whether nothing in the text can make git run another program. */
export const isPlain = (config: string): boolean => {
  let section = ""
  for (const raw of config.split("\n")) {
    const line = raw.trim()
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    const header = /^\[\s*([\w-]+)(?:\s+"[^"\\]*")?\s*\]$/.exec(line)?.[1]
    if (header !== undefined) {
      section = header.toLowerCase()
      if (!plainSections.test(section)) return false
      continue
    }
    const key = /^([A-Za-z][\w-]*)\s*(?:=[^\\]*)?$/.exec(line)?.[1]?.toLowerCase()
    if (key === undefined || section === "" || plainKeys[section]?.test(key) === false) return false
  }
  return true
}

const branchIn = (head: string | undefined): string | undefined => {
  const [, branch, commit] = /^(?:ref: refs\/heads\/(\S+)|([0-9a-f]{7})[0-9a-f]{33,})\s*$/.exec(head ?? "") ?? []
  if (branch !== undefined) return `branch ${branch.slice(0, longestBranch)}`
  return commit === undefined ? undefined : `no branch, at commit ${commit}`
}

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
  const { common, own } = yield* foldersOf(files, root)
  const branch = branchIn(yield* textOf(files, LocalPaths.join(own, "HEAD")))
  if (branch === undefined) return undefined
  const config = yield* textOf(files, LocalPaths.join(common, "config"))
  const state = config !== undefined && isPlain(config) ? yield* ask(root) : undefined
  return state === undefined ? branch : `${branch}, ${state}`
})

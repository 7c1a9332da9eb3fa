/**
 * Runs git for worktrees: without hooks, fetches, or anything else that the settings of a repository may change. git never
 * looks for a repository: it gets one in the form that Shield.ts makes, and none before.
 */
import * as Effect from "effect/Effect"
import type { Processes } from "../../../services/machine/Processes.ts"
import { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import { inherited } from "../../machine/processes/Environment.ts"

export type Variables = Readonly<Record<string, string>>

const settings: Variables = {
  "advice.addEmbeddedRepo": "false",
  "apply.ignoreWhitespace": "no",
  "checkout.workers": "0",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.quotePath": "false",
  "core.safecrlf": "false",
  // Files of a split index would stay in the repository of the user.
  "core.splitIndex": "false",
  "merge.default": "text"
}

const ownVariables: Variables = {
  GIT_AUTHOR_NAME: "heddle",
  GIT_AUTHOR_EMAIL: "heddle@localhost",
  GIT_COMMITTER_NAME: "heddle",
  GIT_COMMITTER_EMAIL: "heddle@localhost",
  // No protocol has this name: nothing is fetched, whatever a repository says about remotes.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C"
}

const kept = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"])

/** Unlike `-c`, this takes any name of a filter. */
const configured = (config: Variables): Variables => {
  const entries = Object.entries(config)
  const pairs = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value]
  ])
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) }
}

/** Variables such as GIT_DIR would lead git to another repository than the one in the folder. */
const environment = (repository: Variables, { config = {}, env = {} }: Call): Variables => {
  const own = Object.entries(inherited()).filter(([name]) => !name.startsWith("GIT_") || kept.has(name))
  return {
    ...Object.fromEntries(own),
    ...ownVariables,
    ...configured({ ...settings, ...config }),
    ...repository,
    ...env
  }
}

/** Without it, git would look for a repository in the folder and above it, and use what is configured there. */
export const nowhere: Variables = { GIT_DIR: "/dev/null" }

export interface Call {
  readonly cwd: string
  readonly env?: Variables
  /** Settings for this call, over all others. */
  readonly config?: Variables
}

export interface Ended {
  readonly exitCode: number | undefined
  readonly output: string
  readonly errors: string
}

export interface Git {
  /** The same for the repository that the variables lead git to. It may change these folders, too. */
  readonly at: (repository: Variables, writes?: ReadonlyArray<string>) => Git
  /** Runs git to its end, whatever its exit code is. */
  readonly end: (call: Call, ...args: ReadonlyArray<string>) => Effect.Effect<Ended, WorktreeFailed>
  /** What git wrote to stdout, without the newline at its end; fails with its words where it does not exit with 0. */
  readonly text: (call: Call, ...args: ReadonlyArray<string>) => Effect.Effect<string, WorktreeFailed>
  /** Hands over every record of an output that is separated by NUL, and keeps none. */
  readonly each: (
    call: Call,
    take: (record: Uint8Array) => void,
    ...args: ReadonlyArray<string>
  ) => Effect.Effect<void, WorktreeFailed>
}

/** The parts between NULs, however the chunks are cut. */
const splitter = (take: (record: Uint8Array) => void) => {
  let rest: Uint8Array = new Uint8Array(0)
  return (chunk: Uint8Array) => {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      const part = chunk.subarray(from, at)
      take(rest.length === 0 ? part : joined(rest, part))
      rest = new Uint8Array(0)
      from = at + 1
    }
    if (from < chunk.length) rest = joined(rest, chunk.subarray(from))
  }
}

/** A command line has room for these. */
const namesAtOnce = 500

export const inPieces = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / namesAtOnce) }, (_, at) =>
    items.slice(at * namesAtOnce, (at + 1) * namesAtOnce)
  )

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Following git's advice to remove the lock of a process that is at work destroys what that process writes. */
const withoutAdvice = (errors: string) =>
  errors.replace(/\n+Another git process seems to be running[^]*/, " Another git process is at work there.")

const failure = (args: ReadonlyArray<string>, { errors, exitCode }: Pick<Ended, "errors" | "exitCode">) => {
  const words = errors.trim()
  const message = words === "" ? `exit code ${exitCode}` : words
  return new WorktreeFailed({ reason: "git", message: `git ${args[0]} failed: ${message}` })
}

/** `writes` are the folders that git may change where a sandbox holds it. */
export const make = (
  processes: typeof Processes.Service,
  repository: Variables = nowhere,
  writes: ReadonlyArray<string> = []
): Git => {
  const { run } = processes
  const start = (call: Call, args: ReadonlyArray<string>, take: (chunk: Uint8Array) => void) =>
    Effect.mapBoth(
      run({
        command: ["git", ...args],
        cwd: call.cwd,
        env: environment(repository, call),
        writes,
        onOutput: (chunk) => {
          take(chunk)
          return true
        },
        keepErrors: true
      }),
      {
        onSuccess: ({ errors, exitCode }) => ({ exitCode, errors: withoutAdvice(errors) }),
        onFailure: ({ message }) => new WorktreeFailed({ reason: "no_git", message: `git cannot be run: ${message}` })
      }
    )
  const end: Git["end"] = (call, ...args) =>
    Effect.suspend(() => {
      const utf8 = new TextDecoder()
      let output = ""
      const take = (chunk: Uint8Array) => void (output += utf8.decode(chunk, { stream: true }))
      return Effect.map(start(call, args, take), ({ errors, exitCode }) => ({ exitCode, output, errors }))
    })
  return {
    at: (variables, more = []) => make(processes, variables, [...writes, ...more]),
    end,
    text: (call, ...args) =>
      Effect.flatMap(end(call, ...args), (ended) =>
        ended.exitCode === 0 ? Effect.succeed(ended.output.replace(/\n$/, "")) : failure(args, ended)
      ),
    each: (call, take, ...args) =>
      Effect.flatMap(
        Effect.suspend(() => start(call, args, splitter(take))),
        (ended) => (ended.exitCode === 0 ? Effect.void : failure(args, ended))
      )
  }
}

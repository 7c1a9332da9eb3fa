/** Programs that heddle starts or is started by, and the terminal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as LocalProcesses from "../../../machine/processes/LocalProcesses.ts"
import * as Environment from "../../../machine/processes/Environment.ts"
import * as Process from "../../../machine/processes/Process.ts"
import { type Check, ok, problem, warning } from "./Check.ts"

/** A program that says nothing in this time is not usable. */
const patience = "5 seconds"

/** Not the working folder: programs read files of the folder that they are started in, and it may be a stranger's. */
const cwd = LocalPaths.resolve("/")

/** The first line that a program prints; the left side says why there is none. */
const firstLine = (command: ReadonlyArray<string>) => {
  const decoder = new TextDecoder()
  let text = ""
  const onOutput = (chunk: Uint8Array) => {
    text += decoder.decode(chunk, { stream: true })
    return text.length < 1024
  }
  return LocalProcesses.service.run({ command, cwd, onOutput }).pipe(
    Effect.timeoutFail({ duration: patience, onTimeout: () => ({ message: "it does not answer" }) }),
    Effect.flatMap(({ exitCode }) =>
      exitCode === undefined || exitCode === 0
        ? Effect.succeed(text.trim().split("\n", 1).join(""))
        : Effect.fail({ message: `it ended with code ${exitCode}` })
    ),
    Effect.mapError(({ message }) => message),
    Effect.either
  )
}

const bun = Effect.map(Process.build, (build) =>
  build.includes("from source") ? warning("heddle", `${build}`, "npm run build") : ok("heddle", build)
)

const oldestNode = 20

const node = Effect.map(firstLine(["node", "--version"]), (output): Check => {
  if (Either.isLeft(output)) {
    return warning("node", "node is not found, and the command heddle starts with it", "install Node 20 or newer")
  }
  const major = Number(/^v(\d+)/.exec(output.right)?.[1] ?? 0)
  return major >= oldestNode
    ? ok("node", output.right)
    : warning("node", `node ${output.right} is older than ${oldestNode}`, `install Node ${oldestNode} or newer`)
})

const git = Effect.map(firstLine(["git", "--version"]), (output) =>
  Either.isRight(output)
    ? ok("git", output.right)
    : warning(
        "git",
        "git is not found: the prompt has no state of the repository, and subagents cannot work in worktrees",
        "install git, for example: apt install git"
      )
)

const shell = (shellPath: string | undefined) =>
  Effect.map(firstLine([shellPath ?? "bash", "-c", "echo works"]), (output) => {
    const name = shellPath ?? "bash"
    if (Either.isRight(output) && output.right === "works") return ok("shell", `${name} runs commands`)
    const why = Either.isLeft(output) ? output.left : "it does not run commands"
    return problem(
      "shell",
      `${name} cannot be used (${why}), so the model cannot run commands`,
      'install bash, or name another shell in settings.json: "shellPath": "/bin/sh"'
    )
  })

const ripgrep = Effect.gen(function* () {
  const program = yield* Process.ripgrep
  const output = program === undefined ? undefined : yield* firstLine([program, "--version"])
  return output !== undefined && Either.isRight(output)
    ? ok("ripgrep", output.right)
    : warning(
        "ripgrep",
        "ripgrep is not installed for this system: searches work, but take longer",
        "npm install --include=optional, in the folder of heddle"
      )
})

const terminal = Effect.gen(function* () {
  const { stdin, stdout } = yield* Process.terminals
  if (!stdin || !stdout)
    return ok("terminal", "stdin and stdout are not both a terminal: messages come by options or a pipe")
  const [term, language] = [yield* Environment.variable("TERM"), yield* languageOf]
  if (Option.isNone(term) || term.value === "dumb") {
    return warning(
      "terminal",
      "the terminal says that it can show nothing but plain text",
      "export TERM=xterm-256color"
    )
  }
  return /utf-?8/i.test(language)
    ? ok("terminal", `${term.value}, ${language}`)
    : warning("terminal", "the terminal is not set to UTF-8, so some characters look wrong", "export LC_ALL=C.UTF-8")
})

const languageOf = Effect.gen(function* () {
  for (const name of ["LC_ALL", "LC_CTYPE", "LANG"]) {
    const value = yield* Environment.variable(name)
    if (Option.isSome(value)) return value.value
  }
  return ""
})

export const checks = (shellPath: string | undefined) =>
  Effect.all([bun, node, git, shell(shellPath), ripgrep, terminal], { concurrency: 3 })

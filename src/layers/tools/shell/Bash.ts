/** The tool `bash`: a command in a shell of its own, its output cut to what a model can read (protocol.md 10.2). */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "../../../domain/Json.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import { defined } from "../../../domain/Values.ts"
import { Decided } from "../../../services/machine/Sandbox.ts"
import { type Shell, type ShellResult } from "../../../services/Shell.ts"
import { cutOff, ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as Tool from "../Tool.ts"

const defaultTimeout = 300
const shortest = 1
const longest = 3600

const Environment = Schema.Record({ key: Schema.String, value: Schema.String }).pipe(
  Schema.filter(
    (env) => {
      const wrong = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return wrong === undefined || `Expected names of variables, actual ${Json.stringify(wrong)}`
    },
    { jsonSchema: {} }
  )
)

const members = {
  command: Tool.required(Tool.NonEmptyText, "What bash is to run; several lines are fine."),
  timeout: Tool.optional(
    Schema.Number.pipe(Schema.positive()),
    `Seconds after which the command is ended, ${shortest} to ${longest}. Default: ${defaultTimeout}.`
  ),
  cwd: Tool.optional(Tool.NonEmptyText, "Directory to run in. Default: the working directory."),
  env: Tool.optional(Environment, "Environment variables to set for this command.")
}

const escalate = Tool.optional(
  Schema.Boolean,
  "Ask the user to run this one command without the sandbox. Only after the sandbox has denied it, or where it surely will."
)

const plain = Schema.Struct(members)
/** In a sandbox; without one the argument means nothing. */
const confined = Schema.Struct({ ...members, escalate })
type Arguments = typeof confined.Type

export interface BashOptions {
  readonly cwd: string
  readonly shell: typeof Shell.Service
  /** The folder for full output (`ShellRequest.artifacts`). */
  readonly artifacts?: Effect.Effect<Option.Option<string>>
  /** Whether a sandbox holds commands, which a call may ask to run without. */
  readonly isConfined?: boolean
}

const notice = (result: ShellResult): string => {
  if (!result.truncated) return ""
  const { artifactError = "unknown error", fullOutputPath, outputLines, totalLines } = result
  const shown = result.lastLinePartial
    ? `the end of line ${totalLines}`
    : `lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}`
  const where =
    fullOutputPath === undefined
      ? `The full output could not be kept: ${artifactError}`
      : `Full output: ${fullOutputPath}`
  return `[Showing ${shown}. ${where}]`
}

/** Blocks of a result, with an empty line between them. */
const paragraphs = (...parts: ReadonlyArray<string>) =>
  parts
    .filter((part) => part !== "")
    .map((part, at, { length }) => (at < length - 1 ? part.replace(/\n+$/, "") : part))
    .join("\n\n")

const details = (result: ShellResult): JsonObject => {
  const { artifactId, durationMs, exitCode, fullOutputPath, truncated } = result
  const { lastLinePartial, maxBytes, maxLines, outputBytes, outputLines, totalBytes, totalLines, truncatedBy } = result
  const sizes = { truncated, truncatedBy, totalLines, totalBytes, outputLines, outputBytes, lastLinePartial }
  return {
    ...defined({ exitCode }),
    durationMs,
    ...(truncated ? { truncation: { ...sizes, firstLineExceedsLimit: false, maxLines, maxBytes } } : {}),
    ...defined({ fullOutputPath, artifactId }),
    ...(result.timedOut ? { timedOut: true } : {}),
    ...(result.cancelled ? { aborted: true } : {}),
    ...(result.sandbox === undefined ? {} : { sandbox: { ...result.sandbox.report } })
  }
}

const failed = (result: ShellResult, reason: string) =>
  new ToolFailure({
    message: paragraphs(result.output, notice(result), reason, result.sandbox?.advice ?? ""),
    details: details(result)
  })

/** Nobody was asked, or nobody has approved it. */
const notDecided = () => new ToolFailure({ message: "Approval unavailable: no host can answer" })

const render = (result: ShellResult, timeout: number) => {
  if (result.timedOut) return failed(result, `Command timed out after ${timeout} seconds`)
  if (result.cancelled) return failed(result, "Command aborted")
  if (result.exitCode !== 0) return failed(result, `Command exited with code ${result.exitCode}`)
  const said = paragraphs(result.output, notice(result))
  return Effect.succeed(Tool.textOutput(said === "" ? "(no output)" : said, details(result)))
}

const interrupted = (reason: string, result: ShellResult) =>
  cutOff(reason, Tool.textOutput(paragraphs(result.output, notice(result)).replace(/\n+$/, ""), details(result)))

const inSandbox = [
  "A sandbox holds every command: it can write the working directory and its own /tmp only, nothing that it starts outlives it,",
  "and .git is read-only. When it denies something, the result says what would allow it: do not try other ways around it."
]

export const make = ({ artifacts, cwd, isConfined = false, shell }: BashOptions) =>
  Tool.make<Arguments, typeof confined.Encoded>({
    name: "bash",
    description: [
      "Run a command in bash and get stdout and stderr together, in the order in which they were written.",
      "Every call is a new shell: directory and variables are not kept from one call to the next.",
      "There is no terminal and no input, so nothing that asks, pages or edits will work.",
      "Of long output the end is shown, at most 2000 lines or 50 KiB; the result then names a file that has all of it.",
      "A command that is still running after its timeout is ended with everything it has started.",
      ...(isConfined ? inSandbox : ["For a server, put it in background with & and write its output to a file."])
    ].join(" "),
    parameters: isConfined ? confined : plain,
    abortedText: "Command aborted",
    run: ({ command, cwd: folder, env, escalate = false, timeout = defaultTimeout }, { orInterrupted, progress }) => {
      const seconds = Math.min(longest, Math.max(shortest, timeout))
      const running = shell.run({
        command,
        cwd: folder === undefined ? cwd : LocalPaths.ofArgument(folder, { cwd }),
        timeoutMs: seconds * 1000,
        ...defined({ env, artifacts }),
        onUpdate: (output) => progress(Tool.textOutput(output)),
        orInterrupted: (result) => orInterrupted((reason) => Effect.map(result, (ended) => interrupted(reason, ended)))
      })
      const answered = Effect.matchEffect(running, {
        onFailure: ({ message }) => new ToolFailure({ message }),
        onSuccess: (result) => render(result, seconds)
      })
      if (!escalate) return answered
      return Effect.flatMap(Decided, (decision) => (decision === "undecided" ? notDecided() : answered))
    }
  })

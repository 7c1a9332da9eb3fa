/**
 * The options of the command line (protocol.md 1.1) as data, from which parsing and help are made. It lists options that
 * have an effect, and those that hosts pass and that need none.
 */
import * as Schema from "effect/Schema"
import { thinkingLevels } from "../../domain/model/Model.ts"

export interface OptionEntry {
  readonly name: string
  readonly kind: "text" | "flag" | "repeated"
  /** The placeholder of the value in the help. */
  readonly placeholder: string
  readonly choices?: ReadonlyArray<string>
  readonly help: string
}

const text = (name: string, placeholder: string, help: string): OptionEntry => ({
  name,
  kind: "text",
  placeholder,
  help
})
const choice = (name: string, choices: ReadonlyArray<string>, help: string): OptionEntry => ({
  ...text(name, choices.join("|"), help),
  choices
})
const flag = (name: string, help: string): OptionEntry => ({ name, kind: "flag", placeholder: "", help })

/** An option whose value may be left out; Arguments.ts adds an empty one. */
export const listModels = text(
  "list-models",
  "[search]",
  "List the models that are known, or those that match, and exit"
)

export const resume = text("resume", "[id]", "Open the session whose id begins so")

export const optionTable: ReadonlyArray<OptionEntry> = [
  choice(
    "mode",
    ["text", "json", "rpc"],
    "rpc: newline-delimited JSON on stdin and stdout; text and json are not there yet"
  ),
  text("provider", "id", "Provider to take the model from"),
  text("model", "pattern", "Exact id, provider/id, glob or part of a name; :<thinking> may follow"),
  text(
    "api-key",
    "key",
    "Key for the provider of the chosen model; others on this machine can see it, see `heddle auth`"
  ),
  text("models", "a,b,...", "Patterns of the models that cycle_model goes through"),
  choice("thinking", thinkingLevels, "How hard the model thinks at first, clamped to what it supports"),
  listModels,
  flag("json", "With --list-models: as JSON"),
  text("export", "session", "Write a session as an HTML page, to the path that follows or into this folder, and exit"),
  text("system-prompt", "text", "Replaces the built-in system prompt"),
  text("append-system-prompt", "text", "Text behind the system prompt"),
  text("session", "path|id", "Open this session; a path without a file is where a new one goes"),
  flag("continue", "Go on with the session of this folder that was written last"),
  resume,
  text("fork", "path|id", "Copy this session into a new file and go on there"),
  text("session-id", "id", "Open the session with this id, or give it to a new one"),
  text("session-dir", "dir", "Where session files are kept"),
  flag("no-session", "Keep the session in memory: nothing is written"),
  text("name", "text", "Name of the session"),
  text("cwd", "dir", "Run as if started in this folder"),
  flag("approve", "Trust the project in this folder: all of its settings count, and the keys in its .env"),
  flag("no-approve", "Do not trust it (the default)"),
  text("tools", "a,b,...", "Offer only these built-in tools to the model; host tools stay"),
  flag("no-tools", "Offer no tools at all"),
  flag("no-builtin-tools", "Offer only the tools of the host"),
  {
    name: "set",
    kind: "repeated",
    placeholder: "key=json",
    help: "Override a setting; may be given several times"
  },
  choice("rpc-updates", ["full", "delta"], "message_update repeats the message, paced, or sends increments only"),
  flag("drain", "When stdin closes, let the active run finish instead of aborting it"),
  flag("no-title", "Accepted for hosts that pass it: titles are never made in rpc mode"),
  flag("offline", "No network access at start-up: no server is asked for its models"),
  flag("verbose", "Log more on stderr")
]

/** A parsed command line: the values of each option in order (an empty text for a flag), and everything else. */
export interface Given {
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly messages: ReadonlyArray<string>
}

/** heddle cannot do what its command line asks for. The code is for programs, the message for people. */
export class StartupFailure extends Schema.TaggedError<StartupFailure>()("StartupFailure", {
  code: Schema.Literal("INVALID_ARG", "NO_MODEL", "STARTUP_ERROR"),
  message: Schema.String
}) {}

export const invalid = (message: string) => new StartupFailure({ code: "INVALID_ARG", message })

const width = 34

const line = ({ kind, name, placeholder }: OptionEntry, help: string): string => {
  const left = `  --${name}${kind === "flag" ? "" : ` ${placeholder.startsWith("[") ? placeholder : `<${placeholder}>`}`}`
  return left.length < width ? left.padEnd(width) + help : `${left}\n${" ".repeat(width)}${help}`
}

export const helpText = (
  version: string
): string => `heddle ${version}: a coding agent engine for editors, bots and services

Usage
  heddle --mode rpc [options]       what hosts start; docs/hosts.md says how to talk to it
  heddle auth set|list|remove       keys of providers, read from stdin or asked for
  heddle --list-models [search]     models, and which of them can be used
  heddle --export <session> [out.html]    a session as a page to read, search and keep

Options (--name value or --name=value)
${optionTable.map((entry) => line(entry, entry.help)).join("\n")}
  -c, -r, -n, -a, -na             Short for --continue, --resume, --name, --approve, --no-approve
  -h, --help                      This text
  -v, --version                   The version

Keys come from auth.json, the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...) or models.json; without any of them
heddle answers with offline/guide, a scripted model. Exit codes: 0 done, 1 could not start, 129/130/143 ended by a signal.`

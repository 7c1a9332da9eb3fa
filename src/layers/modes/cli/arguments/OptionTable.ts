/**
 * The options of the command line (protocol.md 1.1, supplement 1.3) as data, from which parsing and help are made: those
 * that have an effect, and those that hosts pass and that need none.
 */
import * as Schema from "effect/Schema"
import { thinkingLevels } from "../../../../domain/model/Model.ts"
import { dialectNames } from "../../../../services/host/Dialect.ts"

export interface OptionEntry {
  readonly name: string
  /** As in `-c`. */
  readonly short?: string
  readonly kind: "text" | "flag" | "repeated"
  /** The value may be left out; Arguments.ts adds an empty one. */
  readonly isValueOptional?: boolean
  /** Hosts of other agents pass it, so it is accepted; there is nothing for it to do. */
  readonly isIdle?: boolean
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
const repeated = (name: string, placeholder: string, help: string): OptionEntry => ({
  ...text(name, placeholder, help),
  kind: "repeated"
})
const short = (letters: string, entry: OptionEntry): OptionEntry => ({ ...entry, short: `-${letters}` })
const idle = (entry: OptionEntry): OptionEntry => ({ ...entry, isIdle: true })
const valueOptional = (entry: OptionEntry): OptionEntry => ({ ...entry, isValueOptional: true })

export const listModels = valueOptional(
  text("list-models", "[search]", "List the models that are known, or those that match, and exit")
)

/** What `--mode` may be. */
const modes = ["text", "json", "rpc", "rpc-ui"] as const
/** Modes, and words that stand for a mode and a sandbox. */
const approvals = ["off", "ask", "deny", "read-only", "auto", "full"] as const
const sandboxModes = ["off", "read-only", "workspace-write"] as const
export const updateForms = ["full", "delta"] as const
export const agentEnds = ["final", "per-attempt"] as const
export type AgentEnd = (typeof agentEnds)[number]

/** Options that the help shows together. */
export interface OptionGroup {
  readonly title: string
  readonly options: ReadonlyArray<OptionEntry>
}

export const optionGroups: ReadonlyArray<OptionGroup> = [
  {
    title: "Answering",
    options: [
      short(
        "p",
        valueOptional(repeated("print", "[message]", "Answer once and exit, also without a message of its own"))
      ),
      choice("mode", modes, "text: the answer; json: every event as a line; rpc, rpc-ui: serve a host"),
      flag("stream", "Write all text while it streams, also to a pipe, which else gets the last message"),
      text("output-schema", "file|json", "The answer is JSON that fits this JSON Schema"),
      text("cwd", "dir", "Run as if started in this folder"),
      flag("verbose", "Log more on stderr; with --version: say how heddle was started")
    ]
  },
  {
    title: "Model",
    options: [
      text("provider", "id", "Provider to take the model from"),
      text("model", "pattern", "Exact id, provider/id, glob or part of a name; :<thinking> may follow"),
      choice("thinking", thinkingLevels, "How hard the model thinks at first, clamped to what it supports"),
      text("models", "a,b,...", "Patterns of the models that cycle_model goes through"),
      text(
        "api-key",
        "key",
        "Key of the chosen model's provider; others on this machine can see it: see `heddle auth`"
      ),
      listModels,
      flag("offline", "No network access at start-up: no server is asked for its models")
    ]
  },
  {
    title: "Session",
    options: [
      short("c", flag("continue", "Continue the session of this folder that was written last")),
      short(
        "r",
        valueOptional(text("resume", "[n|id]", "Open session n of `heddle sessions`, or the one whose id begins so"))
      ),
      text("session", "path|id", "Open this session; a path without a file is where a new one goes"),
      text("fork", "path|id", "Copy this session into a new file and continue there"),
      text("session-id", "id", "Open the session with this id, or give it to a new one"),
      text("session-dir", "dir", "Where session files are kept"),
      flag("no-session", "Keep the session in memory: nothing is written"),
      short("n", text("name", "text", "Name of the session")),
      text("export", "session", "Write a session as an HTML page, to the path that follows or into this folder")
    ]
  },
  {
    title: "Tools and limits",
    options: [
      short("t", text("tools", "a,b,...", "Offer only these built-in tools to the model; host tools stay")),
      short("xt", text("exclude-tools", "a,b,...", "Offer the built-in tools without these; host tools stay")),
      short("nt", flag("no-tools", "Offer no tools at all")),
      short("nbt", flag("no-builtin-tools", "Offer only the tools of the host")),
      text("max-cost", "usd", "What a session and its subagents may cost, in US dollars"),
      text("max-tokens", "n", "How many tokens a session and its subagents may use"),
      text("max-turns", "n", "How many times a session and its subagents may call their models")
    ]
  },
  {
    title: "Approvals",
    options: [
      choice("approvals", approvals, "What becomes of commands, changes and other effects that no rule speaks of"),
      repeated("allow", "rule", "Let this happen without a question, such as 'bash(git status*)' or 'write(src/**)'"),
      repeated("ask", "rule", "Ask before this happens"),
      repeated("deny", "rule", "Let this never happen")
    ]
  },
  {
    title: "Sandbox",
    options: [
      choice(
        "sandbox",
        sandboxModes,
        "What commands and file tools may change: anything, nothing, or the working folder (docs/sandbox.md)"
      ),
      choice("network", ["on", "off"], "Whether commands in the sandbox reach the network (default: off)")
    ]
  },
  {
    title: "Instructions, extensions and trust",
    options: [
      text("system-prompt", "text|file", "Replaces the built-in instructions"),
      text("append-system-prompt", "text|file", "Text behind the instructions"),
      short("nc", flag("no-context-files", "Read no AGENTS.md or CLAUDE.md")),
      flag("no-rules", "Read no rules"),
      repeated("skill", "path", "Load a skill: a folder with SKILL.md, a Markdown file, or a folder with several"),
      short("ns", flag("no-skills", "Load no skills but those given with --skill")),
      repeated("prompt-template", "path", "Load a prompt template, or a folder with several"),
      short("np", flag("no-prompt-templates", "Load no prompt templates but those given with --prompt-template")),
      short(
        "e",
        repeated("extension", "path", "Load an extension: a file, a folder, a package, or npm:name if it is installed")
      ),
      repeated("require-extension", "path", "Load an extension as --extension does, and do not start without it"),
      short("ne", flag("no-extensions", "Load no extensions but those given with --extension")),
      short(
        "a",
        flag(
          "approve",
          "Trust the project in this folder: its extensions load, all settings and keys in its .env count"
        )
      ),
      short("na", flag("no-approve", "Do not trust it (the default where you have stored no decision)"))
    ]
  },
  {
    title: "Settings and output",
    options: [
      repeated("set", "key=json", "Override a setting; may be given several times"),
      flag("json", "With --list-models, config, sessions or doctor: print JSON")
    ]
  },
  {
    title: "For hosts",
    options: [
      flag(
        "inherit-settings",
        "Let settings files change what rpc mode resets to defaults, such as those of subagents and background jobs"
      ),
      choice("rpc-updates", updateForms, "message_update repeats the message, paced, or sends increments only"),
      choice("dialect", dialectNames, "Whose frames and defaults to speak where agents differ"),
      choice("agent-end", agentEnds, "agent_end once for a prompt, or after every attempt at it"),
      flag("no-ui", "Ask the user nothing through the host: questions get their default answers"),
      flag("drain", "When stdin closes, let the active run finish instead of aborting it")
    ]
  }
]

export const inEffect: ReadonlyArray<OptionEntry> = optionGroups.flatMap(({ options }) => options)

export const withoutEffect: ReadonlyArray<OptionEntry> = [
  repeated("theme", "path", "Load a theme"),
  flag("no-themes", "Look for no themes"),
  flag("no-mcp", "Start no MCP servers"),
  flag("no-title", "Make no titles"),
  text("provider-session-id", "id", "Id for the provider"),
  flag("rpc-extra-events", "Send the events of other dialects, which are always sent")
]

export const optionTable: ReadonlyArray<OptionEntry> = [...inEffect, ...withoutEffect.map(idle)]

/** A parsed command line: the values of each option in order (an empty text for a flag), and everything else. */
export interface Given {
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  /** All words behind `--`, if there are any, follow an item `--`: they are no options and no files. */
  readonly messages: ReadonlyArray<string>
  /** Options that heddle does not know, by name. Extensions may register them. */
  readonly unknown?: ReadonlyMap<string, string | true>
}

/** heddle cannot do what its command line asks for. The code is for programs, the message for people. */
export class StartupFailure extends Schema.TaggedError<StartupFailure>()("StartupFailure", {
  code: Schema.Literal("INVALID_ARG", "NO_MODEL", "SANDBOX_UNAVAILABLE", "STARTUP_ERROR"),
  message: Schema.String
}) {}

export const invalid = (message: string) => new StartupFailure({ code: "INVALID_ARG", message })

/** The subcommands: what they are called, take and offer. Parsing, help and completion scripts are made from them. */
import type { Subcommand } from "./arguments/Subcommand.ts"

const ofProject = ["cwd", "set", "approve", "no-approve", "offline", "verbose"]

export const auth: Subcommand = {
  name: "auth",
  form: "set|list|remove",
  help: "keys of providers",
  options: ["verbose"],
  completes: ["set", "list", "remove"]
}

export const config: Subcommand = {
  name: "config",
  form: "[key]",
  help: "the settings in force, and where each comes from",
  options: [...ofProject, "inherit-settings", "json", "dialect", "session-dir", "models", "thinking"],
  words: { most: 1, called: "one setting" }
}

export const sessions: Subcommand = {
  name: "sessions",
  form: "[text]",
  help: "list, search and resume sessions",
  options: [...ofProject, "json", "session-dir"],
  words: { most: 50, called: "a few words to search for" },
  completes: ["resume"]
}

export const doctor: Subcommand = {
  name: "doctor",
  help: "check keys, models, programs and folders",
  options: [...ofProject, "json", "session-dir", "no-extensions"],
  words: { most: 0, called: "no words" }
}

export const shells = ["bash", "zsh", "fish"] as const

export const completions: Subcommand = {
  name: "completions",
  form: "<shell>",
  help: "a completion script for bash, zsh or fish",
  options: ["verbose"],
  words: { most: 1, called: "one shell" },
  completes: shells
}

const others = [auth, config, sessions, doctor, completions]

export const help: Subcommand = {
  name: "help",
  form: "[command]",
  help: "this text, or more about a command",
  options: ["verbose"],
  words: { most: 1, called: "one command" },
  completes: others.map(({ name }) => name)
}

export const all: ReadonlyArray<Subcommand> = [...others, help]

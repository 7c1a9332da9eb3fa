/** The subcommands that heddle parses itself; `auth` is the full parser's. */
import type { Subcommand } from "./arguments/Subcommand.ts"

const ofProject = ["cwd", "set", "approve", "no-approve", "offline", "verbose"]

export const config: Subcommand = {
  name: "config",
  options: [...ofProject, "inherit-settings", "json", "dialect", "session-dir", "models", "thinking"],
  words: { most: 1, called: "one setting" }
}

export const sessions: Subcommand = {
  name: "sessions",
  options: [...ofProject, "json", "session-dir"],
  words: { most: 50, called: "a few words to search for" }
}

export const doctor: Subcommand = {
  name: "doctor",
  options: [...ofProject, "json", "session-dir", "no-extensions"],
  words: { most: 0, called: "no words" }
}

export const completions: Subcommand = {
  name: "completions",
  options: ["verbose"],
  words: { most: 1, called: "one shell" }
}

export const help: Subcommand = { name: "help", options: ["verbose"], words: { most: 1, called: "one command" } }

export const all = [config, sessions, doctor, completions, help]

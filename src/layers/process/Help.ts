/** What heddle tells people about itself: `--help`, `auth --help`, `config --help`, and the answer to somebody who knocks at the wrong door. */
import { inEffect, type OptionEntry, withoutEffect } from "./arguments/OptionTable.ts"

const width = 34
const pageWidth = 120

const spelling = ({ kind, name, placeholder, short }: OptionEntry): string => {
  const value = kind === "flag" ? "" : ` ${placeholder.startsWith("[") ? placeholder : `<${placeholder}>`}`
  return `${short === undefined ? "" : `${short}, `}--${name}${value}`
}

const line = (entry: OptionEntry): string => {
  const left = `  ${spelling(entry)}`
  return left.length < width ? left.padEnd(width) + entry.help : `${left}\n${" ".repeat(width)}${entry.help}`
}

const paragraph = (words: ReadonlyArray<string>): string => {
  const lines: Array<string> = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < pageWidth - 3) lines.push(`${lines.pop()}, ${word}`)
    else lines.push(`  ${word}`)
  }
  return lines.join(",\n")
}

/** What heddle does, with how to start it. */
const usage = `  heddle --mode rpc [options]           work for an editor, a bot or a service, which docs/hosts.md is for
  heddle auth set|list|remove           keys of providers, read from stdin or asked for
  heddle config [key]                   the settings in force, and where each comes from
  heddle --list-models [search]         the models, which of them can be used, and which one is the default
  heddle --export <session> [out.html]  a session as a page to read, search and keep
  heddle --help                         all options`

/** For a person who starts heddle as if it had a screen. `problem` is a sentence about what was asked for. */
export const frontDoor = (problem: string): string => `${problem}
It has no screen of its own yet: another program, such as an editor, starts it and shows what it does. This is what
there is:

${usage}
  npm run demo                          watch it explore a folder, in a checkout of heddle; needs no key`

export const helpText = (
  version: string
): string => `heddle ${version}: a coding agent engine for editors, bots and services

Usage
${usage}

Options (--name value or --name=value)
${inEffect.map(line).join("\n")}
  -h, --help                      This text
  -v, --version                   The version

Accepted from hosts that pass them, without effect
${paragraph(withoutEffect.map(spelling))}

Keys come from auth.json, the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...) or models.json; without any of them
heddle answers with offline/guide, a scripted model. Exit codes: 0 done, 1 could not start, 129/130/143 ended by a signal.`

export const authHelp = `Keys of providers, kept in auth.json in the agent folder. They are never shown.

  heddle auth set <provider>      store a key: piped into stdin, else asked for without showing it
  heddle auth list                which providers have a key, and where it comes from
  heddle auth remove <provider>   delete the stored key

A provider is a name such as anthropic or openai; docs/models.md lists them.`

export const configHelp = `The settings in force, and where each comes from: a default, a file, a variable or an option. Changes nothing.

  heddle config                   all settings
  heddle config <key>             one setting with its type and description, or a group such as compaction
  heddle config --json            as JSON

With --cwd, --set, --approve, --no-approve, --inherit-settings, --dialect, --offline, --session-dir, --models and
--thinking it shows what heddle --mode rpc would take with these options. docs/settings.md explains files and order.`

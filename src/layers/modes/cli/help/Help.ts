/** The help of heddle: `--help`, `heddle help <command>`, and where to go without a message. */
import * as Effect from "effect/Effect"
import { invalid, optionGroups, withoutEffect } from "../arguments/OptionTable.ts"
import * as Subcommands from "../Subcommands.ts"
import * as Layout from "./Layout.ts"
import { topics } from "./Topics.ts"

const rows = (pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.map(([name, description]) => Layout.row(name, description)).join("\n")

const usage = rows([
  ["heddle", "a session on this terminal (docs/terminal.md)"],
  ['heddle "<message>"', "answer once and exit; -p says the same"],
  ["heddle --mode rpc", "work for an editor, a bot or a service (docs/hosts.md)"],
  ["heddle --list-models", "the models, which can be used, and which is the default"],
  ["heddle --export <session>", "a session as an HTML page to read, search and keep"]
])

const commands = rows(
  Subcommands.all.map(({ form, help, name }) => [form === undefined ? name : `${name} ${form}`, help])
)

const input = Layout.paragraph(
  'A message may come with files: heddle @notes.txt @photo.png "what is this?". Text that is piped into stdin goes before the message. A pipe that stays silent for half a second is left out; @- waits for its end. Words behind -- are text, whatever they begin with.'
)

const keys = Layout.paragraph(
  "Keys come from auth.json, the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...) or models.json; without any of them heddle answers with offline/guide, a scripted model."
)

const codes = Layout.paragraph(
  "Exit codes: 0 done, 1 failed or could not start, 3 no answer that fits --output-schema, 129/130/143 ended by a signal. docs/cli.md has the whole reference."
)

const groups = optionGroups
  .map(({ options, title }) => `${title}\n${options.map(Layout.option).join("\n")}`)
  .join("\n\n")

const helpText = (
  version: string
): string => `heddle ${version}: a coding agent, and an engine for editors, bots and services

Usage
${usage}

Commands
${commands}

${input}

${groups}

Help
${Layout.row("-h, --help", "This text")}
${Layout.row("-v, --version", "The version")}

Accepted from hosts that pass them, without effect
${Layout.list(withoutEffect.map(Layout.spelling))}

${keys}

${codes}`

/** The help about a subcommand, or all of it. */
export const about = (topic: string | undefined, version: string) => {
  const text = topic === undefined ? helpText(version) : topics.get(topic)
  if (text !== undefined) return Effect.succeed(text)
  const names = [...topics.keys()].join(", ")
  return invalid(
    `there is no command "${topic}"; there are ${names}. To ask the model, quote the message: heddle "help …"`
  )
}

/** `heddle completions <shell>`: scripts made from the tables of options and subcommands. */
import { inEffect, type OptionEntry } from "../arguments/OptionTable.ts"
import type { Subcommand } from "../arguments/Subcommand.ts"
import * as Subcommands from "../Subcommands.ts"

const names = Subcommands.all.map(({ name }) => name)
const help: OptionEntry = { name: "help", short: "-h", kind: "flag", placeholder: "", help: "Show help" }
const version: OptionEntry = { name: "version", short: "-v", kind: "flag", placeholder: "", help: "Show the version" }
const atStart = [help, version, ...inEffect]

const optionsOf = ({ options }: Subcommand) => [help, ...inEffect.filter(({ name }) => options.includes(name))]

/** Short names of several letters, such as `-nt`, are left out: shells take them for several options. */
const spellings = ({ name, short }: OptionEntry) => (short?.length === 2 ? [short, `--${name}`] : [`--${name}`])

const takesPath = ({ placeholder }: OptionEntry) => /dir|file|path/.test(placeholder)

const bash = () => {
  const valued = inEffect.filter(({ kind }) => kind !== "flag")
  const offer = (words: ReadonlyArray<string>) => `mapfile -t COMPREPLY < <(compgen -W "${words.join(" ")}" -- "$cur")`
  const value = (entry: OptionEntry) =>
    entry.choices === undefined ? [] : [`    ${spellings(entry).join("|")}) ${offer(entry.choices)}; return ;;`]
  const branch = (pattern: string, options: ReadonlyArray<OptionEntry>, words: ReadonlyArray<string>) =>
    `    ${pattern}) ${offer([...options.flatMap(spellings), ...words])} ;;`
  return [
    "_heddle() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" command="" word',
    "  COMPREPLY=()",
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    ...valued.flatMap(value),
    `    ${valued.flatMap(spellings).join("|")}) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;`,
    "  esac",
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "$word" in ${names.join("|")}) command="$word"; break ;; esac`,
    "  done",
    '  case "$command" in',
    ...Subcommands.all.map((command) => branch(command.name, optionsOf(command), command.completes ?? [])),
    branch("*", atStart, names),
    "  esac",
    "}",
    "complete -o nosort -o bashdefault -o default -F _heddle heddle"
  ]
}

const zsh = () => {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const plain = (text: string) => text.replace(/[[\]:\\]/g, "\\$&")
  const value = (entry: OptionEntry) => {
    if (entry.kind === "flag") return ""
    return `:value:${entry.choices === undefined ? (takesPath(entry) ? "_files" : " ") : `(${entry.choices.join(" ")})`}`
  }
  const option = (entry: OptionEntry) =>
    spellings(entry).map(
      (name) => `${entry.kind === "repeated" ? "\\*" : ""}${quote(`${name}[${plain(entry.help)}]${value(entry)}`)} \\`
    )
  const branch = (pattern: string, options: ReadonlyArray<OptionEntry>, words: ReadonlyArray<string>) => [
    `    (${pattern}) _arguments -s -S \\`,
    ...options.flatMap(option).map((line) => `      ${line}`),
    `      ${words.map(quote).join(" ")} ;;`
  ]
  return [
    "#compdef heddle",
    `_heddle_first() { _alternative 'commands:command:(${names.join(" ")})' 'files:file:_files' }`,
    "_heddle() {",
    `  case "\${words[(r)(${names.join("|")})]}" in`,
    ...Subcommands.all.flatMap((command) =>
      branch(command.name, optionsOf(command), [
        `1: :(${command.name})`,
        `*:word:(${(command.completes ?? []).join(" ")})`
      ])
    ),
    ...branch("*", atStart, ["1:command:_heddle_first", "*:message:_files"]),
    "  esac",
    "}",
    'if [ "$funcstack[1]" = "_heddle" ]; then _heddle "$@"; else compdef _heddle heddle; fi'
  ]
}

const fish = () => {
  const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`
  const value = (entry: OptionEntry) => {
    if (entry.kind === "flag") return ""
    return entry.choices === undefined
      ? takesPath(entry)
        ? " -r -F"
        : " -x"
      : ` -x -a ${quote(entry.choices.join(" "))}`
  }
  const option = (condition: string) => (entry: OptionEntry) => {
    const short = entry.short?.length === 2 ? ` -s ${entry.short.slice(1)}` : ""
    return `complete -c heddle -n ${quote(condition)}${short} -l ${entry.name}${value(entry)} -d ${quote(entry.help)}`
  }
  const branch = (command: Subcommand) => {
    const seen = `__fish_seen_subcommand_from ${command.name}`
    return [
      `complete -c heddle -n __fish_use_subcommand -a ${command.name} -d ${quote(command.help)}`,
      ...optionsOf(command).map(option(seen)),
      ...(command.completes ?? []).map((word) => `complete -c heddle -n ${quote(seen)} -f -a ${word}`)
    ]
  }
  return [
    ...atStart.map(option(`not __fish_seen_subcommand_from ${names.join(" ")}`)),
    ...Subcommands.all.flatMap(branch)
  ]
}

const scripts = { bash, zsh, fish }

/** Undefined for a shell that there is no script for. */
export const script = (shell: string | undefined): string | undefined => {
  const known = Subcommands.shells.find((name) => name === shell)
  return known === undefined ? undefined : scripts[known]().join("\n")
}

/** `heddle help <command>`: what each subcommand does. */
export const topics: ReadonlyMap<string, string> = new Map([
  [
    "auth",
    `Keys of providers, kept in auth.json in the agent folder. They are never shown.

  heddle auth set <provider>      store a key: piped into stdin, else asked for
                                  without showing it
  heddle auth list                which providers have a key, and from where
  heddle auth remove <provider>   delete the stored key

A provider is a name such as anthropic or openai; docs/models.md lists them.`
  ],
  [
    "config",
    `The settings in force, and where each comes from: a default, a file, a variable
or an option. Changes nothing.

  heddle config                   all settings
  heddle config <key>             one setting with its type and description,
                                  or a group such as compaction
  heddle config --json            as JSON

With --cwd, --set, --approve, --no-approve, --inherit-settings, --dialect,
--offline, --session-dir, --models and --thinking it shows what heddle --mode
rpc would take with these options. docs/settings.md explains files and order.`
  ],
  [
    "sessions",
    `The stored sessions of all folders, the one used last first.

  heddle sessions                 the newest 20, each with a number
  heddle sessions <text>          those whose name, first message, folder or id
                                  has this text
  heddle sessions --json          all of them, as JSON
  heddle sessions resume <n>      continue session n, in its folder; a message
                                  and options may follow, as in
                                  heddle sessions resume 2 "go on"

-r <n> does the same as resume. Number 1 is the session that was used last, so
numbers change with every use; ids do not. docs/sessions.md has the rest.`
  ],
  [
    "doctor",
    `Checks what heddle needs, and says what is wrong and the line that fixes it:
keys, models, settings, git, the shell, ripgrep, permissions of folders and
files, the terminal, and the versions of bun and node. Changes nothing, asks no
server, and shows no key.

  heddle doctor                   a line for each check
  heddle doctor --json            as JSON

Exit code 0: nothing but warnings at most. 1: there is a problem.`
  ],
  [
    "completions",
    `Prints a script with which a shell completes options and commands of heddle.

  heddle completions bash         for bash 4.4 or newer; put it into
                         ~/.local/share/bash-completion/completions/heddle
  heddle completions zsh          put it into a folder of $fpath, as _heddle
  heddle completions fish         put it into
                                  ~/.config/fish/completions/heddle.fish

For the shell that runs now: source <(heddle completions bash)`
  ],
  [
    "help",
    `  heddle help                     usage and all options, as --help
  heddle help <command>           auth, config, sessions, doctor, completions`
  ]
])

/** Programs that run other commands or code, and which of their words say so. Tables: a program is added in its row. */

/** Programs that run the command in their arguments. */
export interface Wrapper {
  /** Letters of options that take no value. Any other may have the next word as its value. */
  readonly flags: string
  /** Words between the options and the command. */
  readonly operands?: number
  /** Variables may stand before the command. */
  readonly assigns?: boolean
  /** Options with a line of the shell as their value. */
  readonly code?: ReadonlyArray<string>
  /** With this option it only says where the command is. */
  readonly query?: RegExp
}

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["exec", { flags: "cl" }],
  ["command", { flags: "p", query: /^-p*[vV]+$/ }],
  ["builtin", { flags: "" }],
  ["env", { flags: "i0v", assigns: true, code: ["-S", "--split-string"] }],
  ["sudo", { flags: "nEHSkKbiPABsv", assigns: true }],
  ["doas", { flags: "nLs" }],
  ["su", { flags: "lmpf", operands: 1, code: ["-c", "--command"] }],
  ["runuser", { flags: "lmpf", operands: 1, code: ["-c", "--command"] }],
  ["pkexec", { flags: "" }],
  ["nohup", { flags: "" }],
  ["setsid", { flags: "cfw" }],
  ["timeout", { flags: "v", operands: 1 }],
  ["nice", { flags: "" }],
  ["ionice", { flags: "t" }],
  ["chrt", { flags: "abfior", operands: 1 }],
  ["taskset", { flags: "ac", operands: 1 }],
  ["time", { flags: "pvaq" }],
  ["stdbuf", { flags: "" }],
  ["unbuffer", { flags: "p" }],
  ["xargs", { flags: "0rtxop" }],
  ["parallel", { flags: "0kqutX" }],
  ["ssh", { flags: "46AaCfGgKkMNnqsTtVvXxYy", operands: 1 }],
  ["busybox", { flags: "" }],
  ["toybox", { flags: "" }],
  ["chroot", { flags: "", operands: 1 }],
  ["unshare", { flags: "munipUCTrcf" }],
  ["nsenter", { flags: "aF" }],
  ["flock", { flags: "sxeunoF", operands: 1, code: ["-c", "--command"] }],
  ["script", { flags: "aefq", code: ["-c", "--command"] }],
  ["watch", { flags: "bcdegptx" }],
  ["strace", { flags: "cCdfFhiqrtTvVwxyYzZ" }],
  ["ltrace", { flags: "cCfhiLrStTV" }],
  ["systemd-run", { flags: "tPqGrd" }],
  ["entr", { flags: "acdnprsz" }],
  ["coproc", { flags: "" }]
])

/** Builtins and programs whose arguments are lines of the shell. */
export const evaluators: ReadonlySet<string> = new Set(["eval", "trap", "alias", "watch", "parallel", "ssh"])

/** They run what nobody sees in the line: files, jobs, keys, scripts of their own. */
export const opaque: ReadonlySet<string> = new Set([
  "source",
  ".",
  "awk",
  "gawk",
  "mawk",
  "nawk",
  "at",
  "batch",
  "bind",
  "compgen",
  "complete",
  "crontab",
  "ed",
  "emacs",
  "enable",
  "ex",
  "expect",
  "fc",
  "gdb",
  "hash",
  "lldb",
  "nvim",
  "screen",
  "shopt",
  "socat",
  "tmux",
  "vi",
  "view",
  "vim"
])

/** Builtins that set the variables that they name, without the form of an assignment. */
export const assigning: ReadonlySet<string> = new Set(["read", "mapfile", "readarray", "getopts", "let", "unset"])

/** Those that take assignments as arguments, which quotes may hide from the parser. */
export const declaring: ReadonlySet<string> = new Set(["export", "declare", "typeset", "local", "readonly"])

/** Builtins that evaluate a subscript in a quoted word: `test -v 'a[$(id)]'`. */
export const subscripting: ReadonlySet<string> = new Set(["test", "[", "printf", "wait"])

export interface Interpreter {
  /** Letters of options that have code, or a file to load before the script. */
  readonly code: string
  readonly longCode?: RegExp
  /** Letters of options that take no value, and of those that do. An option that is in neither may do both. */
  readonly flags: string
  readonly valued?: string
  readonly longFlags?: RegExp
  /** Prints its version and ends. */
  readonly version?: string
  /** First words that run code or start a prompt. */
  readonly subcommands?: ReadonlyArray<string>
}

const shell: Interpreter = {
  code: "cs",
  longCode: /^--(rcfile|init-file)/,
  flags: "aefhiklmnprtuvxBCDEHPT",
  valued: "oO",
  longFlags: /^--(norc|noprofile|posix|login|verbose|restricted|noediting)$/
}
const python: Interpreter = { code: "c", flags: "bBdEhiIOqsSuvVxtP3", valued: "WXQ", version: "-V" }
const perl: Interpreter = { code: "eEmMdxI", flags: "acfghlnpsStTuUvVwWX0", version: "-v" }
const ruby: Interpreter = { code: "erI", longCode: /^--(require|eval)/, flags: "aclnpsSUvwWy", valued: "CEFKTx" }
const node: Interpreter = {
  code: "eprci",
  longCode: /^--(eval|print|require|import|loader|experimental-loader|preload|interactive|env-file|run|expose)/,
  flags: "vh",
  longFlags:
    /^--(test|check|watch|inspect|inspect-brk|experimental-[a-z-]+|enable-source-maps|no-[a-z-]+|trace-[a-z-]+|expose-gc|smol|hot|bun)$/,
  version: "-v",
  subcommands: ["eval", "repl", "exec"]
}
const php: Interpreter = { code: "rBREaFdzS", flags: "hilmnqsvw", valued: "ct" }
const expressions: Interpreter = { code: "eEilLr", longCode: /^--?(eval|command|c|enc|e|execute|print)/i, flags: "hv" }

const interpreters: ReadonlyArray<readonly [names: RegExp, interpreter: Interpreter]> = [
  [/^(r?bash|sh|dash|ash|zsh|ksh(93)?|mksh|fish|csh|tcsh|yash|posh)$/, shell],
  [/^(python|pypy|pythonw)[\d.]*$/, python],
  [/^perl[\d.]*$/, perl],
  [/^(ruby|jruby)[\d.]*$/, ruby],
  [/^(node|nodejs|deno|bun|tsx|ts-node)$/, node],
  [/^php[\d.]*$/, php],
  [
    /^(lua(jit)?[\d.]*|osascript|pwsh|powershell|Rscript|R|julia|elixir|groovy|scala|guile|tclsh|jshell|irb|ghci|racket|sbcl|clojure|erl)$/,
    expressions
  ]
]

export const interpreterOf = (program: string): Interpreter | undefined =>
  interpreters.find(([names]) => names.test(program))?.[1]

/** Takes lines on its standard input and in `-c`. */
export const isShell = (program: string): boolean => interpreterOf(program) === shell

/** Actions of `find` that run commands, delete or write. */
export const findActions: ReadonlyArray<string> = [
  "-exec",
  "-execdir",
  "-ok",
  "-okdir",
  "-delete",
  "-fprint",
  "-fprint0",
  "-fprintf",
  "-fls"
]

/** Options by which an otherwise plain program runs commands. Anchored, so that no length of a word makes them slow. */
const runningOptions: Readonly<Record<string, RegExp>> = {
  tar: /^(-I|-F|--(to-command|checkpoint-action|use-compress-program|info-script|new-volume-script|rsh-command))/,
  rg: /^--(pre|hostname-bin)(=|$)/,
  fd: /^(-[a-wyzA-WYZ]*[xX]|--exec)/,
  fdfind: /^(-[a-wyzA-WYZ]*[xX]|--exec)/,
  sort: /^--compress-p/,
  rsync: /^(-[a-df-zA-Z]*e|--rsh)/,
  make: /^(--eval|SHELL=|\.SHELLFLAGS=)/,
  gmake: /^(--eval|SHELL=|\.SHELLFLAGS=)/,
  man: /^(-[a-zA-GI-OQ-Z]*[PH]|--pager|--html)/,
  zip: /^(-[a-zA-SU-Z]*T|--unzip-command)/,
  // Commands `e`, `w` and `W` of a script, and the flags of `s` of the same names.
  sed: /(?<=^|[^\w\s])\s{0,8}[gpiIMm\d]{0,8}[ewW](?=[\s;}]|$)/
}

/** The same for subcommands of git, compared with `<subcommand> <word>`; before the subcommand, with the word alone. */
const runningGit = new RegExp(
  [
    "^(-c|--config-env|--exec-path=)",
    "^(clone|fetch|pull|ls-remote|archive|push) (-c|-u|--config|--upload-pack|--template|--receive-pack|--exec|ext::)",
    "^rebase (-x|--exec)",
    "^grep (-O|--open-files-in-pager)",
    "^(diff|log|show|difftool|format-patch) (--ext-diff|-x|--extcmd|--output)",
    "^(submodule foreach|bisect run)$",
    "^(filter-branch|difftool|mergetool|daemon|instaweb|send-email) "
  ].join("|")
)

const gitValued = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"])

/** Where the subcommand of git stands; the length of the words if it has none. */
export const gitSubcommandAt = (words: ReadonlyArray<string>): number => {
  let at = 1
  while (at < words.length && words[at]?.startsWith("-")) at += gitValued.has(words[at] ?? "") ? 2 : 1
  return Math.min(at, words.length)
}

const gitRuns = (words: ReadonlyArray<string>): boolean => {
  const sub = gitSubcommandAt(words)
  const name = words[sub] ?? ""
  // `push -u` sets the branch to follow; that of the others names a program.
  const isFollowing = (word: string) => name === "push" && /^(-u|--set-upstream)$/.test(word)
  return (
    words.slice(1, sub).some((word) => runningGit.test(word)) ||
    runningGit.test(`${name} `) ||
    words.slice(sub + 1).some((word) => !isFollowing(word) && runningGit.test(`${name} ${word}`))
  )
}

/** Whether some word makes the program run commands. `words` begin with the program. */
export const runsCode = (program: string, words: ReadonlyArray<string>): boolean => {
  if (program === "git") return gitRuns(words)
  const option = Object.hasOwn(runningOptions, program) ? runningOptions[program] : undefined
  return option !== undefined && words.slice(1).some((word) => option.test(word))
}

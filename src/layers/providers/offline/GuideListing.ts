/** Reads the output of `ls` and picks what is worth opening. Pure. */

export interface Entry {
  readonly name: string
  readonly isFolder: boolean
}

export interface Listing {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  /** The tool has left entries out. */
  readonly isPartial: boolean
}

const maxReads = 3
const notice = /^\[.*\]$/

export const parse = (output: string): Listing => {
  const lines = output.split("\n").map((line) => line.trimEnd())
  const names = lines.filter((line) => line !== "" && line !== "(empty directory)" && !notice.test(line))
  return {
    folders: names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
    files: names.filter((name) => !name.endsWith("/")),
    isPartial: lines.some((line) => notice.test(line))
  }
}

/** Best first; the first file that fits a pattern stands for it. */
const preferred: ReadonlyArray<RegExp> = [
  /^readme(\.(md|markdown|txt|rst|adoc))?$/i,
  /^package\.json$/,
  /^cargo\.toml$/i,
  /^pyproject\.toml$/,
  /^go\.mod$/,
  /^(main|index|app|cli|server|lib|mod|__main__|__init__)\.(ts|tsx|mts|js|mjs|jsx|py|rs|go|rb|java|kt|c|cc|cpp|swift)$/i,
  /^makefile$/i,
  /^(architecture|overview|contributing|changelog)(\.(md|txt))?$/i
]

const readable =
  /\.(md|txt|rst|ts|tsx|mts|js|mjs|jsx|py|rs|go|rb|java|kt|c|h|cc|cpp|hpp|cs|swift|sh|sql|html|css|json|jsonl|toml|ya?ml|ini|csv)$/i
const generated = /(^|[-.])lock(\.|$)|-lock\.json$|\.min\.|\.d\.ts$/i

export const worthReading = ({ files }: Listing): ReadonlyArray<string> => {
  const known = preferred.flatMap((pattern) => files.find((name) => pattern.test(name)) ?? [])
  const others = files.filter((name) => readable.test(name) && !generated.test(name) && !name.startsWith("."))
  return (known.length > 0 ? known : others).slice(0, maxReads)
}

/** `LICENSE.md` is meant by "license"; `main.ts` is not meant by every "main". */
const matches = ({ isFolder, name }: Entry, words: ReadonlySet<string>): boolean => {
  if (words.has(name.toLowerCase())) return true
  const [stem = ""] = name.split(".")
  return !isFolder && stem.length > 3 && stem === stem.toUpperCase() && words.has(stem.toLowerCase())
}

export const mentioned = ({ files, folders }: Listing, words: ReadonlySet<string>): ReadonlyArray<Entry> =>
  [
    ...folders.map((name): Entry => ({ name, isFolder: true })),
    ...files.map((name): Entry => ({ name, isFolder: false }))
  ]
    .filter((entry) => matches(entry, words))
    .slice(0, maxReads)

/**
 * A repository in the form in which heddle shows it to git: its objects and refs behind links, and a configuration of
 * heddle's own. That of the repository can name programs in more ways than anybody can list, so git never runs with it. What
 * it says about files is copied, value by value.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import type { Means } from "./Claim.ts"
import type { Variables } from "./Git.ts"
import type { Repository } from "./Repository.ts"
import { failed, write } from "./Snapshot.ts"

/** What all worktrees share. git makes none of these when it works for heddle, so one that is missing may stay so. */
const shared = ["objects", "refs", "packed-refs", "info", "shallow"]
/** git makes these where they are missing; then they are heddle's. */
const sharedIfPresent = ["logs", "reftable"]

/** How files are stored and compared. None of these can name a program, a file or an address. */
const plain =
  /^(core\.(filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|logallrefupdates|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs)|extensions\.(objectformat|refstorage))$/
const plainValue = /^[\w-]{0,40}$/

/** Keys are in lower case, but for the part between the dots. */
type Values = ReadonlyMap<string, string>

/** From records `<key>\n<value>`, or `<key>` alone, which means true. */
const valuesIn = (output: string): Values =>
  new Map(
    output.split("\0").flatMap((record) => {
      const at = record.indexOf("\n")
      if (record === "") return []
      return [at < 0 ? [record, "true"] : [record.slice(0, at), record.slice(at + 1)]] as const
    })
  )

const none = { text: "", values: valuesIn("") }

/** A configuration, and its values, which do not count for git: it reads a copy, as any text. */
const read = Effect.fnUntraced(function* ({ files, git }: Means, scratch: string, path: string) {
  const text = yield* Effect.mapError(ReadText.readIfPresent(files, path), failed)
  if (Option.isNone(text)) return none
  const copy = LocalPaths.join(scratch, "configuration")
  yield* write(files, copy, new TextEncoder().encode(text.value))
  const output = yield* git.text({ cwd: scratch }, "config", "--file", copy, "--no-includes", "--null", "--list")
  return { text: text.value, values: valuesIn(output) }
})

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`

const section = (name: string, values: Values) => {
  const own = [...values].filter(
    ([key, value]) => key.startsWith(`${name}.`) && plain.test(key) && plainValue.test(value)
  )
  return own.map(([key, value]) => `\t${key.slice(name.length + 1)} = ${value}\n`).join("")
}

/** The names stay, without programs: files that need them are told apart by their attributes. */
const drivers = (values: Values) => {
  const names = new Set(
    [...values.keys()].flatMap((key) => {
      const [, kind, name] = /^(filter|merge)\.(.*)\.[^.]*$/s.exec(key) ?? []
      return kind === undefined || name === undefined ? [] : [`${kind} ${quoted(name)}`]
    })
  )
  return [...names]
    .map((name) => `[${name}]\n\t${name.startsWith("filter") ? "required" : "driver"} = false\n`)
    .join("")
}

/** The configuration that git gets. */
const render = (values: Values): string => {
  const extensions = section("extensions", values)
  const version = `\trepositoryformatversion = ${extensions === "" ? 0 : 1}\n`
  return `[core]\n${version}${section("core", values)}[extensions]\n${extensions}${drivers(values)}`
}

const folderIn = (scratch: string) => LocalPaths.join(scratch, "repository")

/** Writes the configuration that git gets, and returns the repository's for the one of an agent. */
const configure = Effect.fnUntraced(function* (means: Means, { common, dir }: Repository, scratch: string) {
  const { text, values } = yield* read(means, scratch, LocalPaths.join(common, "config"))
  const isSplit = values.get("extensions.worktreeconfig") === "true"
  const own = isSplit ? yield* read(means, scratch, LocalPaths.join(dir, "config.worktree")) : none
  const all = new Map([...values, ...own.values])
  const config = LocalPaths.join(folderIn(scratch), "config")
  yield* write(means.files, config, new TextEncoder().encode(render(all)))
  return { configuration: `${text}\n${own.text}`, isElsewhere: all.has("core.worktree") }
})

/** git for the repository, until the scratch folder is gone. Has no configuration yet. */
export const make = Effect.fnUntraced(function* ({ files, git }: Means, repository: Repository, scratch: string) {
  const { common, dir, root } = repository
  const folder = folderIn(scratch)
  yield* files.removeFolder(folder)
  yield* Effect.mapError(files.makeFolder(folder), failed)
  const present = yield* Effect.filter(sharedIfPresent, (name) =>
    Effect.map(
      Effect.orElseSucceed(files.state(LocalPaths.join(common, name)), () => undefined),
      (state) => state !== undefined
    )
  )
  for (const name of [...shared, ...present])
    yield* Effect.mapError(files.link(LocalPaths.join(common, name), LocalPaths.join(folder, name)), failed)
  return git.at({ GIT_DIR: dir, GIT_COMMON_DIR: folder, GIT_WORK_TREE: root }, [dir, common, root])
})

/** What the settings of a repository ask of calls. */
export interface Manners {
  /** Settings that replace every filter and merge driver: a repository must not choose programs that heddle runs. */
  readonly config: Variables
  /** The names of the filters. */
  readonly filters: ReadonlySet<string>
  readonly isSparse: boolean
  /** The configuration of the repository and of the worktree, and whether it says where the files are. */
  readonly configuration: string
  readonly isElsewhere: boolean
}

const silent = (key: string): ReadonlyArray<readonly [string, string]> => {
  const name = key.slice(0, key.lastIndexOf("."))
  if (key.startsWith("merge.")) return [[`${name}.driver`, "false"]]
  return [
    [`${name}.clean`, ""],
    [`${name}.smudge`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"]
  ]
}

const wanted = String.raw`^((filter|merge)\..*\..*|core\.sparsecheckout)$`

/** Asked before each piece of work: an agent may have changed the settings. */
export const manners = Effect.fnUntraced(function* (means: Means, repository: Repository, scratch: string) {
  const own = yield* configure(means, repository, scratch)
  const { output } = yield* means.git.end({ cwd: scratch }, "config", "--null", "--get-regexp", wanted)
  const entries = output.split("\0").map((entry) => entry.split("\n", 2))
  const isSparse = entries.some(([key, value]) => key === "core.sparsecheckout" && value !== "false")
  const keys = entries.flatMap(([key = ""]) => (/^(filter|merge)\./.test(key) ? [key] : []))
  const filters = keys.flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? [])
  const config = Object.fromEntries(keys.flatMap(silent))
  return { config, filters: new Set(filters), isSparse, ...own } satisfies Manners
})

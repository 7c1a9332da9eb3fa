/** Reads the settings files of the user and of the project. What cannot be read is reported, never fatal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import type { SettingsSource } from "./SettingsMerge.ts"

/** The file of omp and its family, in a project or in the agent folder: only its settings of tasks count (protocol.md 18). */
export const ofPeers = "omp.jsonc"

/** Of two in a row the later one wins, key by key. So it is in the agent folder. */
const names = [ofPeers, ".heddle/heddle.jsonc", ".heddle/settings.json"]

/** The folder of pi, whose extensions heddle loads. Without `extensions` in it nothing of it counts. */
export const sharedRoot = ".pi"

/** The settings files of a project. */
export const pathsIn = (cwd: string): ReadonlyArray<string> => names.map((name) => `${cwd}/${name}`)

export const isOfPeers = (path: string): boolean => path.endsWith(`/${ofPeers}`)

/** What counts of the content of a file. The other settings of a peer have its own meaning. */
export const valuesIn = (path: string, content: unknown): unknown =>
  isOfPeers(path) && Predicate.isRecord(content)
    ? Object.fromEntries(Object.entries(content).filter(([name]) => name === "task" || name.startsWith("task.")))
    : content

const ownFiles = [ofPeers, "config.yml", "settings.json"]

export interface FilesRead {
  readonly sources: ReadonlyArray<SettingsSource>
  /** Sentences about files whose content is not settings at all. */
  readonly failures: ReadonlyArray<string>
  /** Files of the project that could not be read, which are part of the notice about trust. */
  readonly refused: ReadonlyArray<string>
}

export const nothing: FilesRead = { sources: [], failures: [], refused: [] }

const together = (read: ReadonlyArray<FilesRead>): FilesRead => ({
  sources: read.flatMap(({ sources }) => sources),
  failures: read.flatMap(({ failures }) => failures),
  refused: read.flatMap(({ refused }) => refused)
})

type Whose = Pick<SettingsSource, "isProject" | "isUntrusted">

const parse = (path: string, read: Option.Option<string>, whose: Whose): FilesRead => {
  if (Option.isNone(read)) return nothing
  const text = read.value
  const values = ReadText.parse(path, text)
  if (Either.isLeft(values))
    return { ...nothing, failures: [`${path} is ignored, it is not ${ReadText.language(path)}: ${values.left}`] }
  // An empty YAML file, or one with nothing but comments, is null.
  const content = valuesIn(path, values.right ?? {})
  return { ...nothing, sources: [{ name: path, values: content, text, ...whose, isOfPeers: isOfPeers(path) }] }
}

const readOwn = (files: Files, path: string) =>
  Effect.match(ReadText.readIfPresent(files, path), {
    onFailure: ({ message }): FilesRead => ({ ...nothing, failures: [message] }),
    onSuccess: (text) => parse(path, text, {})
  })

const readProject = (files: Files, cwd: string, trusted: boolean, path: string) =>
  Effect.match(ReadText.readIfPresent(files, path, trusted ? {} : { within: cwd }), {
    onFailure: ({ reason }): FilesRead => ({ ...nothing, refused: [`${path.slice(cwd.length + 1)} (${reason})`] }),
    onSuccess: (text) => parse(path, text, { isProject: true, isUntrusted: !trusted })
  })

export const ofProject = Effect.fnUntraced(function* (files: Files, cwd: string, trusted: boolean) {
  const found = yield* ReadText.present(files, pathsIn(cwd))
  return together(yield* Effect.forEach(found, (path) => readProject(files, cwd, trusted, path)))
})

/** The user's files, and whether the project may have settings. Most people have neither, so it is one look. */
export const ofUser = Effect.fnUntraced(function* (files: Files, agentDir: string, cwd: string) {
  const ofUser = ownFiles.map((name) => `${agentDir}/${name}`)
  // With the agent folder there, it is the user's.
  const ofProject = [`${cwd}/.heddle`, `${cwd}/${ofPeers}`].filter(
    (path) => path !== agentDir && !ofUser.includes(path)
  )
  const found = yield* ReadText.present(files, [...ofUser, ...ofProject])
  const own = found.filter((path) => !ofProject.includes(path))
  const hasProject = found.length > own.length
  return { own: together(yield* Effect.forEach(own, (path) => readOwn(files, path))), hasProject }
})

/** What is known about a project before its settings are read: the user's option, else the decision that they stored. */
import * as Effect from "effect/Effect"
import type { TrustLevel } from "../../../services/Trust.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Imports from "./Imports.ts"
import * as ProjectCode from "./ProjectCode.ts"
import * as TrustFile from "./TrustFile.ts"

export interface Decision {
  readonly level: TrustLevel
  readonly isDecided: boolean
  /** How the project differs from what the user decided about, in words. */
  readonly changes?: string
  /** The code that the decision is about, where it is one that was stored. */
  readonly code?: ReadonlyMap<string, string>
}

const undecided: Decision = { level: "untrusted", isDecided: false }

const longestList = 10

type Parts = Readonly<Record<string, string>>

/** The parts that are not as they were, and those that are not among them any more. */
const differing = (before: Parts, now: ReadonlyMap<string, string>) => ({
  changed: [...now]
    .filter(([path, digest]) => !Object.hasOwn(before, path) || before[path] !== digest)
    .map(([path]) => path),
  absent: Object.keys(before).filter((path) => !now.has(path))
})

/** The same in words. Without parts in the decision they cannot be named. */
const differences = Effect.fnUntraced(function* (
  before: Parts | undefined,
  now: ReadonlyMap<string, string>,
  cwd: string
) {
  if (before === undefined) return "changed"
  const { absent, changed } = differing(before, now)
  const files = yield* OwnFiles
  // A part that nothing leads to any more may still be there.
  const gone = yield* Effect.filter(absent, (path) =>
    Effect.match(files.state(LocalPaths.absolute(cwd, path)), {
      onFailure: () => true,
      onSuccess: (state) => state === undefined
    })
  )
  const all = [...changed, ...gone.map((path) => `${path} is gone`)]
  const more = all.length - longestList
  if (all.length === 0) return "changed"
  return all.slice(0, longestList).join(", ") + (more > 0 ? ` and ${more} more` : "")
})

/** Whether all that differs is named on the command line. That loads by the word of the user, who may be writing it. */
const isNamed = (
  before: Parts | undefined,
  now: ReadonlyMap<string, string>,
  named: ReadonlyArray<string>
): boolean => {
  if (before === undefined || named.length === 0) return false
  const { absent, changed } = differing(before, now)
  return [...changed, ...absent].every((path) => named.some((name) => path === name || path.startsWith(`${name}/`)))
}

/** Arguments of the command line as parts are named, by the path and by where it leads. */
const partsOf = (cwd: string, paths: ReadonlyArray<string>) =>
  Effect.forEach(paths, (given) =>
    Effect.gen(function* () {
      const path = LocalPaths.absolute(cwd, given)
      const real = yield* Effect.orElseSucceed((yield* OwnFiles).real(path), () => path)
      return [path, real].map((each) => LocalPaths.display(each, cwd))
    })
  ).pipe(Effect.map((names) => names.flat()))

/** `cwd` as a real path, by which decisions are stored. */
export const realLocation = Effect.fnUntraced(function* (location: ProjectCode.ProjectLocation) {
  const cwd = yield* Effect.orElseSucceed((yield* OwnFiles).real(location.cwd), () => location.cwd)
  return {
    ...location,
    cwd,
    roots: location.roots.map((root) => (root.startsWith(location.cwd) ? cwd + root.slice(location.cwd.length) : root))
  }
})

interface StoredOptions extends ProjectCode.ProjectLocation {
  /** Paths of extensions on the command line. */
  readonly named: ReadonlyArray<string>
}

/** Reads the project only where there is a decision that it may still fit. Most people have stored none. */
const fromFile = Effect.fnUntraced(function* ({ named: paths, ...given }: StoredOptions) {
  const files = yield* OwnFiles
  const state = yield* Effect.orElseSucceed(files.state(TrustFile.pathIn(given.agentDir)), () => ({}))
  if (state === undefined) return undecided
  const location = yield* realLocation(given)
  const stored = yield* TrustFile.find(location.agentDir, location.cwd)
  if (stored === undefined) return undecided
  const code = yield* ProjectCode.read(location)
  const named = code.digest === undefined ? [] : yield* partsOf(location.cwd, paths)
  const changed = (now: ReadonlyMap<string, string>) =>
    Effect.map(differences(stored.parts, now, location.cwd), (changes): Decision => ({ ...undecided, changes }))
  const isSame = code.digest === stored.digest
  // What an untrusted project imports is not looked at.
  if (!isSame && named.length === 0) return yield* changed(code.parts)
  const decided: Decision = { level: stored.decision, isDecided: true }
  if (stored.decision === "untrusted" || code.entries.length === 0) {
    return isSame || isNamed(stored.parts, code.parts, named) ? decided : yield* changed(code.parts)
  }
  const imported = yield* Imports.read(code, location.cwd)
  const parts = new Map([...code.parts, ...(imported?.parts ?? [])])
  if (imported === undefined) return yield* changed(parts)
  if ((isSame && imported.digest === stored.imports) || isNamed(stored.parts, parts, named)) {
    return { ...decided, code: new Map([...code.hashes, ...imported.hashes]) }
  }
  return yield* changed(parts)
})

export interface DecisionOptions extends StoredOptions {
  /** The user's or the embedder's word for this process. */
  readonly trusted: boolean | undefined
  /** Whether the folder has anything that trust is about. */
  readonly hasProject: boolean
}

export const decide = (options: DecisionOptions): Effect.Effect<Decision> => {
  if (options.trusted !== undefined) {
    return Effect.succeed({ level: options.trusted ? "trusted" : "untrusted", isDecided: true })
  }
  return options.hasProject ? fromFile(options) : Effect.succeed(undecided)
}

/** What is known about a project before its settings are read: the user's option, else the decision that they stored. */
import * as Effect from "effect/Effect"
import type { TrustLevel } from "../../services/Trust.ts"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
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

/** The parts that are not as they were. A decision without parts does not say which. */
const differences = (
  before: Readonly<Record<string, string>> | undefined,
  now: ReadonlyMap<string, string>
): string => {
  if (before === undefined) return "changed"
  const old = new Map(Object.entries(before))
  const changed = [...now].filter(([path, digest]) => old.get(path) !== digest).map(([path]) => path)
  const all = [...changed, ...[...old.keys()].filter((path) => !now.has(path)).map((path) => `${path} is gone`)]
  const more = all.length - longestList
  return all.slice(0, longestList).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

/** `cwd` as a real path, by which decisions are stored. */
export const realPlace = Effect.fnUntraced(function* (place: ProjectCode.ProjectPlace) {
  const cwd = yield* Effect.orElseSucceed((yield* OwnFiles).real(place.cwd), () => place.cwd)
  return {
    ...place,
    cwd,
    roots: place.roots.map((root) => (root.startsWith(place.cwd) ? cwd + root.slice(place.cwd.length) : root))
  }
})

/** Reads the project only where there is a decision that it may still fit. Most people have stored none. */
const fromFile = Effect.fnUntraced(function* (given: ProjectCode.ProjectPlace) {
  const files = yield* OwnFiles
  const state = yield* Effect.orElseSucceed(files.state(TrustFile.pathIn(given.agentDir)), () => ({}))
  if (state === undefined) return undecided
  const place = yield* realPlace(given)
  const stored = yield* TrustFile.find(place.agentDir, place.cwd)
  if (stored === undefined) return undecided
  const code = yield* ProjectCode.read(place)
  // What an untrusted project imports is not looked at.
  if (code.digest !== stored.digest) return { ...undecided, changes: differences(stored.parts, code.parts) }
  const decided: Decision = { level: stored.decision, isDecided: true }
  if (stored.decision === "untrusted" || code.entries.length === 0) return decided
  const imported = yield* Imports.read(code, place.cwd)
  if (imported !== undefined && imported.digest === stored.imports) {
    return { ...decided, code: new Map([...code.hashes, ...imported.hashes]) }
  }
  return { ...undecided, changes: differences(stored.parts, new Map([...code.parts, ...(imported?.parts ?? [])])) }
})

export interface DecisionOptions extends ProjectCode.ProjectPlace {
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

/** Merges layers of settings into one set of values (protocol.md 18). Pure. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { defaults, marked, SettingsValues } from "../../services/Settings.ts"
import { type Marks, marksOf } from "../../services/settings/Setting.ts"
import * as Keys from "./Keys.ts"

/** Where values come from: a file's path, or the command line. */
export interface SettingsSource {
  readonly name: string
  readonly values: unknown
  /** The content of a file, to say in which line a setting stands. */
  readonly text?: string
  /** The file of a project. It can only make stricter what protects the user. */
  readonly isProject?: boolean
  /** The file of a project that the user does not trust: only settings that are free for projects count. */
  readonly isUntrusted?: boolean
  /** The file of another program, which may have settings that heddle does not know. */
  readonly isOfPeers?: boolean
  /** Settings that rpc mode resets go back to these values here, else to their defaults (protocol.md 1.3). */
  readonly isReset?: boolean
}

export interface SettingLocation {
  readonly source: SettingsSource
  /** The names in the file that lead to the setting. */
  readonly path: ReadonlyArray<string>
}

export interface Origin {
  /** Several where objects were merged, the last one on top. */
  readonly locations: ReadonlyArray<SettingLocation>
  /** These files set the value in vain: rpc mode has reset it. */
  readonly isReset: boolean
}

export interface Problem extends SettingLocation {
  /** The setting, if there is one of this name. */
  readonly key: string | undefined
  readonly kind: "not an object" | "unknown" | "group" | "wrong type" | "planned"
  readonly value: unknown
}

export interface Merged {
  readonly values: SettingsValues
  /** Ignored values, in the order of the sources. */
  readonly problems: ReadonlyArray<Problem>
  /** The settings that a project set and may not set, each once. */
  readonly leftOut: ReadonlyArray<string>
  /** Those that a project, trusted or not, wanted looser than the user has them. */
  readonly tooLoose: ReadonlyArray<string>
  /** Where values come from, by setting. What is not among them has its default. */
  readonly origins: ReadonlyMap<string, Origin>
}

/** No map of settings is nested deeper, and a file may nest thousands of objects. */
const deepest = 8

/** Objects are merged, everything else is replaced. */
const combined = (before: unknown, value: unknown, depth = 0): unknown => {
  if (!Predicate.isRecord(before) || !Predicate.isRecord(value) || depth === deepest) return value
  const members = Object.entries(value).map(([name, member]) => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    return [name, combined(old, member, depth + 1)] as const
  })
  return { ...before, ...Object.fromEntries(members) }
}

interface State {
  readonly values: Map<string, unknown>
  readonly origins: Map<string, Origin>
  readonly leftOut: Set<string>
  readonly tooLoose: Set<string>
  /** Settings of projects that come last, because no other source may make them looser. */
  readonly stricter: Array<{ readonly source: SettingsSource; readonly member: Keys.Member }>
  readonly problems: Array<Problem>
}

const apply = (state: State, source: SettingsSource, { key, path, value }: Keys.Member) => {
  const { origins, problems, values } = state
  const type = key === undefined ? undefined : Keys.known().types.get(key)
  const report = (kind: Problem["kind"]) => problems.push({ source, path, key, kind, value })
  if (key === undefined || type === undefined) {
    if (source.isOfPeers !== true) report(Keys.known().groups.has(path.join(".")) ? "group" : "unknown")
  } else if (source.isProject === true && marksOf(type).tightens !== undefined) {
    state.stricter.push({ source, member: { key, path, value } })
  } else if (source.isUntrusted === true && marksOf(type).free !== true) {
    state.leftOut.add(key)
  } else {
    const before = values.get(key)
    const next = Schema.decodeUnknownEither(Schema.make<unknown>(type))(combined(before, value))
    if (Either.isLeft(next)) return report("wrong type")
    values.set(key, next.right)
    const old = origins.get(key)
    const below = Predicate.isRecord(before) && old?.isReset === false ? old.locations : []
    origins.set(key, { locations: [...below, { source, path }], isReset: false })
    if (marksOf(type).planned === true) report("planned")
  }
}

const reset = ({ origins, values }: State, { values: own }: SettingsSource) => {
  const base = new Map<string, unknown>(Object.entries({ ...defaults, ...(Predicate.isRecord(own) ? own : {}) }))
  const fixed = marked("reset")
  for (const [key, { locations }] of origins) {
    const before = values.get(key)
    // What is in force already was not set in vain.
    if (!fixed.has(key) || before === base.get(key)) continue
    values.set(key, base.get(key))
    origins.set(key, { locations, isReset: true })
  }
}

/** What a project makes of a value that protects the user; undefined where that would be no stricter. */
const stricter = (tightens: Marks["tightens"], before: unknown, value: unknown): unknown => {
  if (tightens === "adds") return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  if (tightens === undefined || tightens === "never") return undefined
  const [old, next] = [before, value].map((one) => tightens.findIndex((step) => step === one))
  return (next ?? 0) > Math.max(0, old ?? 0) ? value : undefined
}

const tighten = (state: State, { member, source }: State["stricter"][number]) => {
  const { key = "", value } = member
  const type = Keys.known().types.get(key)
  const before = state.values.get(key)
  const next = type === undefined ? undefined : stricter(marksOf(type).tightens, before, value)
  // A value of the wrong type is reported as in any other file.
  const isWrong = type !== undefined && Either.isLeft(Schema.decodeUnknownEither(Schema.make<unknown>(type))(value))
  if (next !== undefined || isWrong)
    apply(state, { ...source, isProject: false, isUntrusted: false }, { ...member, value: next ?? value })
  else if (value !== before) state.tooLoose.add(key)
}

const hasSettings = ({ values }: SettingsSource) => !Predicate.isRecord(values) || Object.keys(values).length > 0

/** Later sources win, member by member; a value of the wrong type leaves the one before it in force. */
export const merge = (sources: ReadonlyArray<SettingsSource>): Merged => {
  const state: State = {
    values: new Map(),
    origins: new Map(),
    problems: [],
    leftOut: new Set(),
    tooLoose: new Set(),
    stricter: []
  }
  const { leftOut, origins, problems, tooLoose } = state
  if (!sources.some(hasSettings)) return { values: defaults, problems, leftOut: [], tooLoose: [], origins }
  for (const [key, value] of Object.entries(defaults)) state.values.set(key, value)
  for (const source of sources) {
    const { values } = source
    if (source.isReset === true) reset(state, source)
    else if (!Predicate.isRecord(values)) {
      problems.push({ source, path: [], key: undefined, kind: "not an object", value: values })
    } else for (const member of Keys.members(values)) apply(state, source, member)
  }
  for (const one of state.stricter) tighten(state, one)
  // Every value has been checked by itself, so this gives them their types.
  const values = Schema.decodeUnknownEither(SettingsValues)(Object.fromEntries(state.values))
  return {
    values: Either.getOrElse(values, () => defaults),
    problems,
    leftOut: [...leftOut],
    tooLoose: [...tooLoose],
    origins
  }
}

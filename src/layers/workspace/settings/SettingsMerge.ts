/** Merges layers of settings into one set of values (protocol.md 18). Pure. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { defaults, marked, SettingsValues } from "../../../services/Settings.ts"
import { marksOf } from "../../../services/settings/Setting.ts"
import * as Keys from "./Keys.ts"

/** Where values come from: a file's path, or the command line. */
export interface SettingsSource {
  readonly name: string
  readonly values: unknown
  /** The content of a file, to say in which line a setting stands. */
  readonly text?: string
  /** The file of a project that the user does not trust: only settings that are free for projects count. */
  readonly isUntrusted?: boolean
  /** The file of a project, which cannot loosen what protects the user, whether it is trusted or not. */
  readonly isProject?: boolean
  /** The defaults of the mode that heddle was started in. */
  readonly isInitial?: boolean
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
  /** Those that would loosen what protects the user, which no trust allows a project. */
  readonly loosening: ReadonlyArray<string>
  /** What a project has tightened, by setting. */
  readonly tightened: ReadonlyMap<string, unknown>
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

const decode = (type: SchemaAST.AST, value: unknown) => Schema.decodeUnknownEither(Schema.make<unknown>(type))(value)

const joined = (before: unknown, value: unknown): unknown =>
  Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value

/** The literals of a type, in their order. */
const literals = (type: SchemaAST.AST): ReadonlyArray<unknown> =>
  SchemaAST.isUnion(type) ? type.types.flatMap((one) => (SchemaAST.isLiteral(one) ? one.literal : [])) : []

/** The value in force with what a project says; undefined if that would loosen it. */
const stricter = (type: SchemaAST.AST, before: unknown, value: unknown): unknown => {
  switch (marksOf(type).project) {
    case "more":
      return joined(before, value)
    case "stricter": {
      // Without a value, the loosest is in force.
      const [least, most] = [Math.max(0, literals(type).indexOf(before)), literals(type).indexOf(value)]
      if (most > least) return value
      return value === before ? before : undefined
    }
    case "lower":
      return Number(value) <= Number(before) ? value : undefined
    default:
      return undefined
  }
}

interface State {
  readonly values: Map<string, unknown>
  readonly origins: Map<string, Origin>
  readonly leftOut: Set<string>
  readonly loosening: Set<string>
  readonly tightened: Map<string, unknown>
  /** What projects say about settings that protect the user: it comes behind everything else. */
  readonly late: Array<readonly [SettingsSource, Keys.Member]>
  readonly problems: Array<Problem>
}

const apply = (state: State, source: SettingsSource, { key, path, value }: Keys.Member) => {
  const { origins, problems, values } = state
  const type = key === undefined ? undefined : Keys.known().types.get(key)
  const report = (kind: Problem["kind"]) => problems.push({ source, path, key, kind, value })
  if (key === undefined || type === undefined) {
    if (source.isOfPeers !== true) report(Keys.known().groups.has(path.join(".")) ? "group" : "unknown")
  } else if (source.isProject === true && marksOf(type).project !== undefined) {
    state.late.push([source, { key, path, value }])
  } else if (source.isUntrusted === true && marksOf(type).free !== true) {
    state.leftOut.add(key)
  } else {
    const before = values.get(key)
    const next = decode(type, marksOf(type).adds === true ? joined(before, value) : combined(before, value))
    if (Either.isLeft(next)) return report("wrong type")
    values.set(key, next.right)
    const old = origins.get(key)
    const below = Predicate.isRecord(before) && old?.isReset === false ? old.locations : []
    origins.set(key, { locations: [...below, { source, path }], isReset: false })
    if (marksOf(type).planned === true) report("planned")
  }
}

/** Whether the value is a default of the mode, and nobody has asked for it. */
export const isInitial = (origin: Origin | undefined): boolean =>
  origin !== undefined && origin.locations.every(({ source }) => source.isInitial === true)

/** What a project says about a setting that protects the user: it counts if it makes that protection stricter. */
const tighten = (state: State, source: SettingsSource, { key, path, value }: Keys.Member) => {
  const { loosening, origins, problems, tightened, values } = state
  const type = key === undefined ? undefined : Keys.known().types.get(key)
  if (key === undefined || type === undefined) return
  const said = decode(type, value)
  if (Either.isLeft(said)) return problems.push({ source, path, key, kind: "wrong type", value })
  const before = values.get(key)
  const next = stricter(type, before, said.right)
  if (next === undefined) return loosening.add(key)
  // Who wants what the mode has by default wants it in earnest.
  if (next === before && !isInitial(origins.get(key))) return
  values.set(key, next)
  tightened.set(key, said.right)
  const old = marksOf(type).adds === true ? (origins.get(key)?.locations ?? []) : []
  origins.set(key, { locations: [...old, { source, path }], isReset: false })
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

const hasSettings = ({ values }: SettingsSource) => !Predicate.isRecord(values) || Object.keys(values).length > 0

/** Later sources win, member by member; a value of the wrong type leaves the one before it in force. */
export const merge = (sources: ReadonlyArray<SettingsSource>): Merged => {
  const state: State = {
    values: new Map(),
    origins: new Map(),
    leftOut: new Set(),
    loosening: new Set(),
    tightened: new Map(),
    late: [],
    problems: []
  }
  const { late, leftOut, loosening, origins, problems, tightened } = state
  if (!sources.some(hasSettings)) {
    return { values: defaults, problems, leftOut: [], loosening: [], tightened, origins }
  }
  for (const [key, value] of Object.entries(defaults)) state.values.set(key, value)
  for (const source of sources) {
    const { values } = source
    if (source.isReset === true) reset(state, source)
    else if (!Predicate.isRecord(values)) {
      problems.push({ source, path: [], key: undefined, kind: "not an object", value: values })
    } else for (const member of Keys.members(values)) apply(state, source, member)
  }
  for (const [source, member] of late) tighten(state, source, member)
  // Every value has been checked by itself, so this gives them their types.
  const values = Schema.decodeUnknownEither(SettingsValues)(Object.fromEntries(state.values))
  return {
    values: Either.getOrElse(values, () => defaults),
    problems,
    leftOut: [...leftOut],
    loosening: [...loosening],
    tightened,
    origins
  }
}

/** Merges layers of settings into one set of values (protocol.md 18). Pure. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { defaults, marked, SettingsValues } from "../../services/Settings.ts"

/** Where values come from: a file's path, or the command line. */
export interface SettingsSource {
  readonly name: string
  readonly values: unknown
  /** The file of a project that the user has not said they trust: only settings that are free for projects count. */
  readonly isUntrusted?: boolean
}

export interface Merged {
  readonly values: SettingsValues
  /** One sentence for each ignored value: which and why. */
  readonly problems: ReadonlyArray<string>
  /** The settings that a project set and may not set, each once. */
  readonly leftOut: ReadonlyArray<string>
}

/** The schema is built when there is a setting to check, because most people have none. */
const isKnown = (key: string) => Object.hasOwn(SettingsValues().fields, key)

/** No setting has a name of more parts, and a file may nest thousands of objects. */
const deepest = 8

/** Turns nested objects into dotted keys, except for an object that is the value of a setting. */
const flatten = (
  value: Readonly<Record<string, unknown>>,
  prefix = "",
  depth = 1
): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).flatMap(([key, member]) => {
    if (!Predicate.isRecord(member) || isKnown(`${prefix}${key}`)) return [[`${prefix}${key}`, member] as const]
    return depth === deepest ? [] : flatten(member, `${prefix}${key}.`, depth + 1)
  })

const longestShown = 200

const show = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

/** Objects are merged, everything else is replaced. */
const combined = (before: unknown, value: unknown): unknown =>
  Predicate.isRecord(before) && Predicate.isRecord(value) ? { ...before, ...value } : value

const compile = () => Schema.decodeUnknownEither(SettingsValues())

/** Later sources win, member by member; a value of the wrong type leaves the one before it in force. */
export const merge = (sources: ReadonlyArray<SettingsSource>): Merged => {
  let decode: ReturnType<typeof compile> | undefined
  let values: SettingsValues = defaults
  const problems: Array<string> = []
  const leftOut = new Set<string>()
  for (const source of sources) {
    if (!Predicate.isRecord(source.values)) {
      problems.push(`${source.name}: expected an object of settings`)
      continue
    }
    const allowed = source.isUntrusted === true ? marked("free") : undefined
    for (const [key, value] of flatten(source.values)) {
      if (!isKnown(key)) continue
      if (allowed?.has(key) === false) {
        leftOut.add(key)
        continue
      }
      const before = new Map<string, unknown>(Object.entries(values)).get(key)
      const next = (decode ??= compile())({ ...values, [key]: combined(before, value) })
      if (Either.isRight(next)) values = next.right
      else problems.push(`${source.name}: ${key} has a value that does not fit: ${show(value)}`)
    }
  }
  return { values, problems, leftOut: [...leftOut] }
}

/** Merges layers of settings into one set of values (protocol.md 18). Pure. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { defaults, SettingsValues } from "../../services/Settings.ts"

/** Where values come from: a file's path, or the command line. */
export interface SettingsSource {
  readonly name: string
  readonly values: unknown
  /** Came with the project, so its author may not be the person who runs heddle. */
  readonly isProject?: boolean
}

/** Settings with which a project could run code as soon as heddle starts in its folder. */
const personal = new Set(["shellPath", "shellCommandPrefix"])

export interface Merged {
  readonly values: SettingsValues
  /** One sentence for each ignored value: which and why. */
  readonly problems: ReadonlyArray<string>
}

/** The schema is built when there is a setting to check, because most people have none. */
const isKnown = (key: string) => Object.hasOwn(SettingsValues().fields, key)

/** Turns nested objects into dotted keys, except for an object that is the value of a setting. */
const flatten = (value: Readonly<Record<string, unknown>>, prefix = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).flatMap(([key, member]) =>
    Predicate.isRecord(member) && !isKnown(`${prefix}${key}`)
      ? flatten(member, `${prefix}${key}.`)
      : [[`${prefix}${key}`, member] as const]
  )

const compile = () => Schema.decodeUnknownEither(SettingsValues())

/** Later sources win, member by member; a value of the wrong type leaves the one before it in force. */
export const merge = (sources: ReadonlyArray<SettingsSource>): Merged => {
  let decode: ReturnType<typeof compile> | undefined
  let values: SettingsValues = defaults
  const problems: Array<string> = []
  for (const source of sources) {
    if (!Predicate.isRecord(source.values)) {
      problems.push(`${source.name}: expected an object of settings`)
      continue
    }
    for (const [key, value] of flatten(source.values)) {
      if (!isKnown(key)) continue
      if (source.isProject === true && personal.has(key)) {
        problems.push(`${source.name}: ${key} counts only in your own settings or with --set`)
        continue
      }
      const next = (decode ??= compile())({ ...values, [key]: value })
      if (Either.isRight(next)) values = next.right
      else problems.push(`${source.name}: ${key} has a value that does not fit: ${JSON.stringify(value)}`)
    }
  }
  return { values, problems }
}

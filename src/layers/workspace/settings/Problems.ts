/** The sentences about settings that were ignored. Names come from files, so they are shortened and made printable. */
import * as Text from "../../../domain/Text.ts"
import { of as typeText } from "../../../services/settings/TypeText.ts"
import * as Keys from "./Keys.ts"
import { nearest } from "./Nearest.ts"
import * as Positions from "./Positions.ts"
import type { SettingLocation, Problem, SettingsSource } from "./SettingsMerge.ts"

const most = 20
const longestName = 100
/** A longer text may be a key that landed in the wrong setting. */
const longestValue = 24

export const shown = (name: string): string => Text.name(name, longestName)

const show = (value: unknown): string => {
  if (typeof value === "string") {
    return value.length > longestValue ? `a text of ${value.length} characters` : JSON.stringify(shown(value))
  }
  if (Array.isArray(value)) return "a list that does not fit"
  return typeof value === "object" && value !== null ? "an object that does not fit" : String(value)
}

/** Says where members stand. Reads every source at most once. */
export const locator = () => {
  const known = new Map<SettingsSource, ReturnType<typeof Positions.of>>()
  return ({ path, source }: SettingLocation): Positions.Position | undefined => {
    if (source.text === undefined) return undefined
    const find = known.get(source) ?? Positions.of(source.name, source.text)
    known.set(source, find)
    return find(path)
  }
}

/** The setting that was probably meant. */
export const meant = (name: string): string | undefined => {
  const { groups, types } = Keys.known()
  return nearest(name, [...types.keys(), ...groups])
}

const guess = (name: string): string => {
  const found = meant(name)
  return found === undefined ? "" : ` Did you mean ${found}?`
}

const words = ({ key, kind, path, value }: Problem): string => {
  const name = path.join(".")
  switch (kind) {
    case "not an object":
      return `expected an object of settings, got ${show(value)}`
    case "unknown":
      return `${shown(name)} is not a setting.${guess(name)}`
    case "group":
      return `${name} is a group of settings: expected an object, got ${show(value)}`
    case "planned":
      return `${name} has no effect yet: heddle does not have this feature`
    case "wrong type": {
      const type = Keys.known().types.get(key ?? name)
      return `${shown(key ?? name)}: expected ${type === undefined ? "another type" : typeText(type)}, got ${show(value)}`
    }
  }
}

/** One sentence each, and one for those that are too many. */
export const sentences = (problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  const locate = locator()
  const shown = problems.slice(0, most).map((problem) => {
    const at = locate(problem)
    return `${problem.source.name}${at === undefined ? "" : `:${at.line}:${at.column}`}: ${words(problem)}`
  })
  const more = problems.length - shown.length
  return more > 0 ? [...shown, `and ${more} more like these`] : shown
}

/** For the host; `sentences` is not empty. */
export const notice = (sentences: ReadonlyArray<string>): string =>
  ["Some settings have no effect; docs/settings.md lists all that there are.", ...sentences].join("\n- ")

/** Every setting with its value in force and where that comes from. */
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"
import { mask as maskUrl } from "../../../domain/model/BaseUrl.ts"
import { defined } from "../../../domain/Values.ts"
import { defaults, type SettingsValues } from "../../../services/Settings.ts"
import { type Marks, marksOf } from "../../../services/settings/Setting.ts"
import * as TypeText from "../../../services/settings/TypeText.ts"
import * as Keys from "./Keys.ts"
import { locator } from "./Problems.ts"
import type { Origin, SettingLocation } from "./SettingsMerge.ts"

/** `name` is a path, an option, or a variable. */
export interface Source {
  readonly name: string
  readonly line?: number
  readonly column?: number
}

export interface Effective extends Marks {
  readonly key: string
  readonly type: string
  readonly description: string
  /** Absent if the setting has none. */
  readonly value?: unknown
  readonly default?: unknown
  /** Empty for a default; several where objects were merged, the last one on top. */
  readonly sources: ReadonlyArray<Source>
  /** The sources count for nothing, because rpc mode resets the setting. */
  readonly isReset: boolean
}

/** Texts as people may see them; the names in objects are no secrets. */
const masked = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === "string") return mask(maskUrl(value))
  if (Array.isArray(value)) return value.map((member) => masked(member, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member, mask)]))
}

export const list = (
  values: SettingsValues,
  origins: ReadonlyMap<string, Origin>,
  mask: (text: string) => string
): ReadonlyArray<Effective> => {
  const locate = locator()
  const sourceOf = (location: SettingLocation): Source => ({ name: location.source.name, ...locate(location) })
  const inForce = new Map<string, unknown>(Object.entries(values))
  const builtIn = new Map<string, unknown>(Object.entries(defaults))
  return [...Keys.known().types].map(([key, type]) => {
    const origin = origins.get(key)
    return {
      key,
      ...defined({ value: masked(inForce.get(key), mask), default: builtIn.get(key) }),
      type: TypeText.of(type),
      description: Option.getOrElse(SchemaAST.getDescriptionAnnotation(type), () => ""),
      ...marksOf(type),
      sources: (origin?.locations ?? []).map(sourceOf),
      isReset: origin?.isReset ?? false
    }
  })
}

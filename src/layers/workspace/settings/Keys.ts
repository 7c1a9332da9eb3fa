/** Which settings there are, and how the members of a file, nested or dotted, name them. Pure. */
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import { once } from "../../../domain/Values.ts"
import { SettingsValues } from "../../../services/Settings.ts"
import { isMap } from "../../../services/settings/TypeText.ts"

interface Known {
  /** The type of each setting. */
  readonly types: ReadonlyMap<string, SchemaAST.AST>
  /** What comes before a dot in the name of a setting. It may be the name of a setting, too. */
  readonly groups: ReadonlySet<string>
}

const read = (): Known => {
  const types = new Map<string, SchemaAST.AST>()
  const groups = new Set<string>()
  for (const { name, type } of SchemaAST.getPropertySignatures(SettingsValues.ast)) {
    const key = String(name)
    types.set(key, type)
    for (let dot = key.indexOf("."); dot > 0; dot = key.indexOf(".", dot + 1)) groups.add(key.slice(0, dot))
  }
  return { types, groups }
}

/** Read from the schema when there is a setting to check, because most people have none. */
export const known = once(read)

/** One member of a file. */
export interface Member {
  /** The names in the file that lead to it. */
  readonly path: ReadonlyArray<string>
  /** The setting that it belongs to; undefined if there is none. */
  readonly key: string | undefined
  readonly value: unknown
}

/** `retry.fallbackChains.default` is a member of the map `retry.fallbackChains`. */
const memberOfMap = (name: string, value: unknown): Pick<Member, "key" | "value"> | undefined => {
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const key = name.slice(0, dot)
    const type = known().types.get(key)
    if (type !== undefined) return isMap(type) ? { key, value: { [name.slice(dot + 1)]: value } } : undefined
  }
  return undefined
}

/** For editors, which look the file's schema up by it. */
const isForEditors = (path: ReadonlyArray<string>) => path.length === 1 && path[0] === "$schema"

/** Goes only as deep as groups do, however deep a file is nested. */
export function* members(
  values: Readonly<Record<string, unknown>>,
  above: ReadonlyArray<string> = []
): Generator<Member, void> {
  const { groups, types } = known()
  for (const [name, value] of Object.entries(values)) {
    const path = [...above, name]
    const key = path.join(".")
    if (groups.has(key) && Predicate.isRecord(value)) yield* members(value, path)
    else if (types.has(key)) yield { path, key, value }
    else if (!isForEditors(path)) yield { path, key: undefined, value, ...memberOfMap(key, value) }
  }
}

/** What the package.json of a folder says about extensions, skills and prompt templates. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../domain/Json.ts"
import { defined } from "../../../domain/Values.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import { type Look, readOptions } from "./Look.ts"

export const kinds = ["extensions", "skills", "prompts"] as const
export type Kind = (typeof kinds)[number]

export interface Manifest {
  readonly name?: string
  readonly version?: string
  /** Paths and patterns by kind. Absent if the package lists no resources at all. */
  readonly resources?: { readonly [K in Kind]: ReadonlyArray<string> }
}

/** The names under which agents of the family keep their part; the first that lists resources counts. */
const owners = ["heddle", "pi", "omp"]
const longestList = 1000

const listOf = (value: unknown): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return [value]
  return Array.isArray(value) ? value.filter(Predicate.isString).slice(0, longestList) : undefined
}

const resourcesOf = (part: unknown): Manifest["resources"] => {
  if (!Predicate.isRecord(part)) return undefined
  const [extensions, skills, prompts] = [listOf(part["extensions"]), listOf(part["skills"]), listOf(part["prompts"])]
  if (extensions === undefined && skills === undefined && prompts === undefined) return undefined
  return { extensions: extensions ?? [], skills: skills ?? [], prompts: prompts ?? [] }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Undefined if the folder has no manifest, or one that cannot be read, which is reported. */
export const read = Effect.fnUntraced(function* (look: Look, folder: string) {
  const { files, report } = look
  const path = `${folder}/package.json`
  const text = yield* Effect.either(ReadText.readIfPresent(files, path, readOptions(look)))
  if (Either.isLeft(text)) {
    report(path, text.left.reason)
    return undefined
  }
  if (Option.isNone(text.right)) return undefined
  const parsed = Either.filterOrLeft(Json.parseBounded(text.right.value), Predicate.isRecord, () => "it is no object")
  if (Either.isLeft(parsed)) {
    report(path, `is not a manifest in JSON: ${parsed.left}`)
    return undefined
  }
  const values = parsed.right
  const resources = owners.map((owner) => resourcesOf(values[owner])).find((found) => found !== undefined)
  const [name, version] = [textOf(values["name"]), textOf(values["version"])]
  const manifest: Manifest = defined({ name, version, resources })
  return manifest
})

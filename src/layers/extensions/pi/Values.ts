/** Reads what extensions pass and return, which may be anything. */
import * as Predicate from "effect/Predicate"
import type { InputContent, JsonObject } from "../../../domain/conversation/Content.ts"
import { isInput } from "../../../domain/session/EntryShape.ts"

export type Handler = (...args: ReadonlyArray<unknown>) => unknown

export const isHandler = (value: unknown): value is Handler => typeof value === "function"

export const isRecord = (value: unknown): value is JsonObject => Predicate.isRecord(value)

/** The members of an options object, or none where it was left out. */
export const options = (value: unknown): JsonObject => (isRecord(value) ? value : {})

export const textIn = (record: JsonObject, key: string): string | undefined => {
  const value = record[key]
  return typeof value === "string" ? value : undefined
}

export const textsIn = (record: JsonObject, key: string): ReadonlyArray<string> | undefined => {
  const value = record[key]
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined
}

export const handlerIn = (record: JsonObject, key: string): Handler | undefined => {
  const value = record[key]
  return isHandler(value) ? (...args) => value.apply(record, [...args]) : undefined
}

/** An object with a member that is left out where there is no value. */
export const member = <K extends string, A>(key: K, value: A | undefined): { readonly [Key in K]?: A } => {
  const found: { [Key in K]?: A } = {}
  if (value !== undefined) found[key] = value
  return found
}

/** Names, ids and paths: the host is shown some of them again and again. */
const longestName = 4096

export const wantText = (value: unknown, what: string): string => {
  if (typeof value !== "string" || value === "") throw new TypeError(`${what} must be a text that is not empty`)
  if (value.length > longestName) throw new TypeError(`${what} must have at most ${longestName} characters`)
  return value
}

export const wantRecord = (value: unknown, what: string): JsonObject => {
  if (isRecord(value)) return value
  throw new TypeError(`${what} must be an object`)
}

export const wantHandler = (value: unknown, what: string): Handler => {
  if (isHandler(value)) return value
  throw new TypeError(`${what} must be a function`)
}

/** Texts and images, as messages hold them. */
export const contentOf = (value: unknown): string | ReadonlyArray<InputContent> | undefined => {
  if (typeof value === "string") return value
  return Array.isArray(value) && value.every(isInput) ? value : undefined
}

/** Deep copies of plain values, so that an extension changes only its own. Texts are shared. */
export const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  const members = Object.entries(value).filter(([, child]) => child !== undefined)
  return Object.fromEntries(members.map(([key, child]) => [key, copyOf(child)]))
}

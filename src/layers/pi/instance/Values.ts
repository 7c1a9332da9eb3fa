/** Reads what extensions pass and return, which may be anything. */
import * as Predicate from "effect/Predicate"
import * as Either from "effect/Either"
import { type InputContent, type JsonObject, text } from "../../../domain/conversation/Content.ts"
import * as Caller from "../../machine/foreign/Caller.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"

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
  return Array.isArray(value) ? Array.from(value).filter((item) => typeof item === "string") : undefined
}

/** It is called for the session in which it was handed over. */
export const handlerIn = (record: JsonObject, key: string): Handler | undefined => {
  const value = record[key]
  return isHandler(value) ? Caller.bound((...args) => Reflect.apply(value, record, args)) : undefined
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

/** Data without code of the extension, which would run wherever it is read later. Throws if it cannot be made JSON. */
export const plainOf = (value: unknown): unknown =>
  Either.getOrThrowWith(JsonValue.plain(value), (problem) => new TypeError(`the value ${problem}`))

/** The same for a member that is an object. */
export const plainIn = (record: JsonObject, key: string): JsonObject | undefined => {
  const value = record[key]
  const plain = isRecord(value) ? plainOf(value) : undefined
  return isRecord(plain) ? plain : undefined
}

/** More blocks are a mistake of the extension. */
const mostBlocks = 10_000

const blockOf = (block: unknown): ReadonlyArray<InputContent> => {
  const { data, mimeType, text: words, type } = options(block)
  if (type === "text" && typeof words === "string") return [text(words)]
  return type === "image" && typeof data === "string" && typeof mimeType === "string" ? [{ type, data, mimeType }] : []
}

/** Texts and images, as messages hold them. */
export const contentOf = (value: unknown): string | ReadonlyArray<InputContent> | undefined => {
  if (typeof value === "string") return value
  if (!Array.isArray(value) || value.length > mostBlocks) return undefined
  const blocks = Array.from({ length: value.length }, (_, at) => blockOf(value[at])).flat()
  return blocks.length === value.length ? blocks : undefined
}

/** Deep copies of plain values, so that an extension changes only its own. Texts are shared. */
export const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  const members = Object.entries(value).filter(([, child]) => child !== undefined)
  return Object.fromEntries(members.map(([key, child]) => [key, copyOf(child)]))
}

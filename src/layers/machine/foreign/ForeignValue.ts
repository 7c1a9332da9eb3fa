/**
 * What a value of others says and where an error of others was thrown. Nothing of the value runs: no getter, no `toString`, no
 * trap of a Proxy. The functions of the engine are those that were there when heddle started.
 */
import { types } from "node:util"
import * as Attempt from "../engine/Attempt.ts"

const { isNativeError, isProxy } = types
const { apply, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
const { hasOwn } = Object
const { isArray } = Array
const toText = String

const longest = 8192
const longestStack = 32_768
const mostErrors = 5
const mostCauses = 5
const mostPrototypes = 32

const cut = (text: string, most = longest) => (text.length <= most ? text : `${text.slice(0, most)}… (cut)`)

/** Classes of the engine keep these behind getters of their own, which look at nothing that others can change. */
const engineGetters: ReadonlySet<unknown> = new Set(
  ["DOMException", "BuildMessage", "ResolveMessage"].flatMap((name) => {
    const constructor: unknown = get(globalThis, name)
    const prototype: unknown = typeof constructor === "function" ? constructor.prototype : undefined
    if (typeof prototype !== "object" || prototype === null) return []
    return ["name", "message", "position"].map((key) => getOwnPropertyDescriptor(prototype, key)?.get)
  })
)

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** A member that is plain data, in the value or in a prototype of it. */
const dataOf = (value: unknown, key: string): unknown => {
  let at: unknown = value
  for (let hops = 0; isObject(at) && !isProxy(at) && hops < mostPrototypes; hops++) {
    const found = getOwnPropertyDescriptor(at, key)
    if (found === undefined) at = getPrototypeOf(at)
    else if (hasOwn(found, "value")) return found.value
    else return found.get !== undefined && engineGetters.has(found.get) ? apply(found.get, value, []) : undefined
  }
  return undefined
}

export const textIn = (value: unknown, key: string): string | undefined => {
  const found = dataOf(value, key)
  return typeof found === "string" ? found : undefined
}

/** Where the parser of the engine has met the error, as `file:line:column`. */
const positionOf = (error: unknown): string | undefined => {
  const position = dataOf(error, "position")
  const [file, line, column] = [textIn(position, "file"), dataOf(position, "line"), dataOf(position, "column")]
  return file === undefined || typeof line !== "number" ? undefined : `${file}:${line}:${toText(column)}`
}

/** The parser reports its findings together. */
const findingsOf = (error: unknown): ReadonlyArray<unknown> => {
  const errors = dataOf(error, "errors")
  if (!isObject(errors) || isProxy(errors) || !isArray(errors)) return []
  const findings: Array<unknown> = []
  for (let index = 0; index < errors.length && index < mostErrors; index++) findings.push(dataOf(errors, toText(index)))
  return findings
}

const describeOne = (thrown: unknown): string => {
  if (!isObject(thrown)) return typeof thrown === "string" ? cut(thrown) : `thrown: ${toText(thrown)}`
  const position = positionOf(thrown)
  return position === undefined ? oneError(thrown) : `${oneError(thrown)} (${position})`
}

const oneError = (error: object): string => {
  const message = dataOf(error, "message")
  if (message !== undefined && message !== "" && !isObject(message)) return cut(toText(message))
  return isNativeError(error) ? (textIn(error, "name") ?? "Error") : unknown
}

const unknown = "an object that cannot be shown was thrown"

const describe = (thrown: unknown): string => {
  const findings = findingsOf(thrown).map(describeOne)
  if (findings.length === 0) return describeOne(thrown)
  const message = textIn(thrown, "message") ?? ""
  return cut([...(message === "" ? [] : [cut(message)]), ...findings].join("; "))
}

/** What was thrown, as a text for a report. Anything can be thrown. */
export const textOf = (thrown: unknown): string => Attempt.or(() => describe(thrown), unknown)

/** The stack of an error, or nothing: only errors have one. */
export const stackOf = (thrown: unknown): string =>
  Attempt.or(() => {
    const [finding = thrown] = findingsOf(thrown)
    if (isProxy(finding) || !isNativeError(finding)) return ""
    return cut(positionOf(finding) ?? textIn(finding, "stack") ?? "", longestStack)
  }, "")

/** The first place below the folder that the stack names, as `file:line:column`. */
export const locationIn = (stack: string, folder: string): string | undefined => {
  for (const line of stack.split("\n")) {
    const at = line.indexOf(folder)
    const [, file, row, column] = at < 0 ? [] : (/^(.+?)(?:\?[^:]*)?:(\d+):(\d+)\)?$/.exec(line.slice(at)) ?? [])
    if (file !== undefined) return `${file}:${row}:${column}`
  }
  return undefined
}

/** A value that stands where a text belongs. */
export const shown = (value: unknown): string =>
  Attempt.or(() => {
    if (!isObject(value)) return toText(value)
    if (isProxy(value) || !isNativeError(value)) return typeof value === "function" ? "[function]" : "[object]"
    return `${textIn(value, "name") ?? "Error"}: ${describe(value)}`
  }, "[object]")

/** Whether the value was made by the class, whatever it says of itself. */
export const isOf = (value: unknown, { prototype }: { readonly prototype: object }): boolean => {
  let at: unknown = value
  for (let hops = 0; isObject(at) && !isProxy(at) && hops < mostPrototypes; hops++) {
    if (at === prototype) return true
    at = getPrototypeOf(at)
  }
  return false
}

const { forEach } = Headers.prototype

/** A copy of headers; undefined if the value is something else. */
const headersOf = (value: unknown): Headers | undefined =>
  Attempt.orUndefined(() => {
    const copy = new Headers()
    apply(forEach, value, [(text: string, name: string) => copy.append(name, text)])
    return copy
  })

const scalars = ["name", "message", "code", "type", "status", "detail", "error_code"] as const
const parts = ["cause", "error", "details"] as const

/** What the code of a provider has thrown, as far as it is plain data: as much as is read to tell why a call has failed. */
export const factsOf = (thrown: unknown, depth = 0): unknown => {
  if (!isObject(thrown)) return thrown
  if (depth > mostCauses) return undefined
  const facts: Record<string, unknown> = depth === 0 ? { message: textOf(thrown) } : {}
  for (const key of scalars) {
    const fact = dataOf(thrown, key)
    if (fact !== undefined && !isObject(fact)) facts[key] = fact
  }
  for (const key of parts) facts[key] = factsOf(dataOf(thrown, key), depth + 1)
  const headers = headersOf(dataOf(thrown, "headers"))
  return headers === undefined ? facts : { ...facts, headers }
}

/** Where an import stands that leads nowhere. The engine names the file and what it imports, but not the line. */
import { readFileSync } from "node:fs"
import * as Attempt from "../engine/Attempt.ts"

const { apply, get, getOwnPropertyDescriptor } = Reflect

/** Getters of the engine's error, so that a value of others that only looks like one names no file to read. */
const getterOf = (key: string): (() => unknown) | undefined => {
  const constructor: unknown = get(globalThis, "ResolveMessage")
  return typeof constructor === "function" ? getOwnPropertyDescriptor(constructor.prototype, key)?.get : undefined
}
const [referrer, specifier] = [getterOf("referrer"), getterOf("specifier")]

const attempt = (read: () => unknown): string | undefined => {
  const found = Attempt.orUndefined(read)
  return typeof found === "string" ? found : undefined
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** As `file:line:column`; undefined for other errors, and where the name is computed. */
export const of = (thrown: unknown): string | undefined => {
  if (referrer === undefined || specifier === undefined) return undefined
  const [file, name] = [attempt(() => apply(referrer, thrown, [])), attempt(() => apply(specifier, thrown, []))]
  if (file === undefined || name === undefined) return undefined
  const text = attempt(() => readFileSync(file, "utf8"))
  const outsideOfComments = "^(?:(?!//).)*?"
  const before = `${outsideOfComments}(?:\\bfrom|\\bimport|\\brequire)\\s*\\(?\\s*`
  const quoted = new RegExp(`${before}(?=(["'\`])${escaped(name)}\\1)`, "m")
  const found = text === undefined ? null : quoted.exec(text)
  if (found === null) return undefined
  const lines = found.input.slice(0, found.index + found[0].length).split("\n")
  return `${file}:${lines.length}:${(lines.at(-1) ?? "").length + 1}`
}

/** Makes a rule of the front matter and the text of a file. Parts that are wrong are left out and reported. */
import * as Json from "../Json.ts"
import type { JsonObject } from "../conversation/Content.ts"
import { type Guidance, interruptModes, isInterruptMode, type RuleInfo, type StreamRule, type Watch } from "./Rule.ts"
import * as Scope from "./Scope.ts"

export interface RuleSource {
  readonly name: string
  readonly path: string
  readonly data: JsonObject
  readonly body: string
}

export type Parsed =
  | { readonly _tag: "Guidance"; readonly guidance: Guidance }
  | { readonly _tag: "Stream"; readonly rule: StreamRule }

type Report = (message: string) => void

/** How many conditions, scope tokens or globs of one rule count. */
const mostItems = 100

const texts = (data: JsonObject, key: string, report: Report): ReadonlyArray<string> => {
  const value = data[key]
  if (value === undefined || value === null) return []
  const items = Array.isArray(value) ? value : [value]
  if (items.length > mostItems) report(`${key}: only the first ${mostItems} entries count`)
  return items.slice(0, mostItems).flatMap((item: unknown) => {
    if (typeof item === "string" && item.trim() !== "") return [item.trim()]
    report(`${key}: expected text, got ${Json.stringify(item)?.slice(0, 80)}`)
    return []
  })
}

const conditionKeys = ["condition", "ttsr_trigger", "ttsrTrigger"] as const

/** A file glob in place of a regular expression: in both languages of patterns, a star cannot stand there. */
const isGlob = (condition: string) =>
  /^[\w./@{},!?*[\]-]+$/.test(condition) && (condition.startsWith("*") || condition.includes("**"))

const scopeOf = (data: JsonObject, report: Report) => {
  const tokens = texts(data, "scope", report).flatMap(Scope.split)
  if (tokens.length === 0) return { texts: undefined, scope: Scope.defaultScope }
  const known = tokens.flatMap((text) => {
    const token = Scope.parse(text)
    if (token === undefined) report(`scope: "${text.slice(0, 80)}" is neither text, thinking, nor the name of a tool`)
    return token === undefined ? [] : [{ text, token }]
  })
  return { texts: known.map(({ text }) => text), scope: known.map(({ token }) => token) }
}

const editsOf = (glob: string) => [`tool:edit(${glob})`, `tool:write(${glob})`]

const interruptModeOf = ({ interruptMode }: JsonObject, report: Report) => {
  if (interruptMode === undefined || interruptMode === null) return {}
  if (isInterruptMode(interruptMode)) return { interruptMode }
  report(
    `interruptMode: must be one of ${interruptModes.join(", ")}; got ${Json.stringify(interruptMode)?.slice(0, 80)}`
  )
  return {}
}

const guidanceOf = ({ body, data, name, path }: RuleSource, described: Pick<RuleInfo, "description">): Parsed => {
  const alwaysApply = data["alwaysApply"] === true || data["alwaysApply"] === "true"
  return { _tag: "Guidance", guidance: { name, path, ...described, content: body.trim(), alwaysApply } }
}

/** Undefined if nothing of the rule can be used. */
export const parse = (source: RuleSource, report: Report): Parsed | undefined => {
  const { body, data, name, path } = source
  const description = data["description"]
  const described = typeof description === "string" && description !== "" ? { description } : {}
  const conditions = conditionKeys.flatMap((key) => texts(data, key, report))
  if (!conditionKeys.some((key) => key in data && data[key] !== null)) return guidanceOf(source, described)
  const globs = texts(data, "globs", report).flatMap(Scope.split)
  const files = conditions.filter(isGlob)
  const patterns = conditions.filter((condition) => !isGlob(condition))
  const given = scopeOf(data, report)
  const watches: ReadonlyArray<Watch> = [
    ...patterns.map((pattern) => ({ pattern, scope: given.scope })),
    ...files.map((glob) => ({
      pattern: ".*",
      scope: editsOf(glob).flatMap((text) => Scope.parse(text) ?? [])
    }))
  ].filter(({ scope }) => scope.length > 0)
  if (watches.length === 0) return void report("the rule is ignored: it has no condition or scope that can be used")
  if (body.trim() === "") return void report("the rule is ignored: it has no text")
  const scope = [...(patterns.length > 0 ? (given.texts ?? []) : []), ...files.flatMap(editsOf)]
  const info: RuleInfo = {
    name,
    path,
    content: body.trim(),
    ...described,
    ...(globs.length === 0 ? {} : { globs }),
    condition: [...new Set(watches.map(({ pattern }) => pattern))],
    ...(scope.length === 0 ? {} : { scope }),
    ...interruptModeOf(data, report)
  }
  return { _tag: "Stream", rule: { info, watches } }
}

/** An agent that tasks can be given to, and how it is read from the front matter and the text of a file (protocol.md 14.1). */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { type BudgetLimits, limitNames } from "../budget/BudgetLimits.ts"
import type { JsonObject } from "../conversation/Content.ts"
import * as Json from "../Json.ts"
import { isThinkingLevel, type ThinkingLevel, thinkingLevels } from "../model/Model.ts"
import { defined } from "../Values.ts"
import type { AgentSource } from "./Subagent.ts"

const ours = new Map([
  ["read", "read"],
  ["grep", "grep"],
  ["glob", "find"],
  ["find", "find"],
  ["ls", "ls"],
  ["bash", "bash"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["write", "write"],
  ["task", "task"],
  ["agent", "task"]
])

const everything = [...new Set(ours.values())]

/** Undefined for a tool that we do not have. What stands in parentheses, as in `Bash(git log:*)`, is no part of the name. */
const translateOne = (name: string) =>
  ours.get(
    name
      .replace(/\s*\(.*$/s, "")
      .trim()
      .toLowerCase()
  )

const translateAll = (names: ReadonlyArray<string>) => [...new Set(names.flatMap((name) => translateOne(name) ?? []))]

/** The tools of Claude Code by our names. Undefined where the file limits nothing. What it denies stays denied, although other files have no such member. */
const translateClaudeTools = (
  tools: ReadonlyArray<string> | undefined,
  denied: ReadonlyArray<string> | undefined
): ReadonlyArray<string> | undefined => {
  const hasAll = tools === undefined || tools.includes("*")
  if (denied === undefined || denied.length === 0) return hasAll ? undefined : translateAll(tools)
  const without = new Set(translateAll(denied))
  return (hasAll ? everything : translateAll(tools)).filter((name) => !without.has(name))
}

/** Agents that an agent may start: all, or those named. */
export type Spawns = "*" | ReadonlyArray<string>

export type AgentLimits = Omit<BudgetLimits, "warnAtRatio">

export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** Absent where the agent has the tools of its parent. `submit_result` is never among them: every agent has it. */
  readonly tools?: ReadonlyArray<string>
  readonly spawns: Spawns
  /** Patterns and roles, the best first. Absent where the agent has the model of its parent. */
  readonly model?: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  /** A JSON Schema or a JSON Type Definition. */
  readonly output?: JsonObject
  readonly blocking?: boolean
  readonly limits?: AgentLimits
  readonly source: AgentSource
  readonly path?: string
  /** The system prompt. */
  readonly prompt: string
}

export interface AgentText {
  readonly data: JsonObject
  readonly body: string
  readonly source: AgentSource
  readonly path?: string
  /** Whose names of tools the file uses. */
  readonly dialect: "own" | "claude"
}

/** What is wrong with the file, and what to do about it. */
type Read<A> = Either.Either<A, string>

const longestName = 64
const longestDescription = 4096
const mostItems = 200
const isName = (name: string) => name.length <= longestName && /^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u.test(name)

const isAbsent = (value: unknown) => value === undefined || value === null
const shown = (value: unknown) => (Json.stringify(value) ?? String(value)).slice(0, 80)

/** On one line; undefined where there is none. */
const line = (value: unknown): string | undefined => {
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const text = String(value).replaceAll(/\s+/g, " ").trim()
  return text === "" ? undefined : text
}

/** A comma inside of parentheses belongs to its item: `Bash(git log, git show)`. */
const split = (text: string) => text.split(/,(?![^(]*\))/)

const items = (data: JsonObject, key: string): Read<ReadonlyArray<string> | undefined> => {
  const value = data[key]
  if (isAbsent(value)) return Either.right(undefined)
  const list = typeof value === "string" ? split(value) : value
  if (!Array.isArray(list) || !list.every(Predicate.isString))
    return Either.left(`${key} must be a list of names, or names with commas between them, not ${shown(value)}`)
  const names = [...new Set(list.map((item) => item.trim()).filter((item) => item !== ""))]
  return names.length > mostItems
    ? Either.left(`${key} has ${names.length} entries; leave at most ${mostItems}`)
    : Either.right(names)
}

const name = (data: JsonObject): Read<string> => {
  const given = line(data["name"])
  if (given === undefined) return Either.left("it has no name; add `name: …` to its front matter")
  return isName(given)
    ? Either.right(given)
    : Either.left(
        `its name ${shown(given)} cannot be used; use letters, digits, "-", "_" and ".", at most ${longestName}`
      )
}

const description = (data: JsonObject): Read<string> =>
  Either.fromNullable(
    line(data["description"])?.slice(0, longestDescription),
    () => "it has no description; add `description: …`, which tells models when to use the agent"
  )

const ownTools = (data: JsonObject) =>
  Either.map(items(data, "tools"), (tools) => tools?.filter((tool) => tool !== "submit_result"))

const claudeTools = (data: JsonObject) =>
  Either.map(Either.all([items(data, "tools"), items(data, "disallowedTools")]), ([tools, denied]) =>
    translateClaudeTools(tools, denied)
  )

/** Without a word on it an agent starts no others, unless it was given the tool to do so. */
const spawns = (data: JsonObject, tools: ReadonlyArray<string> | undefined): Read<Spawns> =>
  Either.map(items(data, "spawns"), (names) => {
    if (names === undefined) return tools?.includes("task") === true ? "*" : []
    return names.includes("*") ? "*" : names
  })

const model = (data: JsonObject) =>
  Either.map(items(data, "model"), (patterns) => {
    const chosen = patterns?.filter((pattern) => pattern.toLowerCase() !== "inherit") ?? []
    return chosen.length === 0 ? undefined : chosen
  })

const thinkingKeys = ["thinkingLevel", "thinking-level", "thinking"] as const

const thinkingLevel = (data: JsonObject): Read<ThinkingLevel | undefined> => {
  const key = thinkingKeys.find((candidate) => !isAbsent(data[candidate]))
  if (key === undefined) return Either.right(undefined)
  // Some readers of YAML take `off` for false.
  const value = data[key] === false ? "off" : data[key]
  return isThinkingLevel(value)
    ? Either.right(value)
    : Either.left(`${key} must be one of ${thinkingLevels.join(", ")}, not ${shown(value)}`)
}

const output = ({ output: value }: JsonObject): Read<JsonObject | undefined> => {
  if (isAbsent(value)) return Either.right(undefined)
  return Predicate.isReadonlyRecord(value)
    ? Either.right(value)
    : Either.left(`output must be a JSON Schema or a JSON Type Definition, not ${shown(value)}`)
}

const blocking = ({ blocking: value }: JsonObject): Read<boolean | undefined> => {
  if (isAbsent(value)) return Either.right(undefined)
  return typeof value === "boolean"
    ? Either.right(value)
    : Either.left(`blocking must be true or false, not ${shown(value)}`)
}

const isLimit = (key: string, value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && (key === "maxCostUsd" || Number.isInteger(value))

const limits = ({ budget }: JsonObject): Read<AgentLimits | undefined> => {
  if (isAbsent(budget)) return Either.right(undefined)
  if (!Predicate.isReadonlyRecord(budget))
    return Either.left(`budget must have members such as maxTotalTokens, not be ${shown(budget)}`)
  const names: ReadonlyArray<string> = limitNames
  for (const [key, value] of Object.entries(budget)) {
    if (!names.includes(key)) return Either.left(`budget.${key.slice(0, 80)} is unknown; use ${limitNames.join(", ")}`)
    if (!isAbsent(value) && !isLimit(key, value))
      return Either.left(
        `budget.${key} must be a ${key === "maxCostUsd" ? "" : "whole "}number from 0 on, not ${shown(value)}`
      )
  }
  const given = limitNames.flatMap((key) => {
    const value = budget[key]
    return typeof value === "number" ? [[key, value] as const] : []
  })
  return Either.right(given.length === 0 ? undefined : Object.fromEntries(given))
}

export const parse = ({ body, data, dialect, path, source }: AgentText): Read<AgentDefinition> =>
  Either.gen(function* () {
    const tools = yield* dialect === "claude" ? claudeTools(data) : ownTools(data)
    const definition: AgentDefinition = {
      name: yield* name(data),
      description: yield* description(data),
      ...defined({ tools }),
      spawns: yield* spawns(data, tools),
      ...defined({
        model: yield* model(data),
        thinkingLevel: yield* thinkingLevel(data),
        output: yield* output(data),
        blocking: yield* blocking(data),
        limits: yield* limits(data)
      }),
      source,
      ...defined({ path }),
      prompt: body.trim()
    }
    return definition.prompt === ""
      ? yield* Either.left("it has no text below its front matter; write there what the agent is to do")
      : definition
  })

/**
 * Checks whether a JSON value is a message or an entry of heddle. Written by hand, because opening a session checks all
 * its messages, and a schema takes ten times as long. A test compares these checks with the schemas.
 */
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../conversation/Content.ts"
import type { AgentMessage, CustomInput } from "../conversation/Message.ts"
import { isThinkingLevel } from "../model/Model.ts"
import * as Usage from "../model/Usage.ts"
import { type TodoPhases, TodoStatus } from "../todo/Todo.ts"
import type { NewEntry, OwnEntry } from "./SessionEntry.ts"

const { isBoolean, isNumber, isReadonlyRecord: isObject, isString } = Predicate

const optional = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value)
const optionalText = optional(isString)
const optionalObject = optional(isObject)

export const isInput = (block: unknown): boolean => {
  if (!isObject(block)) return false
  if (block["type"] === "text") return isString(block["text"])
  return block["type"] === "image" && isString(block["data"]) && isString(block["mimeType"])
}

export const isOutput = (block: unknown): boolean => {
  if (!isObject(block)) return false
  if (block["type"] === "text") return isString(block["text"])
  if (block["type"] === "thinking") return isString(block["thinking"])
  return (
    block["type"] === "toolCall" && isString(block["id"]) && isString(block["name"]) && isObject(block["arguments"])
  )
}

const isInputs = (value: unknown): boolean => Array.isArray(value) && value.every(isInput)
const isSaid = (value: unknown): boolean => isString(value) || isInputs(value)

const isCount = (value: unknown): boolean => isNumber(value) && value >= 0 && value <= Usage.most

const isCounts = (value: JsonObject): boolean =>
  isCount(value["input"]) && isCount(value["output"]) && isCount(value["cacheRead"]) && isCount(value["cacheWrite"])

export const isUsage = (value: unknown): boolean =>
  isObject(value) &&
  isCounts(value) &&
  isCount(value["totalTokens"]) &&
  isObject(value["cost"]) &&
  isCounts(value["cost"]) &&
  isCount(value["cost"]["total"]) &&
  optional((estimated) => estimated === true)(value["estimated"])

const isWork = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value["toolCalls"]) &&
  isCount(value["subagents"]) &&
  isCount(value["turns"]) &&
  optional(isCount)(value["wallTimeMs"])

/** The members of a `message` entry that say how a tool call ended. Those of another program with the same names are left out. */
export const isCallEnd = optional((value) => value === "not_started" || value === "cut_off")
export const isToolUsage = optional(isUsage)

export const stopReasons: ReadonlyArray<unknown> = ["stop", "length", "toolUse", "error", "aborted"]

type Shapes<Name extends string> = { readonly [N in Name]: (value: JsonObject) => boolean }

const messages: Shapes<AgentMessage["role"]> = {
  user: (value) => isInputs(value["content"]),
  assistant: (value) =>
    Array.isArray(value["content"]) &&
    value["content"].every(isOutput) &&
    isString(value["api"]) &&
    isString(value["provider"]) &&
    isString(value["model"]) &&
    stopReasons.includes(value["stopReason"]) &&
    optionalText(value["errorMessage"]) &&
    isUsage(value["usage"]),
  toolResult: (value) =>
    isString(value["toolCallId"]) &&
    isString(value["toolName"]) &&
    isBoolean(value["isError"]) &&
    isInputs(value["content"]) &&
    optionalObject(value["details"]),
  bashExecution: (value) =>
    isString(value["command"]) &&
    isString(value["output"]) &&
    optional(isNumber)(value["exitCode"]) &&
    isBoolean(value["cancelled"]) &&
    isBoolean(value["truncated"]) &&
    optionalText(value["fullOutputPath"]),
  custom: (value) => isString(value["customType"]) && isBoolean(value["display"]) && isSaid(value["content"]),
  branchSummary: (value) => isString(value["summary"]) && isString(value["fromId"]),
  compactionSummary: (value) =>
    isString(value["summary"]) && optionalText(value["shortSummary"]) && isNumber(value["tokensBefore"])
}

const isNameOf = <Name extends string>(shapes: Shapes<Name>, name: unknown): name is Name =>
  isString(name) && Object.hasOwn(shapes, name)

export const isAgentMessage = (value: unknown): value is AgentMessage =>
  isObject(value) && isNumber(value["timestamp"]) && isNameOf(messages, value["role"]) && messages[value["role"]](value)

export const isCustomInput = (value: unknown): value is CustomInput => isObject(value) && messages.custom(value)

const todoStatuses: ReadonlyArray<unknown> = TodoStatus.literals

const isTodo = (value: unknown): boolean =>
  isObject(value) &&
  isString(value["id"]) &&
  isString(value["content"]) &&
  todoStatuses.includes(value["status"]) &&
  optionalText(value["notes"]) &&
  optionalText(value["details"]) &&
  optionalText(value["blocker"])

const isTodoPhase = (value: unknown): boolean =>
  isObject(value) &&
  isString(value["id"]) &&
  isString(value["name"]) &&
  Array.isArray(value["tasks"]) &&
  value["tasks"].every(isTodo)

export const isTodoPhases = (value: unknown): value is TodoPhases => Array.isArray(value) && value.every(isTodoPhase)

const entries: Shapes<NewEntry["type"]> = {
  message: (value) =>
    isAgentMessage(value["message"]) &&
    optionalText(value["messageId"]) &&
    optionalText(value["clientMessageId"]) &&
    optional(isBoolean)(value["betweenAttempts"]) &&
    isCallEnd(value["call"]) &&
    isToolUsage(value["toolUsage"]),
  model_change: (value) => isString(value["provider"]) && isString(value["modelId"]),
  thinking_level_change: (value) => isThinkingLevel(value["thinkingLevel"]),
  compaction: (value) =>
    isString(value["summary"]) &&
    isString(value["firstKeptEntryId"]) &&
    isNumber(value["tokensBefore"]) &&
    optionalText(value["shortSummary"]) &&
    optionalObject(value["details"]) &&
    optionalObject(value["preserveData"]) &&
    optional(isBoolean)(value["fromExtension"]),
  branch_summary: (value) =>
    isString(value["fromId"]) &&
    isString(value["summary"]) &&
    optionalObject(value["details"]) &&
    optional(isBoolean)(value["fromExtension"]),
  custom_message: (value) =>
    isString(value["customType"]) &&
    isBoolean(value["display"]) &&
    isSaid(value["content"]) &&
    optionalText(value["messageId"]) &&
    optional(isBoolean)(value["betweenAttempts"]),
  custom: (value) => isString(value["customType"]),
  label: (value) => isString(value["targetId"]) && optionalText(value["label"]),
  session_info: (value) => isString(value["name"]),
  ttsr_injection: (value) => Array.isArray(value["injectedRules"]) && value["injectedRules"].every(isString),
  todo_state: (value) => isTodoPhases(value["phases"]),
  usage: (value) =>
    isString(value["source"]) &&
    isString(value["provider"]) &&
    isString(value["model"]) &&
    isUsage(value["usage"]) &&
    optional(isWork)(value["spent"])
}

export const isKnownType = (type: unknown): type is NewEntry["type"] => isNameOf(entries, type)

export const isOwnEntry = (value: unknown): value is OwnEntry =>
  isObject(value) &&
  isString(value["id"]) &&
  isString(value["timestamp"]) &&
  (value["parentId"] === null || isString(value["parentId"])) &&
  isKnownType(value["type"]) &&
  entries[value["type"]](value)

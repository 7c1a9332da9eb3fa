/**
 * Reads entries written by pi, xcsh, omp and older versions of heddle. An entry that had to be converted keeps its
 * original, and an unknown entry stays as it is, so that writing either again gives the same object.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { type JsonObject, text } from "../conversation/Content.ts"
import {
  isAgentMessage,
  isCallEnd,
  isInput,
  isToolUsage,
  isOutput,
  isOwnEntry,
  isUsage,
  stopReasons
} from "./EntryShape.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import type { SessionEntry } from "./SessionEntry.ts"
import * as Usage from "../model/Usage.ts"
import * as Json from "../Json.ts"
import { maxDepth, maxValues } from "../JsonScan.ts"
import { defined } from "../Values.ts"

/** An entry wraps what it stores, and what it stores may be as deep and as much as others may send. */
const lineBounds = { depth: maxDepth + 16, values: maxValues + 1024 }

/** Undefined if the line is not JSON, or not JSON that heddle would have taken from anybody. */
export const parseLine = (text: string): unknown => Either.getOrUndefined(Json.parseBounded(text, lineBounds))

/** Old files have plain text in node of blocks. Blocks of an unknown type are left out. */
const blocks = (content: unknown, isKnown: (block: unknown) => boolean): ReadonlyArray<unknown> => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  return Array.isArray(content) ? content.filter(isKnown) : []
}

const contentOf = (content: unknown) => (typeof content === "string" ? content : blocks(content, isInput))

const textOr = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise)

const withoutOddDetails = ({ details, ...rest }: JsonObject): JsonObject =>
  details === undefined || Predicate.isReadonlyRecord(details) ? { ...rest, ...defined({ details }) } : rest

const mendMessage = (message: JsonObject, at: number): unknown => {
  const { content, role, timestamp } = message
  const mended: JsonObject = { ...message, timestamp: typeof timestamp === "number" ? timestamp : at }
  switch (role) {
    case "user":
      return { ...mended, content: blocks(content, isInput) }
    case "assistant":
      return {
        ...mended,
        content: blocks(content, isOutput),
        api: textOr(message["api"], ""),
        provider: textOr(message["provider"], ""),
        model: textOr(message["model"], ""),
        usage: isUsage(message["usage"]) ? message["usage"] : Usage.zero,
        stopReason: stopReasons.includes(message["stopReason"]) ? message["stopReason"] : "stop"
      }
    case "toolResult":
      return {
        ...withoutOddDetails(mended),
        content: blocks(content, isInput),
        isError: message["isError"] === true
      }
    case "bashExecution": {
      const { exitCode, ...rest } = mended
      const ended = typeof exitCode === "number" ? { exitCode } : {}
      const [cancelled, truncated] = [message["cancelled"] === true, message["truncated"] === true]
      return { ...rest, ...ended, output: textOr(message["output"], ""), cancelled, truncated }
    }
    case "custom":
    case "hookMessage": {
      const customType = textOr(message["customType"], "hook")
      return {
        ...mended,
        role: "custom",
        customType,
        content: contentOf(content),
        display: message["display"] !== false
      }
    }
    case "developer":
      return { ...mended, role: "custom", customType: "developer", content: contentOf(content), display: false }
    default:
      return undefined
  }
}

/** Undefined if the value is not a message of a conversation. `at` is the time of its entry. */
export const readMessage = (value: unknown, at: number): AgentMessage | undefined => {
  if (isAgentMessage(value)) return value
  const mended = Predicate.isReadonlyRecord(value) ? mendMessage(value, at) : undefined
  return isAgentMessage(mended) ? mended : undefined
}

/** The form of xcsh, `anthropic/claude`. Models for other roles than the conversation are ignored. */
const modelOf = ({ model, role }: JsonObject): object => {
  if (typeof model !== "string" || (role !== undefined && role !== "default")) return {}
  const slash = model.indexOf("/")
  return slash < 1 ? {} : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) }
}

const withoutOddCall = ({ call, toolUsage, ...entry }: JsonObject): JsonObject => ({
  ...entry,
  ...(isCallEnd(call) && call !== undefined ? { call } : {}),
  ...(isToolUsage(toolUsage) && toolUsage !== undefined ? { toolUsage } : {})
})

const mendEntry = (entry: JsonObject, id: string, timestamp: string): JsonObject => {
  switch (entry["type"]) {
    case "message":
      return { ...withoutOddCall(entry), message: readMessage(entry["message"], Date.parse(timestamp)) }
    case "model_change":
      return { ...entry, ...modelOf(entry) }
    case "compaction": {
      const { fromHook, ...rest } = withoutOddDetails(entry)
      const { firstKeptEntryId, tokensBefore } = entry
      return {
        ...(fromHook === true ? { fromExtension: true } : {}),
        ...rest,
        firstKeptEntryId: textOr(firstKeptEntryId, id),
        tokensBefore: typeof tokensBefore === "number" ? tokensBefore : 0
      }
    }
    case "branch_summary":
      return { ...withoutOddDetails(entry), fromId: textOr(entry["fromId"], "root") }
    case "custom_message":
      return { ...entry, content: contentOf(entry["content"]), display: entry["display"] !== false }
    case "label": {
      const { label, ...rest } = entry
      return typeof label === "string" && label !== "" ? { ...rest, label } : rest
    }
    default:
      return entry
  }
}

/** Undefined if the value has no parent in a tree, like lines of a damaged file. */
export const readEntry = (value: unknown): SessionEntry | undefined => {
  if (isOwnEntry(value)) return value
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const { id, parentId: parent, type } = value
  if (typeof id !== "string" || id === "" || typeof type !== "string") return undefined
  const node = {
    id,
    parentId: typeof parent === "string" ? parent : null,
    timestamp: textOr(value["timestamp"], "1970-01-01T00:00:00.000Z")
  }
  const mended = { ...mendEntry(value, id, node.timestamp), ...node, original: value }
  return isOwnEntry(mended) ? mended : { type: "foreign", raw: value, ...node }
}

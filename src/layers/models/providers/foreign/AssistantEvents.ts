/**
 * The state machine of a call that code of others runs: takes pi's AssistantMessageEvents (protocol.md 5.3), gives model
 * events. It trusts no member of an event; one of unknown form ends the call.
 */
import * as Predicate from "effect/Predicate"
import * as Json from "../../../../domain/Json.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import type { FinishReason } from "../../../../domain/model/ModelEvent.ts"
import type { Report } from "../../../../domain/model/Usage.ts"
import * as Blocks from "../../protocols/stream/Blocks.ts"
import { type Fault, lastBytesMs, type Machine, type Stop, streamEnded } from "../../protocols/stream/Machine.ts"

type Bag = Readonly<Record<PropertyKey, unknown>>
type Kind = "text" | "thinking" | "toolcall"

const nothing: Bag = {}
const bagOf = (value: unknown): Bag => (Predicate.isRecord(value) ? value : nothing)
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Enough for a message that comes character by character. Empty deltas and unknown events count, too. */
const mostEvents = 10_000_000
const mostBlocks = 50_000

const garbage = (what: string): Fault => ({
  reason: "protocol",
  message: `The code of the provider sent an event of unknown form: ${what}`
})

const reportOf = (usage: Bag): Report => ({
  input: usage["input"],
  output: usage["output"],
  cacheRead: usage["cacheRead"],
  cacheWrite: usage["cacheWrite"]
})

const kinds: Readonly<Record<string, Kind>> = { text: "text", thinking: "thinking", toolCall: "toolcall" }

/** The status that SDKs put in front of their messages tells more than the words behind it. */
const errorBody = (message: Bag): Stop => {
  const text = textOf(message["errorMessage"])
  const status = Number(/^([45]\d\d)\b/.exec(text)?.[1] ?? Number.NaN)
  return { error: { message: text, ...(Number.isNaN(status) ? {} : { status }) } }
}

const aborted: Fault = { reason: "stream_ended", message: "The code of the provider aborted the answer" }

interface Block {
  readonly key: number
  readonly kind: Kind
  /** A tool call starts when its name is known. */
  started: boolean
  ended: boolean
  sent: boolean
}

/** `done` and `error` end an answer. */
export const isLast = (event: unknown): boolean =>
  Predicate.isRecord(event) && (event["type"] === "done" || event["type"] === "error")

export const make = (): Machine<unknown> => {
  const blocks = Blocks.make()
  /** By index in the message. */
  const known = new Map<number, Block>()
  let keys = 0
  let events = 0
  let calls = 0
  let finished = false
  let unusable: Fault | undefined

  const start = (block: Block, content: Bag) => {
    const { key, kind } = block
    block.started = true
    if (kind !== "toolcall") return blocks.start(key, { _tag: kind === "text" ? "TextStarted" : "ThinkingStarted" })
    calls++
    blocks.start(key, { _tag: "ToolCallStarted", id: textOf(content["id"]), name: textOf(content["name"]) })
  }
  const open = (index: number, kind: Kind, content: Bag): Block => {
    const before = known.get(index)
    if (before?.ended === false && before.kind === kind) return before
    const block = { key: keys++, kind, started: false, ended: false, sent: false }
    known.set(index, block)
    if (kind !== "toolcall" || textOf(content["name"]) !== "") start(block, content)
    return block
  }
  const say = (block: Block, text: string) => {
    if (text === "") return
    block.sent = true
    blocks.delta(block.key, text)
  }
  /** The text of a call's arguments: the end of a call is exact, its deltas are for display. */
  const argumentsOf = (content: Bag): string => {
    const args = content["arguments"]
    if (!Predicate.isRecord(args)) return "{}"
    const problem = JsonValue.problemOf(args)
    if (problem === undefined) return Json.stringify(args)
    unusable ??= { reason: "protocol", message: `The arguments of a tool call cannot be used: ${problem}` }
    return "{}"
  }
  /** `content` is the block as the message has it; `whole` is its text, used if no delta came. */
  const end = (block: Block, content: Bag, whole: string) => {
    if (block.ended) return
    if (!block.started) start(block, content)
    if (block.kind === "toolcall") say(block, argumentsOf(content))
    else if (!block.sent) say(block, whole)
    block.ended = true
    const signature = textOf(content[block.kind === "text" ? "textSignature" : "thinkingSignature"])
    blocks.end(block.key, {
      ...(block.kind === "toolcall" || signature === "" ? {} : { signature }),
      ...(block.kind === "thinking" && content["redacted"] === true ? { redacted: true } : {})
    })
  }
  const step = (event: Bag, kind: Kind, action: string): Fault | undefined => {
    const index = event["contentIndex"]
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= mostBlocks)
      return garbage(`${kind}_${action} without a contentIndex`)
    if (action === "delta" && typeof event["delta"] !== "string") return garbage(`${kind}_delta without a delta`)
    if (action !== "start" && known.get(index)?.ended === true) return undefined
    const contents = bagOf(event["partial"])["content"]
    const content = bagOf(Array.isArray(contents) ? contents[index] : undefined)
    const block = open(index, kind, content)
    if (action === "delta" && kind !== "toolcall") say(block, textOf(event["delta"]))
    if (action === "end") {
      const call = Predicate.isRecord(event["toolCall"]) ? event["toolCall"] : content
      end(block, kind === "toolcall" ? call : content, textOf(event["content"]))
    }
    return undefined
  }
  /** What no event had, but the whole message has. */
  const fillIn = (message: Bag) => {
    const contents = message["content"]
    if (!Array.isArray(contents)) return
    for (let index = 0; index < contents.length && index <= mostBlocks; index++) {
      const content = bagOf(contents[index])
      const kind = kinds[textOf(content["type"])]
      if (kind === undefined || known.get(index)?.ended === true) continue
      end(open(index, kind, content), content, textOf(content[kind === "text" ? "text" : "thinking"]))
    }
  }
  const report = (message: Bag) => {
    if (Predicate.isRecord(message["usage"])) blocks.push({ _tag: "UsageReported", tokens: reportOf(message["usage"]) })
  }
  const finishReason = (reason: string): FinishReason => {
    if (reason === "length") return "length"
    return calls > 0 ? "toolUse" : "stop"
  }
  const fail = (reason: unknown, message: Bag): Stop => {
    report(message)
    blocks.endAll()
    return reason === "aborted" ? aborted : errorBody(message)
  }
  const finish = (event: Bag): Stop | undefined => {
    const message = bagOf(event["message"])
    const reason = textOf(message["stopReason"]) || textOf(event["reason"])
    if (reason === "error" || reason === "aborted") return fail(reason, message)
    if (reason === "deferred") return { reason: "protocol", message: "heddle does not support deferred answers" }
    fillIn(message)
    blocks.endAll()
    report(message)
    finished = true
    const responseId = textOf(message["responseId"])
    const stopReason = finishReason(reason)
    blocks.push({ _tag: "Finished", stopReason, ...(responseId === "" ? {} : { responseId }) })
    return undefined
  }
  return {
    take: (event) => {
      if (!Predicate.isRecord(event) || typeof event["type"] !== "string") return garbage("it has no type")
      if (++events > mostEvents) return garbage(`there are more than ${mostEvents}`)
      if (event["type"] === "done") return finish(event)
      if (event["type"] === "error") return fail(event["reason"], bagOf(event["error"]))
      const [, kind, action = ""] = /^(text|thinking|toolcall)_(start|delta|end)$/.exec(event["type"]) ?? []
      // Other events, such as `start`, say nothing that is not in these.
      return kind === "text" || kind === "thinking" || kind === "toolcall" ? step(event, kind, action) : undefined
    },
    fault: () => unusable ?? blocks.fault(),
    end: () => (finished ? undefined : streamEnded),
    drain: blocks.drain,
    finished: () => finished,
    drainMs: lastBytesMs
  }
}

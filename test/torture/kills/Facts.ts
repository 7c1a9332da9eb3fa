/** What the agent has acknowledged by the time it is killed, and whether the session still has it. */
import { type Frame, isFrame } from "../../support/torture/Agent.ts"

const inner = (frame: Frame | undefined, name: string): Frame => {
  const value = frame?.[name]
  return isFrame(value) ? value : {}
}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const textOf = (message: unknown): string => {
  const content = isFrame(message) ? message["content"] : undefined
  if (typeof content === "string") return content
  return list(content)
    .flatMap((block) => (isFrame(block) && typeof block["text"] === "string" ? [block["text"]] : []))
    .join("")
}

const accepting = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"])
const acknowledging = new Set([
  "message_end",
  "prompt_result",
  "compaction_end",
  "agent_end",
  "queue_update",
  "session_info_changed"
])

/** A frame after which the host relies on something. */
export const isAcknowledgement = (frame: Frame) =>
  (frame["type"] === "response" && frame["id"] !== undefined) || acknowledging.has(`${frame["type"]}`)

/** Commands that hand back what is queued. */
const handsBack = (frame: Frame) =>
  frame["type"] === "clear_queue" ||
  frame["type"] === "abort_and_prompt" ||
  (frame["type"] === "abort" && frame["queue"] !== "keep")

export const make = () => {
  const textById = new Map<unknown, string>()
  /** Texts whose removal was asked for: until that is answered, both are right. */
  const mayBeGone = new Set<string>()
  const accepted = new Set<string>()
  const returned = new Set<string>()
  const ended: Array<string> = []
  let name: string | undefined
  let compacted = false
  const sending = (frame: Frame) => {
    if (handsBack(frame)) for (const text of textById.values()) mayBeGone.add(text)
    if (frame["type"] === "remove_queued_message") mayBeGone.add(`${frame["message"]}`)
    if (accepting.has(`${frame["type"]}`)) textById.set(frame["id"], `${frame["message"]}`)
  }
  const respond = (frame: Frame) => {
    if (frame["success"] !== true) return
    const text = textById.get(frame["id"])
    if (accepting.has(`${frame["command"]}`) && text !== undefined) accepted.add(text)
    if (frame["command"] === "set_session_name") name = "kept"
    const data = inner(frame, "data")
    const handed = frame["command"] === "clear_queue" ? data : inner(data, "cleared")
    for (const each of [...list(handed["steering"]), ...list(handed["followUp"])]) returned.add(`${each}`)
    if (data["removed"] === true) returned.add(`${inner(data, "item")["text"]}`)
  }
  const take = (frame: Frame) => {
    if (frame["type"] === "response") respond(frame)
    if (frame["type"] === "message_end") ended.push(JSON.stringify(frame["message"]))
    if (frame["type"] === "compaction_end" && frame["result"] !== undefined) compacted = true
  }

  interface Found {
    readonly messages: Frame | undefined
    readonly queue: Frame | undefined
    readonly state: Frame | undefined
    /** All entries: also those that a compaction hides from the model. */
    readonly entries: Frame | undefined
  }
  const check = (found: Found): ReadonlyArray<string> => {
    const wrong: Array<string> = []
    const stored = list(inner(found.entries, "data")["entries"])
      .filter(isFrame)
      .filter((entry) => entry["type"] === "message")
      .map((entry) => entry["message"])
    const users = stored.filter((message) => isFrame(message) && message["role"] === "user").map(textOf)
    const queued = list(inner(found.queue, "data")["items"]).map((item) => (isFrame(item) ? `${item["text"]}` : ""))
    for (const text of accepted) {
      const times = [...users, ...queued].filter((each) => each === text).length
      if (returned.has(text)) {
        if (times > 0) wrong.push(`"${text}" was handed back and is still there`)
      } else if (times === 0 && !mayBeGone.has(text)) wrong.push(`"${text}" was acknowledged and is lost`)
      if (times > 1) wrong.push(`"${text}" is there ${times} times`)
    }
    const all = stored.map((message) => JSON.stringify(message))
    const missing = ended.filter((message) => !all.includes(message))
    if (missing.length > 0)
      wrong.push(`${missing.length} of ${ended.length} messages that had ended are lost: ${missing[0]?.slice(0, 200)}`)
    const calls = stored.flatMap((message) =>
      isFrame(message) && message["role"] === "toolResult" ? [message["toolCallId"]] : []
    )
    if (new Set(calls).size !== calls.length) wrong.push("a call has two results")
    if (name !== undefined && inner(found.state, "data")["sessionName"] !== name) wrong.push("the name is lost")
    if (compacted && !JSON.stringify(found.messages ?? "").includes("compactionSummary"))
      wrong.push("the compaction is lost")
    return wrong
  }
  return { sending, take, check }
}

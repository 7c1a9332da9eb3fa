/**
 * What the agent owes for what it has acknowledged. Each accepted message is delivered once or handed back once, each
 * accepted prompt ends with exactly one `prompt_result`, and each command has one response.
 */
import { type Frame, isFrame } from "../../support/torture/Agent.ts"

interface Accepted {
  readonly messageId: string
  readonly isPrompt: boolean
  readonly requestId: unknown
}

const dataOf = (frame: Frame): Frame => {
  const data = frame["data"]
  return isFrame(data) ? data : {}
}
const texts = (value: unknown): ReadonlyArray<string> =>
  isFrame(value) ? [value["steering"], value["followUp"]].flatMap((list) => (Array.isArray(list) ? list : [])) : []

const messaging = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"])
const changesSession = new Set(["new_session", "clone", "switch_session", "branch"])

export const make = (violate: (what: string) => void) => {
  const sent = new Map<unknown, { readonly type: string; readonly runAtSending: unknown; answers: number }>()
  const accepted = new Map<string, Accepted>()
  const byText = new Map<string, string>()
  const delivered = new Map<string, number>()
  const returned = new Map<string, string>()
  const results = new Map<unknown, number>()
  const dropped = new Set<string>()
  const ended = new Set<unknown>()
  const started = new Set<unknown>()

  const give = (messageId: string, how: string) => {
    const before = returned.get(messageId)
    // That a change of session took it is only supposed: an abort_and_prompt behind it may have, when it arrived.
    if (before !== undefined && !changesSession.has(before))
      violate(`the message ${messageId} was handed back twice: ${before}, ${how}`)
    if (delivered.has(messageId)) violate(`the message ${messageId} was delivered and then handed back by ${how}`)
    returned.set(messageId, how)
  }
  const giveTexts = (value: unknown, how: string) => {
    for (const text of texts(value)) {
      const messageId = byText.get(text)
      if (messageId === undefined) violate(`${how} hands back a text that nobody sent: ${text}`)
      else give(messageId, how)
    }
  }

  const accept = (frame: Frame) => {
    const data = dataOf(frame)
    const messageId = `${data["messageId"]}`
    if (data["duplicate"] === true) return
    const isPrompt = frame["command"] === "prompt" || frame["command"] === "abort_and_prompt"
    accepted.set(messageId, { messageId, isPrompt, requestId: frame["id"] })
    if (data["disposition"] === "started" && started.has(data["runId"]))
      violate("agent_start comes before the response to its prompt")
  }

  const respond = (frame: Frame) => {
    const request = sent.get(frame["id"])
    if (request === undefined) return
    if (++request.answers > 1) violate(`two responses to ${request.type} ${frame["id"]}`)
    if (frame["command"] !== request.type) violate(`${request.type} is answered as ${frame["command"]}`)
    const given = dataOf(frame)["cleared"]
    if (given !== undefined) giveTexts(given, request.type)
    if (frame["success"] !== true) return
    // One that the host has cancelled itself is answered at once, as a failure.
    if (request.type === "abort" && request.runAtSending !== undefined && !ended.has(request.runAtSending))
      violate("abort is answered before agent_end")
    const data = dataOf(frame)
    if (messaging.has(request.type)) accept(frame)
    if (request.type === "clear_queue") giveTexts(data, "clear_queue")
    if (request.type === "remove_queued_message" && data["removed"] === true && isFrame(data["item"]))
      give(`${data["item"]["messageId"]}`, "remove_queued_message")
    if (request.type === "edit_queued_message") byText.set(`${data["text"]}`, `${data["messageId"]}`)
    if (changesSession.has(request.type))
      for (const messageId of accepted.keys())
        if (!delivered.has(messageId) && !returned.has(messageId)) returned.set(messageId, request.type)
  }

  const deliver = (frame: Frame) => {
    const message = frame["message"]
    if (!isFrame(message) || message["role"] !== "user") return
    const messageId = `${frame["messageId"]}`
    delivered.set(messageId, (delivered.get(messageId) ?? 0) + 1)
    const how = returned.get(messageId)
    if (how !== undefined) violate(`the message ${messageId} was handed back by ${how} and then delivered`)
  }

  /** A prompt that no run has taken is handed back by its result: a new_session that was cancelled has dropped the queue. */
  const finishPrompt = (frame: Frame) => {
    results.set(frame["id"], (results.get(frame["id"]) ?? 0) + 1)
    if (frame["agentInvoked"] !== false) return
    for (const { messageId, requestId } of accepted.values())
      if (requestId === frame["id"] && !returned.has(messageId)) dropped.add(messageId)
  }

  const take = (frame: Frame) => {
    if (frame["type"] === "response") respond(frame)
    else if (frame["type"] === "message_start") deliver(frame)
    else if (frame["type"] === "agent_start") started.add(frame["runId"])
    else if (frame["type"] === "agent_end") ended.add(frame["runId"])
    else if (frame["type"] === "prompt_result") finishPrompt(frame)
    else if (frame["type"] === "queue_update" && Array.isArray(frame["items"]))
      for (const item of frame["items"]) if (isFrame(item)) byText.set(`${item["text"]}`, `${item["messageId"]}`)
  }

  return {
    take,
    sending: (frame: Frame, runAtSending: unknown) =>
      void sent.set(frame["id"], { type: `${frame["type"]}`, runAtSending, answers: 0 }),
    unanswered: () => [...sent].filter(([, { answers }]) => answers === 0).map(([id, { type }]) => `${type} ${id}`),
    openPrompts: () =>
      [...accepted.values()].filter(({ isPrompt, requestId }) => isPrompt && !results.has(requestId)).length,
    /** The queue is empty by then: what was accepted has been delivered or handed back. */
    finish: () => {
      for (const { isPrompt, messageId, requestId } of accepted.values()) {
        const times = delivered.get(messageId) ?? 0
        if (times > 1) violate(`the message of ${requestId} was delivered ${times} times`)
        if (times === 0 && !returned.has(messageId) && !dropped.has(messageId))
          violate(`the message of ${requestId} is lost`)
        const ends = results.get(requestId) ?? 0
        if (isPrompt && ends !== 1) violate(`the prompt ${requestId} has ${ends} prompt_result`)
      }
      const known = new Set([...accepted.values()].map(({ requestId }) => requestId))
      for (const id of results.keys()) if (!known.has(id)) violate(`a prompt_result for ${id}, which was not accepted`)
    }
  }
}

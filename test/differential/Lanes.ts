/**
 * What a build wrote, by lanes: in each, order is part of the contract; between two of them it is not. Frames become
 * short lines without times, counters and figures, and ids get numbers in the order in which they appear.
 */
export interface Lanes {
  /** Of commands that run one after the other. */
  readonly answers: ReadonlyArray<string>
  /** Where runs begin and end between the answers of commands that begin or end them. */
  readonly runs: ReadonlyArray<string>
  /** Of commands that are answered on arrival, in the order of the commands. */
  readonly onArrival: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
}

export const names = ["answers", "runs", "onArrival", "events"] as const

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Frame = { readonly [key: string]: Json }

const isRecord = (value: Json | undefined): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Times, figures, what goldens compare in full, and what is the same all along or told by the event before. */
const leftOut = new Set(
  [
    "seq epoch timestamp createdAt startedAt now ageMs ms durationMs usage cost api baseUrl parentId success command type",
    "contextUsage systemPrompt tools details toolResults tokensBefore estimatedTokensAfter position images commands todoPhases",
    "autoCompactionEnabled autoRetryEnabled tokensPerSecond yielded isTerminal model sessionId runId"
  ].flatMap((names) => names.split(" "))
)

/** `user: Hello`, `assistant(aborted): Turn 1`. */
const messageText = (message: Frame) => {
  const { content, role, stopReason } = message
  const blocks = Array.isArray(content) ? content : [content ?? ""]
  const texts = blocks.map((block) => {
    if (!isRecord(block)) return String(block)
    return String(block["text"] ?? block["thinking"] ?? block["name"] ?? block["type"])
  })
  const stop = stopReason === undefined || stopReason === "stop" ? "" : `(${String(stopReason)})`
  return `${String(role)}${stop}: ${texts.join(" | ")}`
}

const isPlain = (value: Json) => value === false || (Array.isArray(value) && value.length === 0)

const short = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(short).join(", ")}]`
  if (!isRecord(value)) return typeof value === "string" ? value : JSON.stringify(value)
  if (typeof value["role"] === "string") return messageText(value)
  const members = Object.entries(value).filter(([key, member]) => !leftOut.has(key) && !isPlain(member))
  return `{${members.map(([key, member]) => `${key}: ${short(member)}`).join(", ")}}`
}

/** Messages are told in full when they end. */
const event = (frame: Frame) => {
  const { message, messages, runId, type, ...rest } = frame
  const ends = String(type) === "message_end"
  const role = isRecord(message) && !ends ? ` ${String(message["role"])}` : ""
  const run = /^(agent_|prompt_)/.test(String(type)) && runId !== undefined ? ` ${String(runId)}` : ""
  const count = Array.isArray(messages) ? ` ${messages.length} messages` : ""
  return `${String(type)}${run}${role}${count} ${short(ends && message !== undefined ? { ...rest, message } : rest)}`
}

const onArrival =
  /^(get_|list_|edit_|remove_|promote_|negotiate_|(abort(_retry|_bash|_compaction)?|bash|cancel|ping|initialize|parse)$)/

const touchesRuns =
  /^(prompt|abort|abort_and_prompt|new_session|switch_session|open_session|branch|fork|clone|navigate_tree|compact)$/

const runEvents =
  /^(agent_start|agent_end|prompt_result|compaction_start|compaction_end|session_info_changed|session_settled)$/

const stateKeys = [
  "sessionId",
  "isStreaming",
  "isCompacting",
  "messageCount",
  "pendingMessageCount",
  "thinkingLevel"
].concat(["steeringMode", "followUpMode", "interruptMode", "sessionName"])

/** What a chunk of commands may change. */
const state = (data: Frame) => stateKeys.map((key) => short(data[key] ?? "-")).join(" ")

const dataOf = ({ command, data }: Frame) => {
  if (!isRecord(data)) return ""
  if (command === "get_state") return ` ${state(data)}`
  const { runId, sessionId } = data
  return ` ${[runId, sessionId]
    .filter((id) => id !== undefined)
    .map(String)
    .join(" ")} ${short(data)}`
}

const answer = (frame: Frame) => {
  const outcome = frame["success"] === true ? "ok" : String(frame["code"] ?? frame["error"])
  return `${String(frame["id"] ?? frame["requestId"] ?? "-")} ${String(frame["command"])}: ${outcome}${dataOf(frame)}`
}

const inner = (event: Json | undefined) => (isRecord(event) ? event : {})

/** Pieces of a message in a row are one line: where they are cut, and what merged, is a matter of time. */
const update = (frame: Frame) => {
  const { delta, type } = inner(frame["assistantMessageEvent"])
  return {
    key: `update ${String(frame["messageId"])}: `,
    text: typeof delta === "string" ? delta : `<${String(type)}>`
  }
}

const numbered = () => {
  const counts = new Map<string, number>()
  const known = new Map<string, string>()
  return (line: string) =>
    line.replaceAll(/\b(run|msg|cmp|host_cancel|host|ui|fb|session|entry)[_-](\d+)\b/g, (id, kind) => {
      const found = known.get(id)
      if (found !== undefined) return found
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      const name = `${kind}#${count}`
      known.set(id, name)
      return name
    })
}

/** From the lines of a golden transcript. */
export const of = (played: ReadonlyArray<string>): Lanes => {
  const lanes = { answers: new Array<string>(), runs: new Array<string>(), events: new Array<string>() }
  const arrival: Array<readonly [order: number, line: string]> = []
  const sent = played.filter((line) => line.startsWith("> "))
  const order = new Map(sent.map((line, at) => [/"id":"([^"]+)"/.exec(line)?.[1] ?? "-", at]))
  let [open, session] = ["", ""]
  for (const line of played.filter((line) => line.startsWith("< "))) {
    const frame: Frame = JSON.parse(line.slice(2))
    const type = String(frame["type"])
    if (type === "response") {
      const command = String(frame["command"])
      const told = answer(frame)
      if (touchesRuns.test(command)) lanes.runs.push(told)
      if (onArrival.test(command)) arrival.push([order.get(String(frame["id"])) ?? -1, told])
      else lanes.answers.push(told)
      continue
    }
    if (type === "ready" || type === "startup") continue
    if (frame["sessionId"] !== undefined && frame["sessionId"] !== session) {
      session = String(frame["sessionId"])
      lanes.events.push(`in ${session}:`)
    }
    if (type === "message_update") {
      const { key, text } = update(frame)
      if (open === key) lanes.events.push(`${lanes.events.pop() ?? ""}${text}`)
      else lanes.events.push(`${key}${text}`)
      open = key
      continue
    }
    open = ""
    lanes.events.push(event(frame))
    if (runEvents.test(type)) lanes.runs.push(`${type} ${String(frame["runId"] ?? frame["id"] ?? "")}`)
  }
  const asked = arrival.toSorted(([one], [other]) => one - other).map(([, line]) => line)
  const name = numbered()
  const events = lanes.events.map(name)
  return { events, answers: lanes.answers.map(name), runs: lanes.runs.map(name), onArrival: asked.map(name) }
}

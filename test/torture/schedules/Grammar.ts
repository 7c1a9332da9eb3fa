/** The order of the frames of runs (protocol.md 4.2, supplement 4.3), as test/support/agent/EventGrammar.ts has it for events. */
import { type Frame, isFrame } from "../../support/torture/Agent.ts"

interface Run {
  readonly runId: unknown
  readonly messages: Array<string>
  turns: number
  turn?: { hasAnswer: boolean; readonly calls: Map<string, "asked" | "started" | "ended" | "answered"> }
  open?: { readonly messageId: unknown; readonly role: unknown; text: string }
}

const inner = (frame: Frame, name: string): Frame => {
  const value = frame[name]
  return isFrame(value) ? value : {}
}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const blocks = (message: Frame): ReadonlyArray<Frame> => list(message["content"]).filter(isFrame)

const callsOf = (message: Frame) =>
  blocks(message).flatMap((block) => (block["type"] === "toolCall" ? [`${block["id"]}`] : []))

/** Thinking and text of an assistant message, in order: what the deltas have to add up to. */
const said = (message: Frame) =>
  blocks(message)
    .map((block) => (block["type"] === "text" ? block["text"] : block["type"] === "thinking" ? block["thinking"] : ""))
    .join("")

export const make = (violate: (what: string) => void) => {
  let run: Run | undefined
  let ending: ReadonlyArray<string> = []
  let type = ""
  const must = (holds: boolean, rule: string) => {
    if (!holds) violate(`${type}: ${rule}`)
  }

  const startMessage = (frame: Frame) => {
    const message = inner(frame, "message")
    must(run?.turn !== undefined, "a message belongs to a turn")
    must(run?.open === undefined, "messages do not overlap")
    if (message["role"] === "user") must(run?.turn?.hasAnswer === false, "user messages come before the answer")
    if (message["role"] === "toolResult")
      must(run?.turn?.calls.get(`${message["toolCallId"]}`) === "ended", "a result follows the end of its call")
    if (run !== undefined) run.open = { messageId: frame["messageId"], role: message["role"], text: "" }
  }

  const endMessage = (frame: Frame) => {
    const message = inner(frame, "message")
    must(
      run?.open?.messageId === frame["messageId"] && run?.open?.role === message["role"],
      "a message ends that has started"
    )
    const isAnswer = message["role"] === "assistant"
    if (isAnswer) must(run?.open?.text === said(message), "the deltas add up to the message")
    run?.messages.push(JSON.stringify(message))
    if (run !== undefined) delete run.open
    if (message["role"] === "toolResult") run?.turn?.calls.set(`${message["toolCallId"]}`, "answered")
    if (!isAnswer || run?.turn === undefined) return
    must(!run.turn.hasAnswer, "a turn has one answer")
    run.turn.hasAnswer = true
    for (const id of callsOf(message)) run.turn.calls.set(id, "asked")
  }

  const update = (frame: Frame) => {
    must(run?.open?.role === "assistant" && run.open.messageId === frame["messageId"], "only an open answer is updated")
    const event = inner(frame, "assistantMessageEvent")
    if (run?.open !== undefined && (event["type"] === "text_delta" || event["type"] === "thinking_delta"))
      run.open.text += `${event["delta"]}`
  }

  const tool = (frame: Frame) => {
    const id = `${frame["toolCallId"]}`
    const state = run?.turn?.calls.get(id)
    must(state === (type === "tool_execution_start" ? "asked" : "started"), "a call starts, reports and ends in order")
    if (type === "tool_execution_start") run?.turn?.calls.set(id, "started")
    if (type === "tool_execution_end") run?.turn?.calls.set(id, "ended")
  }

  const endTurn = (frame: Frame) => {
    must(run?.turn?.hasAnswer === true && run.open === undefined, "a turn ends with its answer")
    const states = [...(run?.turn?.calls.values() ?? [])]
    must(
      states.every((state) => state === "answered"),
      "every call has its result"
    )
    must(list(frame["toolResults"]).length === states.length, "turn_end has every result")
    if (run !== undefined) delete run.turn
  }

  const endRun = (frame: Frame) => {
    must(run !== undefined && run.turn === undefined && run.turns > 0, "a run ends after its last turn")
    const messages = list(frame["messages"]).map((message) => JSON.stringify(message))
    must(messages.join() === run?.messages.join(), "agent_end has every message, in order")
    run = undefined
    ending = ["agent_settled"]
  }

  const take = (frame: Frame) => {
    type = `${frame["type"]}`
    if (type === "response") return
    if (ending.length > 0 && type !== "prompt_result" && type !== "bash_execution_update" && type !== "queue_update") {
      must(type === ending[0], `${ending[0]} is due`)
      ending = ending.slice(1)
    }
    switch (type) {
      case "agent_start":
        must(run === undefined, "one run at a time")
        run = { runId: frame["runId"], messages: [], turns: 0 }
        return
      case "turn_start":
        must(run !== undefined && run.turn === undefined, "turns do not overlap")
        must(frame["turnIndex"] === run?.turns, "turns are counted")
        if (run !== undefined) {
          run.turns++
          run.turn = { hasAnswer: false, calls: new Map() }
        }
        return
      case "message_start":
        return startMessage(frame)
      case "message_end":
        return endMessage(frame)
      case "message_update":
        return update(frame)
      case "tool_execution_start":
      case "tool_execution_update":
      case "tool_execution_end":
        return tool(frame)
      case "turn_end":
        return endTurn(frame)
      case "agent_end":
        must(frame["runId"] === run?.runId, "the run ends that goes on")
        return endRun(frame)
      default:
        return
    }
  }
  return {
    take,
    runId: () => run?.runId,
    finish: () => must(run === undefined && ending.length === 0, "everything that began has ended")
  }
}

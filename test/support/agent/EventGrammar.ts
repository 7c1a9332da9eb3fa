/** What must hold of any sequence of events, whatever a host does and when: the order of protocol.md 4.2 and supplement 4.3. */
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import type { ToolCall } from "../../../src/domain/conversation/Content.ts"
import type { AssistantMessage, RunMessage } from "../../../src/domain/conversation/Message.ts"
import * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"

interface Call {
  readonly call: ToolCall
  state: "asked" | "started" | "ended" | "answering" | "answered"
}

interface Turn {
  readonly index: number
  calls: ReadonlyArray<Call>
  message?: AssistantMessage
}

/** Between RunStarted and RunEnded. */
interface Run {
  readonly runId: string
  readonly messages: Array<RunMessage>
  turns: number
  turn?: Turn
  open?: { readonly messageId: string; readonly role: string; block: boolean }
}

const callsOf = (message: AssistantMessage): ReadonlyArray<Call> =>
  message.content.flatMap((block) => (block.type === "toolCall" ? [{ call: block, state: "asked" as const }] : []))

/** The rules that were broken, each with the place; none is what a test wants to see. */
export const violations = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> => {
  const broken: Array<string> = []
  let run: Run | undefined
  /** The end markers that are due before anything else may happen. */
  let ending: ReadonlyArray<AgentEvent["_tag"]> = []
  let queue = MessageQueue.empty
  let settled = true
  /** What the newest report after a run says of the session. A run that an extension started may have none. */
  let reported: boolean | undefined
  let mayHaveSettled = false
  /** A run without turns: a hook has dealt with its prompt. */
  let emptyRun: string | undefined
  let at = 0
  const must = (holds: boolean, rule: string) => {
    if (!holds) broken.push(`${at} ${events[at]?._tag}: ${rule}`)
  }

  const message = (event: Extract<AgentEvent, { _tag: "MessageStarted" | "MessageEnded" }>, turn: Turn | undefined) => {
    const { message, messageId } = event
    const call = turn?.calls.find(({ call }) => message.role === "toolResult" && call.id === message.toolCallId)
    if (event._tag === "MessageStarted") {
      must(turn !== undefined, "a message belongs to a turn")
      must(run?.open === undefined, "messages do not overlap")
      if (message.role === "user" || message.role === "custom") {
        must(turn?.message === undefined, "messages to the model come before the answer")
        must(MessageQueue.find(queue, messageId) === undefined, "a message leaves the queue before it starts")
      }
      if (message.role === "toolResult") must(call?.state === "ended", "a result follows the end of its call")
      if (call !== undefined) call.state = "answering"
      if (run !== undefined) run.open = { messageId, role: message.role, block: false }
      return
    }
    must(run?.open?.messageId === messageId && run.open.role === message.role, "a message ends that has started")
    must(run?.open?.block === false, "a message ends with its last block")
    if (run !== undefined) delete run.open
    run?.messages.push(message)
    if (call !== undefined) call.state = "answered"
    if (message.role !== "assistant" || turn === undefined) return
    must(turn.message === undefined, "a turn has one answer")
    turn.message = message
    turn.calls = callsOf(message)
  }

  /** Custom messages may come at any time, but not between a turn's messages. */
  const outside = (event: Extract<AgentEvent, { _tag: "MessageStarted" | "MessageEnded" }>) => {
    must(event.message.role === "custom", "only custom messages belong to no run")
    must(run?.turn === undefined, "a message outside a run comes between turns")
    must(MessageQueue.find(queue, event.messageId) === undefined, "what is queued belongs to a run")
  }

  const tool = (event: Extract<AgentEvent, { _tag: "ToolStarted" | "ToolUpdated" | "ToolEnded" }>) => {
    const call = run?.turn?.calls.find(({ call }) => call.id === event.toolCallId)
    must(
      call?.state === (event._tag === "ToolStarted" ? "asked" : "started"),
      "a call starts, reports and ends in order"
    )
    if (call === undefined) return
    if (event._tag === "ToolStarted") call.state = "started"
    if (event._tag === "ToolEnded") call.state = "ended"
  }

  /** The session settles with the last prompt that somebody waits for, when no run goes on. */
  const finished = ({ runId, sessionSettled, status }: Extract<AgentEvent, { _tag: "PromptFinished" }>) => {
    must(runId === undefined || runId !== emptyRun || status === "completed", "a run that is cut off has a turn")
    const mayBeSettled = run === undefined
    must(mayBeSettled || !sessionSettled, "no session has settled while a run goes on")
    must(!mayBeSettled || sessionSettled || MessageQueue.size(queue) > 0, "only queued prompts hold up a session")
    reported = sessionSettled
    if (sessionSettled && !settled && ending.length === 0) ending = ["SessionSettled"]
  }

  const mark = (event: AgentEvent) => {
    must(event._tag === ending[0], `${ending[0]} is due`)
    if (event._tag === "SessionSettled") settled = true
    mayHaveSettled = event._tag === "RunSettled" && reported === undefined
    ending = event._tag === "RunSettled" && reported === true ? ["SessionSettled"] : ending.slice(1)
  }

  const step = (event: AgentEvent) => {
    // Code of others may fail at any event.
    if (event._tag === "ExtensionFailed") return
    if (ending.length > 0 && event._tag !== "PromptFinished") return mark(event)
    if ("runId" in event && event._tag !== "RunStarted" && event._tag !== "PromptFinished") {
      must(event.runId === run?.runId, "an event belongs to the run that goes on")
    }
    switch (event._tag) {
      case "RunStarted":
        must(run === undefined, "one run at a time")
        run = { runId: event.runId, messages: [], turns: 0 }
        settled = false
        return
      case "TurnStarted":
        must(run?.turn === undefined, "turns do not overlap")
        must(event.turnIndex === run?.turns, "turns are counted")
        if (run !== undefined) run.turn = { index: run.turns++, calls: [] }
        return
      case "MessageStarted":
      case "MessageEnded":
        return event.runId === undefined ? outside(event) : message(event, run?.turn)
      case "MessageUpdated": {
        const open = run?.open
        must(open?.role === "assistant" && open.messageId === event.messageId, "only an open answer is updated")
        must(open?.block === (event.update.step !== "start"), "blocks open and close in turn")
        if (open !== undefined) open.block = event.update.step !== "end"
        return
      }
      case "ToolStarted":
      case "ToolUpdated":
      case "ToolEnded":
        return tool(event)
      case "TurnEnded": {
        const turn = run?.turn
        must(turn?.message === event.message && run?.open === undefined, "a turn ends with its answer")
        must(turn?.calls.every(({ state }) => state === "answered") === true, "every call has its result")
        const results = event.toolResults.map(({ toolCallId }) => toolCallId).join()
        must(results === turn?.calls.map(({ call }) => call.id).join(), "results in the order of the calls")
        if (run !== undefined) delete run.turn
        return
      }
      case "RunEnded":
        must(run !== undefined && run.turn === undefined, "a run ends after its last turn")
        must(event.messages.length === run?.messages.length, "agent_end has every message")
        must(
          event.messages.every((message, i) => message === run?.messages[i]),
          "agent_end has them in order"
        )
        emptyRun = run?.turns === 0 ? event.runId : undefined
        run = undefined
        reported = undefined
        ending = ["RunSettled"]
        return
      case "PromptFinished":
        return finished(event)
      case "QueueChanged":
        must(event.queue.revision > queue.revision, "every change is a new revision")
        queue = event.queue
        return
      case "SessionSettled":
        must(mayHaveSettled, "comes with the end of a run or of a prompt only")
        settled = true
        mayHaveSettled = false
        return
      case "RunSettled":
        return must(false, "comes with the end of a run or of a prompt only")
      default:
        return
    }
  }

  for (const event of events) {
    step(event)
    at++
  }
  at--
  must(run === undefined && ending.length === 0, "everything that began has ended")
  return broken
}

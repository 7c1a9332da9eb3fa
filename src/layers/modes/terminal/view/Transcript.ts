/** What happens in a session as rows: final ones for the scrollback, and live ones for what still changes. */
import type { AgentEvent, EventOf, ToolRef } from "../../../../domain/conversation/AgentEvent.ts"
import type { RunMessage, ToolOutput } from "../../../../domain/conversation/Message.ts"
import type { Style } from "../screen/Style.ts"
import * as Answer from "./Answer.ts"
import * as Messages from "./Messages.ts"
import * as Notices from "./Notices.ts"
import * as ToolLines from "./ToolLines.ts"

export interface Transcript {
  /** The rows that are final with this event. */
  readonly event: (event: AgentEvent) => ReadonlyArray<string>
  readonly notice: (notice: Notices.Notice) => ReadonlyArray<string>
  /** Rows of a command of the person, as they are. */
  readonly print: (rows: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly items: (items: ReadonlyArray<Answer.Item>) => ReadonlyArray<string>
  readonly live: () => ReadonlyArray<string>
  /** All of the output of the tool call that ended last. */
  readonly lastOutput: () => ReadonlyArray<string>
}

interface Running extends ToolLines.Call {
  partial?: ToolOutput
}

/** What comes after the last try of a model call. */
const ends = new Set<AgentEvent["_tag"]>(["TurnStarted", "CompactionStarted", "RunEnded"])

/** Calls and notices in a row stand together. */
const isClose = (kind: Answer.Item["kind"]) => kind === "tool" || kind === "notice"

export const make = (style: Style, width: () => number): Transcript => {
  const answer = Answer.make(style, width)
  const calls = new Map<string, Running>()
  let last: Answer.Item["kind"] | undefined
  let lastCall: ToolLines.Ended | undefined
  /** Why the model failed, until it is known whether the notice of a retry says so. */
  let failure: Notices.Notice | undefined

  const spaced = ({ continues, kind, rows }: Answer.Item): ReadonlyArray<string> => {
    const isGlued = continues || (kind === last && isClose(kind))
    return rows.length === 0 || isGlued ? rows : ["", ...rows]
  }
  const items = (found: ReadonlyArray<Answer.Item>) =>
    found.flatMap((item) => {
      const rows = spaced(item)
      if (rows.length > 0) last = item.kind
      return rows
    })
  const notice = (found: Notices.Notice | undefined) =>
    found === undefined ? [] : items([Messages.notice(found, style, width())])

  const messageStarted = (message: RunMessage) => {
    // Where lines are not replaced, what was typed is still there.
    if (message.role === "user") return style.plain ? [] : items([Messages.user(message, style, width())])
    return message.role === "custom" && message.display ? items([Messages.custom(message.content, style, width())]) : []
  }
  const messageEnded = (message: RunMessage) => {
    if (message.role !== "assistant") return []
    const rows = items(answer.end())
    const ending = Messages.ending(message)
    if (ending?.level !== "error") return [...rows, ...notice(ending)]
    failure = ending
    return rows
  }
  const failed = () => {
    const shown = failure
    failure = undefined
    return notice(shown)
  }

  const toolStarted = ({ args, toolCallId, toolName }: ToolRef) => {
    calls.set(toolCallId, { name: toolName, args })
    return []
  }
  const toolUpdated = ({ toolCallId }: ToolRef, partial: ToolOutput) => {
    const call = calls.get(toolCallId)
    if (call !== undefined) call.partial = partial
    return []
  }
  const toolEnded = (event: EventOf<"ToolEnded">) => {
    const { durationMs, isError, result, toolCallId, toolName: name } = event
    const args = calls.get(toolCallId)?.args ?? {}
    calls.delete(toolCallId)
    lastCall = { name, args, result, isError, durationMs }
    return items([{ kind: "tool", rows: ToolLines.ended(lastCall, style, width()), continues: false }])
  }

  const rowsOf = (happened: AgentEvent): ReadonlyArray<string> => {
    switch (happened._tag) {
      case "MessageStarted":
        return messageStarted(happened.message)
      case "MessageUpdated": {
        const block = happened.draft.blocks?.last
        return items(answer.update(happened.update, block?.type === "toolCall" ? block.name : undefined))
      }
      case "MessageEnded":
        return messageEnded(happened.message)
      case "ToolStarted":
        return toolStarted(happened)
      case "ToolUpdated":
        return toolUpdated(happened, happened.partialResult)
      case "ToolEnded":
        return toolEnded(happened)
      case "RunEnded":
        calls.clear()
        return []
      case "PromptFinished":
        return happened.error?.code === "budget_exceeded"
          ? notice({ level: "error", text: happened.error.message })
          : []
      default:
        return notice(Notices.of(happened))
    }
  }

  const event = (happened: AgentEvent): ReadonlyArray<string> => {
    if (happened._tag === "RetryScheduled") failure = undefined
    return ends.has(happened._tag) ? [...failed(), ...rowsOf(happened)] : rowsOf(happened)
  }

  const liveCalls = (): Answer.Item | undefined => {
    if (calls.size === 0) return undefined
    const rows = [...calls.values()].flatMap((call) => ToolLines.running(call, call.partial, style, width()))
    return { kind: "tool", rows, continues: false }
  }

  return {
    event,
    notice,
    items,
    print: (rows) => items([{ kind: "text", rows, continues: false }]),
    live: () => {
      const item = answer.live() ?? liveCalls()
      return item === undefined ? [] : spaced(item)
    },
    lastOutput: () => {
      if (lastCall === undefined) return notice({ level: "info", text: "No tool has been called yet." })
      const rows = ToolLines.whole(lastCall, style, width())
      return items([{ kind: "text", rows, continues: false }])
    }
  }
}

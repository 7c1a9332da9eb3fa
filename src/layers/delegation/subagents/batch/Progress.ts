/** How far a subagent has come, from the events of its session (protocol.md 14.3, `progress`). */
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import { plainText, type JsonObject } from "../../../../domain/conversation/Content.ts"
import type { SubagentProgress, SubagentStatus } from "../../../../domain/subagents/Subagent.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Text from "../../../../domain/Text.ts"

const mostTools = 5
const mostLines = 8
const longestText = 120

/** What a call is about: its first argument that is a text. */
const about = (args: JsonObject) => {
  const subject = Object.values(args).find((value) => typeof value === "string")
  return typeof subject === "string" ? Text.fit(subject.trim().split("\n", 1).join(), longestText) : ""
}

export interface Begun {
  readonly index: number
  readonly id: string
  readonly agent: string
  readonly task: string
  readonly description?: string
}

type RecentTool = SubagentProgress["recentTools"][number]

export const make = (begun: Begun, now: () => number) => {
  const startedAt = now()
  let status: SubagentStatus = "pending"
  let current: { readonly id: string; readonly tool: string; readonly args: string } | undefined
  let recentTools: ReadonlyArray<RecentTool> = []
  let recentOutput: ReadonlyArray<string> = []
  let toolCount = 0
  let tokens = 0
  let endedAt: number | undefined

  /** Whether the event has changed anything. */
  const see = (event: AgentEvent): boolean => {
    switch (event._tag) {
      case "ToolStarted": {
        toolCount++
        current = { id: event.toolCallId, tool: event.toolName, args: about(event.args) }
        return true
      }
      case "ToolEnded": {
        const args = current?.id === event.toolCallId ? current.args : ""
        recentTools = [{ tool: event.toolName, args, endMs: now() }, ...recentTools].slice(0, mostTools)
        if (current?.id === event.toolCallId) current = undefined
        return true
      }
      case "MessageEnded": {
        const { message } = event
        if (message.role !== "assistant") return false
        tokens += message.usage.totalTokens
        const lines = plainText(message.content.filter((block) => block.type === "text"))
          .split("\n")
          .filter((line) => line.trim() !== "")
        recentOutput = [...recentOutput, ...lines.map((line) => Text.fit(line, longestText))].slice(-mostLines)
        return true
      }
      default: {
        return false
      }
    }
  }

  const snapshot = (): SubagentProgress => ({
    ...begun,
    status,
    ...defined({ currentTool: current?.tool, currentToolArgs: current?.args }),
    recentTools,
    recentOutput,
    toolCount,
    tokens,
    durationMs: Math.max(0, (endedAt ?? now()) - startedAt)
  })

  return {
    see,
    snapshot,
    become: (next: SubagentStatus) => {
      status = next
      if (next === "pending" || next === "running") return
      endedAt = now()
      current = undefined
    }
  }
}

export type Progress = ReturnType<typeof make>

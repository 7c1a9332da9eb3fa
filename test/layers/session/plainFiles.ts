/** Session files as we write them, for properties. */
import { FastCheck as fc } from "effect"
import * as Usage from "../../../src/domain/model/Usage.ts"

export const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }
const message = (body: object) => ({ type: "message", message: { ...body, timestamp: 0 } })
const answer = (content: ReadonlyArray<object>, model = "m") =>
  message({ role: "assistant", content, api: "x", provider: "p", model, usage: Usage.zero, stopReason: "toolUse" })
const call = { type: "toolCall", id: "call", name: "t", arguments: { parent: '{"type":"message"', nested: [1] } }

const ran = { role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false }

const custom = { customType: "x", content: "y", display: true }

const messageIds = fc.constantFrom("m1", "m2", "m3")

/** The last one is damaged. */
const phases = fc.constantFrom<ReadonlyArray<object>>(
  [],
  [{ id: "phase-1", name: "P", tasks: [{ id: "task-1", content: "c", status: "pending" }] }],
  [{ id: "phase-1", name: "P", tasks: [{ id: "task-1", content: "c", status: "completed" }] }],
  [{ id: "phase-1" }]
)

/** Everything that our own files hold; entries name others by their place in the file. */
const bodies = fc.oneof(
  fc.string().map((text) => message({ role: "user", content: [{ type: "text", text }] })),
  fc.constantFrom(answer([]), answer([], "n"), answer([call]), answer([call, { ...call, id: "other" }])),
  fc
    .constantFrom("call", "other")
    .map((toolCallId) => message({ role: "toolResult", toolCallId, toolName: "t", content: [], isError: false })),
  fc.tuple(phases, fc.boolean()).map(([phases, isError]) =>
    message({
      role: "toolResult",
      toolCallId: "call",
      toolName: "todo_write",
      content: [],
      details: { phases },
      isError
    })
  ),
  phases.map((phases) => ({ type: "todo_state", phases })),
  fc.constantFrom(
    message(ran),
    { type: "custom_message", ...custom },
    { type: "custom_message", ...custom, customType: "todo-update" },
    { type: "branch_summary", fromId: "root", summary: "s" },
    { type: "model_change", provider: "q", modelId: "n" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "session_info", name: "name" },
    { type: "custom", customType: "x" },
    { type: "label", targetId: "00000000" }
  ),
  fc
    .tuple(
      messageIds,
      fc.constantFrom("add", "remove"),
      fc.constantFrom({ queue: "steering" }, { queue: "followUp" }, { queue: "nextTurn", custom }),
      fc.boolean()
    )
    .map(([messageId, op, item, front]) => ({
      type: "custom",
      customType: "heddle.queue",
      data: { op, items: [{ messageId, content: [{ type: "text", text: "t" }], ...item }], front }
    })),
  messageIds.map((messageId) => ({ ...message({ role: "user", content: [] }), messageId })),
  fc
    .oneof(messageIds, fc.constantFrom("r1", "r2"))
    .map((messageId) => ({ type: "custom_message", ...custom, messageId })),
  fc.constantFrom("r1", "r2").map((messageId) => ({ ...message(ran), messageId })),
  fc
    .tuple(fc.constantFrom("r1", "r2"), fc.constantFrom(ran, { role: "custom", ...custom }))
    .map(([messageId, late]) => ({
      type: "custom",
      customType: "heddle.queue",
      data: { op: "record", items: [], records: [{ messageId, message: { ...late, timestamp: 0 } }] }
    })),
  fc
    .nat(12)
    .map((n) => ({ type: "compaction", summary: "s", tokensBefore: 1, firstKeptEntryId: `${n}`.padStart(8, "0") }))
)

export const files = fc.array(fc.tuple(bodies, fc.option(fc.nat(11), { freq: 3 })), { maxLength: 12 }).map((rows) => {
  const entries = rows.map(([{ type, ...body }, back], n) => {
    const parent = back === null || back >= n ? n - 1 : back
    const parentId = n === 0 || back === 11 ? null : `${parent}`.padStart(8, "0")
    return { type, id: `${n}`.padStart(8, "0"), parentId, timestamp: header.timestamp, ...body }
  })
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("")
})

export const bytes = (text: string) => new TextEncoder().encode(text)

/** What a host may do in a schedule, and how it answers calls of its tools. */
import type { Frame } from "../../support/torture/Agent.ts"
import type { Random } from "../../support/torture/Random.ts"

/** What the host has seen so far, so that it can name it. */
export interface Known {
  messageId?: unknown
  runId?: unknown
  toolCallId?: unknown
  requestId?: unknown
}

export const make = (): Known => ({})

type Make = (random: Random, text: string, known: Known) => Frame

/** Not `ask`, which is a tool of heddle. */
export const hostTool = { name: "ask_host", description: "Asks the host.", parameters: { type: "object" } }

const choices: ReadonlyArray<readonly [weight: number, make: Make]> = [
  [10, (_, message) => ({ type: "prompt", message })],
  [6, (random, message) => ({ type: "prompt", message, streamingBehavior: random.pick(["steer", "followUp"]) })],
  [8, (_, message) => ({ type: "steer", message })],
  [8, (_, message) => ({ type: "follow_up", message })],
  [6, () => ({ type: "abort" })],
  [2, () => ({ type: "abort", queue: "keep" })],
  [4, (_, message) => ({ type: "abort_and_prompt", message })],
  [2, () => ({ type: "clear_queue" })],
  [2, (_, __, { messageId = "none" }) => ({ type: "remove_queued_message", messageId })],
  [
    2,
    (random, __, { messageId = "none" }) => ({
      type: "promote_queued_message",
      messageId,
      to: random.pick(["steering", "front"])
    })
  ],
  [2, (_, message, { messageId = "none" }) => ({ type: "edit_queued_message", messageId, message })],
  [1, (random) => ({ type: "set_steering_mode", mode: random.pick(["all", "one-at-a-time"]) })],
  [1, (random) => ({ type: "set_follow_up_mode", mode: random.pick(["all", "one-at-a-time"]) })],
  [1, (random) => ({ type: "set_interrupt_mode", mode: random.pick(["immediate", "wait"]) })],
  [1, (random) => ({ type: "set_auto_retry", enabled: random.chance(0.8) })],
  [1, (random) => ({ type: "set_thinking_level", level: random.pick(["off", "high"]) })],
  [1, (random) => ({ type: "set_session_name", name: `name ${random.int(9)}` })],
  [1, (random) => ({ type: "set_host_tools", tools: random.chance(0.8) ? [hostTool] : [] })],
  [2, () => ({ type: "compact" })],
  [1, () => ({ type: "abort_compaction" })],
  [1, () => ({ type: "abort_retry" })],
  [2, () => ({ type: "new_session" })],
  [1, () => ({ type: "clone" })],
  [
    3,
    (random) => ({
      type: "bash",
      command: random.pick(["true", "echo x", "sleep 0.05", "sleep 20", "(sleep 20 &) ; echo x"])
    })
  ],
  [1, () => ({ type: "abort_bash" })],
  [3, (_, __, { runId = "none" }) => ({ type: "cancel", targetId: runId })],
  [3, (_, __, { toolCallId = "none" }) => ({ type: "cancel", targetId: toolCallId })],
  [2, (_, __, { requestId = "none" }) => ({ type: "cancel", targetId: requestId })],
  [
    3,
    (random) => ({ type: random.pick(["get_state", "get_queue", "get_fibers", "get_messages", "get_session_stats"]) })
  ]
]

export const action = (random: Random, text: string, known: Known): Frame =>
  random.weighted(choices)(random, text, known)

const output = (text: string) => ({ content: [{ type: "text", text }] })

/** The frames that the host sends for a call, each after so many milliseconds; none, and the call waits for an abort. */
export const answers = (random: Random, id: unknown): ReadonlyArray<readonly [afterMs: number, frame: object]> => {
  const result = { type: "host_tool_result", id, result: output("answer"), isError: random.chance(0.2) }
  const update = { type: "host_tool_update", id, partialResult: output("half") }
  const after = random.int(15)
  return random.weighted([
    [5, [[0, result] as const]],
    [4, [[after, result] as const]],
    [2, [[0, update] as const, [after, result] as const]],
    [1, [[after, result] as const, [after + 3, result] as const]],
    [1, [[0, { type: "host_tool_result", id, result: 7 }] as const]],
    [1, []]
  ])
}

/** What the model does in its next turns. */
const turns: ReadonlyArray<readonly [weight: number, turn: object]> = [
  [6, { steps: [{ text: "a short answer" }] }],
  [4, { steps: [{ thinking: "hm" }, { text: "an answer that takes its time ", repeat: 6, delayMs: 3 }] }],
  [3, { steps: [{ text: "look" }, { toolCall: { name: "bash", arguments: { command: "echo x" } } }] }],
  [
    3,
    {
      steps: [
        { toolCall: { name: "read", arguments: { path: "notes.txt" } } },
        { toolCall: { name: "bash", arguments: { command: "sleep 0.03" } } },
        { toolCall: { name: hostTool.name, arguments: {} } }
      ]
    }
  ],
  [4, { steps: [{ toolCall: { name: hostTool.name, arguments: { a: 1 } } }] }],
  [1, { steps: [{ toolCall: { name: "bash", arguments: { command: "sleep 20" } } }] }],
  [
    1,
    {
      steps: [{ toolCall: { name: "read", rawArguments: '{"path":' } }, { toolCall: { name: "nosuch", arguments: {} } }]
    }
  ],
  [2, { steps: [{ fail: { reason: "overloaded", message: "busy", httpStatus: 529 } }] }],
  [1, { steps: [{ fail: { reason: "authentication", message: "no", httpStatus: 401 } }] }],
  [2, { steps: [{ text: "I was about to", cutOff: true }, { disconnect: true }] }],
  [2, { steps: [{ text: "and then", cutOff: true }, { hang: true }] }],
  [2, { steps: [{ wait: 10 }, { text: "after a while" }] }]
]

export const scenario = (random: Random) => ({
  atEnd: "repeat",
  turns: Array.from({ length: 200 }, () => random.weighted(turns))
})

/** Short histories of a session, each with a script for the model and the steps of a host. */
import type { Frame } from "../../support/torture/Agent.ts"

export interface Step {
  /** The frame that lets this step begin; at once if there is none. */
  readonly after?: (frame: Frame) => boolean
  readonly send: ReadonlyArray<Frame>
}

export interface Story {
  readonly turns: ReadonlyArray<object>
  readonly settings?: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
}

const type = (name: string) => (frame: Frame) => frame["type"] === name
const answer = (id: string) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id
const result = (id: string) => (frame: Frame) => frame["type"] === "prompt_result" && frame["id"] === id

const say = (text: string) => ({ steps: [{ text }] })
const slow = { steps: [{ text: "an answer that takes its time ", repeat: 3, delayMs: 8 }] }
const calls = {
  steps: [
    { toolCall: { name: "bash", arguments: { command: "sleep 0.05; echo one" } } },
    { toolCall: { name: "read", arguments: { path: "notes.txt" } } }
  ]
}
const prompt = (id: string, more: object = {}) => ({ id, type: "prompt", message: `text ${id}`, ...more })
const message = (kind: "steer" | "follow_up", id: string) => ({ id, type: kind, message: `text ${id}` })

export const stories: Readonly<Record<string, Story>> = {
  queue: {
    turns: [slow, calls, say("two"), say("three"), say("four"), say("five")],
    steps: [
      { send: [prompt("p")] },
      {
        after: type("message_update"),
        send: [
          message("steer", "s1"),
          message("follow_up", "f1"),
          prompt("q1", { streamingBehavior: "followUp" }),
          prompt("q2", { streamingBehavior: "steer" }),
          message("follow_up", "f2")
        ]
      },
      { after: type("tool_execution_start"), send: [message("steer", "s2"), message("follow_up", "f3")] },
      { after: result("p"), send: [] }
    ]
  },
  idle: {
    turns: [slow, say("two"), say("three"), say("four"), say("five")],
    steps: [
      {
        send: [message("steer", "s1"), message("follow_up", "f1"), message("follow_up", "f2"), message("steer", "s2")]
      },
      { after: answer("s2"), send: [{ id: "name", type: "set_session_name", name: "kept" }] },
      { after: answer("name"), send: [prompt("p")] },
      { after: result("p"), send: [{ id: "bash", type: "bash", command: "echo noted" }] },
      { after: answer("bash"), send: [prompt("p2")] },
      { after: result("p2"), send: [] }
    ]
  },
  abort: {
    turns: [slow, slow, say("last")],
    steps: [
      { send: [prompt("p")] },
      {
        after: type("message_update"),
        send: [message("steer", "s1"), message("follow_up", "f1"), { id: "a", type: "abort" }]
      },
      { after: answer("a"), send: [prompt("p2")] },
      {
        after: type("message_update"),
        send: [message("follow_up", "f2"), { id: "r", type: "abort_and_prompt", message: "text r" }]
      },
      { after: result("r"), send: [] }
    ]
  },
  edits: {
    turns: [slow, slow, say("two"), say("three"), say("four")],
    steps: [
      { send: [prompt("p")] },
      {
        after: type("message_update"),
        send: [message("follow_up", "f1"), message("follow_up", "f2"), message("steer", "s1")]
      },
      {
        after: answer("s1"),
        send: [{ id: "rm", type: "remove_queued_message", message: "text f1", queue: "followUp" }]
      },
      { after: answer("rm"), send: [{ id: "up", type: "promote_queued_message", message: "text f2" }] },
      { after: answer("up"), send: [message("follow_up", "f3"), { id: "keep", type: "abort", queue: "keep" }] },
      { after: answer("keep"), send: [message("follow_up", "f4"), { id: "clear", type: "clear_queue" }] },
      { after: answer("clear"), send: [prompt("p2")] },
      { after: result("p2"), send: [] }
    ]
  },
  compaction: {
    turns: [
      say("first ".repeat(80)),
      say("second ".repeat(80)),
      say("a summary"),
      say("in short"),
      say("after"),
      say("end")
    ],
    settings: ["compaction.keepRecentTokens=50"],
    steps: [
      { send: [prompt("p")] },
      { after: result("p"), send: [prompt("p2")] },
      { after: result("p2"), send: [message("follow_up", "f1")] },
      { after: answer("f1"), send: [{ id: "c", type: "compact" }] },
      { after: answer("c"), send: [prompt("p3")] },
      { after: result("p3"), send: [] }
    ]
  }
}

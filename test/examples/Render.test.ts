/** The renderer of the demo: a list of events gives exactly this text. */
import { assert, describe, it } from "vitest"
import * as Render from "../../examples/host/Render.ts"

/** The members that the renderer looks at. */
type Frame = { readonly type: string; readonly [member: string]: unknown }

const renderAll = (frames: ReadonlyArray<Frame>, color = false): string => {
  let state = Render.initial
  let printed = ""
  for (const frame of frames) {
    const [next, text] = Render.render(state, JSON.parse(JSON.stringify(frame)), { color })
    state = next
    printed += text
  }
  return printed
}

const update = (type: string, delta?: string): Frame => ({
  type: "message_update",
  assistantMessageEvent: { type, contentIndex: 0, ...(delta === undefined ? {} : { delta }) }
})
const block = (kind: "text" | "thinking", ...deltas: ReadonlyArray<string>) => [
  update(`${kind}_start`),
  ...deltas.map((delta) => update(`${kind}_delta`, delta)),
  update(`${kind}_end`)
]
const user = (text: string): Frame => ({
  type: "message_start",
  message: { role: "user", content: [{ type: "text", text }] }
})
const assistantEnd = (usage: object): Frame => ({
  type: "message_end",
  message: { role: "assistant", provider: "offline", model: "guide", usage }
})
const started = (toolCallId: string, toolName: string, args: object): Frame => ({
  type: "tool_execution_start",
  toolCallId,
  toolName,
  args
})
const ended = (toolCallId: string, toolName: string, text: string, isError = false): Frame => ({
  type: "tool_execution_end",
  toolCallId,
  toolName,
  result: { content: [{ type: "text", text }] },
  isError
})
const completed: Frame = { type: "prompt_result", status: "completed" }

describe("Render", () => {
  it("sets thinking, text, calls and the final line apart", () => {
    const printed = renderAll([
      { type: "ready" },
      { type: "agent_start" },
      user("hello"),
      ...block("thinking", "Let me ", "see."),
      ...block("text", "I will ", "look."),
      started("a", "ls", { path: "." }),
      ended("a", "ls", "one\ntwo\n"),
      assistantEnd({ input: 100, output: 20, cacheRead: 5, cacheWrite: 1, cost: { total: 0.25 } }),
      ...block("text", "Done."),
      assistantEnd({ input: 200, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.5 } }),
      completed,
      { type: "agent_settled" }
    ])
    assert.strictEqual(
      printed,
      `> hello

(thinking) Let me see.

I will look.

▸ ls path="."
  one
  two

Done.

offline/guide · 2 model calls · 306 tokens in, 22 out · $0.7500
`
    )
  })

  it("repeats the heading of a call whose output comes after another call", () => {
    const printed = renderAll([
      started("a", "read", { path: "a", limit: 1 }),
      started("b", "read", { path: "b" }),
      ended("a", "read", "A"),
      ended("b", "read", "B")
    ])
    assert.strictEqual(
      printed,
      `▸ read path="a" limit=1

▸ read path="b"

◂ read path="a" limit=1
  A

◂ read path="b"
  B
`
    )
  })

  it("shortens long output and long lines", () => {
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`)
    const printed = renderAll([ended("a", "ls", lines.join("\n")), ended("b", "ls", "x".repeat(500))])
    assert.include(printed, "  line 7\n  … 2 more lines\n")
    assert.isBelow(Math.max(...printed.split("\n").map((line) => line.length)), 130)
  })

  it("shows how a prompt failed or was aborted", () => {
    const error = { message: "Overloaded", provider: "offline", model: "script", httpStatus: 529, retryable: true }
    assert.include(
      renderAll([{ type: "prompt_result", status: "error", error }]),
      "error: Overloaded (offline/script, HTTP 529)\n"
    )
    assert.include(
      renderAll([{ type: "prompt_result", status: "error", error: { message: "Internal error" } }]),
      "error: Internal error\n"
    )
    assert.include(renderAll([...block("text", "I was"), { type: "prompt_result", status: "aborted" }]), "was\n\nabort")
  })

  it("colours only when asked to", () => {
    const frames = [user("hi"), ...block("thinking", "hm"), ended("a", "ls", "no", true), completed]
    assert.notInclude(renderAll(frames), "\u001b")
    assert.include(renderAll(frames, true), "\u001b[2mhm\u001b[0m")
    assert.include(renderAll(frames, true), "\u001b[31m  no\u001b[0m")
    assert.notInclude(renderAll(frames, true), "(thinking)")
  })

  it("lets nothing that models and tools say steer the terminal", () => {
    const frames = [
      user("a\u001b[2Jb"),
      ...block("text", "c\u001b]0;d\u0007\te\n"),
      ended("a", "ls", "\u001b[31mred\r")
    ]
    const printed = renderAll(frames)
    assert.strictEqual(printed, "> a[2Jb\n\nc]0;d\te\n\n\n◂ ls\n  [31mred\n")
  })

  it("prints nothing for events and messages that it does not know or that have nothing to show", () => {
    assert.strictEqual(
      renderAll([
        { type: "from_the_future" },
        { type: "message_update", assistantMessageEvent: { type: "toolcall_delta", delta: "{" } },
        { type: "message_update", assistantMessageEvent: { type: "from_the_future" } },
        { type: "message_start", message: { role: "from_the_future" } },
        { type: "message_end", message: { role: "from_the_future" } }
      ]),
      ""
    )
  })
})

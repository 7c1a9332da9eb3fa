/**
 * What a host sends, as golden transcripts without our lines: `rows` go through what a prompt can be, what the session
 * does and what comes behind it; `random` sends chunks of two to eight commands. Every turn of the model takes time of
 * the test's clock, so no answer depends on how fast the machine is.
 */
import * as Random from "../support/torture/Random.ts"

export interface Case {
  readonly name: string
  /** Header, `>` and `!` lines, as test/support/host/Golden.ts reads them. */
  readonly script: ReadonlyArray<string>
}

type Frame = Readonly<Record<string, unknown>>

const header = (name: string, value: unknown) => `# ${name}: ${JSON.stringify(value)}`

/** Commands in a row arrive in one chunk. */
const send = (...frames: ReadonlyArray<Frame | string>) =>
  frames.map((frame) => `> ${typeof frame === "string" ? frame : JSON.stringify(frame)}`)

const clock = (ms: number) => `! clock ${ms}`

const says = (text: string, wait = 1000) => ({ steps: [{ wait }, { text, chunk: 50 }] })
const calls = (name: string, args: Frame) => ({ steps: [{ wait: 1000 }, { toolCall: { name, arguments: args } }] })

const commands = header("commands", [
  { name: "ends", source: "extension", does: "ends" },
  { name: "waits", source: "extension", does: "waits" },
  { name: "fails", source: "extension", does: "fails" },
  { name: "moves", source: "extension", does: "moves" },
  { name: "look", source: "prompt", does: "expands" },
  { name: "lacks", source: "prompt", does: "lacks" }
])

/** Answers `bash` without a process. */
const runner = { name: "runner", does: "runs" }

/** Waits as long as the text says. */
const reader = { name: "reader", does: "obeys" }

/** Ends what still goes on, and asks what has become of everything. */
const ending = [
  ...send({ id: "end", type: "abort" }),
  clock(60_000),
  ...send(
    { id: "end-bash", type: "abort_bash" },
    { id: "end-state", type: "get_state" },
    { id: "end-queue", type: "get_queue" },
    { id: "end-messages", type: "get_messages" }
  ),
  clock(60_000)
]

const texts = {
  plain: "Plain words",
  template: "/look the loom",
  slash: "/waits",
  "slash that changes the session": "/moves",
  "hook that waits": "wait 3000 then change it"
}

const prompt = (id: string, message: string): Frame => ({ id, type: "prompt", message })

const phases: Readonly<
  Record<string, { readonly before: ReadonlyArray<string>; readonly ahead: ReadonlyArray<Frame> }>
> = {
  Idle: { before: [], ahead: [] },
  Preparing: { before: [...send(prompt("first", "wait 4000 then change it")), clock(100)], ahead: [] },
  Running: { before: [...send(prompt("first", "First")), clock(100)], ahead: [] },
  Ending: { before: [...send(prompt("first", "First")), clock(100)], ahead: [{ id: "stop", type: "abort" }] },
  Holding: {
    before: [
      ...send(prompt("first", "Tell me a story")),
      clock(1000),
      ...send(prompt("second", "Another one")),
      clock(1000),
      ...send({ id: "hold", type: "compact" }),
      clock(100)
    ],
    ahead: []
  }
}

const behind: Readonly<Record<string, Frame | "eof">> = {
  abort: { id: "then", type: "abort" },
  cancel: { id: "then", type: "cancel", targetId: "asked" },
  steer: { id: "then", type: "steer", message: "Mind the loom" },
  leave: { id: "then", type: "new_session" },
  close: "eof",
  query: { id: "then", type: "get_state" }
}

export const rows: ReadonlyArray<Case> = Object.entries(phases).flatMap(([phase, { ahead, before }]) =>
  Object.entries(texts).flatMap(([text, message]) =>
    Object.entries(behind).map(([action, frame]) => ({
      name: `${phase}, ${text}, ${action}`,
      script: [
        header("scenario", {
          turns: [
            says("A long story about a loom, told at length and with many details."),
            says("The second story is shorter."),
            says("## Goal\nStories."),
            says("Well.")
          ],
          atEnd: "stay"
        }),
        header("settings", { "compaction.keepRecentTokens": 5 }),
        commands,
        ...(phase === "Preparing" || text.startsWith("hook") ? [header("hooks", [reader])] : []),
        ...before,
        ...send(...ahead, prompt("asked", message), ...(frame === "eof" ? [] : [frame])),
        clock(0),
        ...(frame === "eof" ? ["! eof", clock(60_000)] : [clock(2000), clock(5000), ...ending])
      ]
    }))
  )
)

const turn = (random: Random.Random, at: number) =>
  random.weighted<object>([
    [5, says(`Turn ${at}.`)],
    [2, says(`Turn ${at}, slowly.`, 5000)],
    [2, calls("read", { path: "notes.txt" })],
    [2, calls("asked_host", { at })],
    [1, { steps: [{ text: `Turn ${at}, for ever`, chunk: 50, cutOff: true }, { hang: true }] }],
    [1, { steps: [{ wait: 100 }, { fail: { reason: "invalid_request", message: "no" } }] }],
    [1, { steps: [{ wait: 100 }, { fail: { reason: "overloaded", message: "later", retryAfterMs: 1000 } }] }]
  ])

/** What a command may say, by how often it is sent; `targetId` of `cancel` names a command that was sent before. */
const command = (random: Random.Random, at: number): Frame | string => {
  const id = `c${at}`
  const message = random.weighted([
    [8, `Message ${at}`],
    [1, "/ends"],
    [1, "/waits"],
    [1, "/fails twice"],
    [1, "/moves"],
    [1, "/look here"],
    [1, "/lacks"],
    [1, "wait 10 then change it"],
    [1, "wait 3000 then change it"],
    [1, "wait 3000 then handle it"],
    [1, "wait 7000 then change it"]
  ])
  const earlier = `c${random.int(at + 1)}`
  const flag = random.chance(0.5)
  return random.weighted<Frame | string>([
    [8, { id, type: "prompt", message }],
    [3, { id, type: "prompt", message, streamingBehavior: flag ? "steer" : "followUp" }],
    [1, { id, type: "prompt", message: "Once", clientMessageId: flag ? "same" : `client ${at}` }],
    [4, { id, type: "steer", message }],
    [4, { id, type: "follow_up", message }],
    [4, { id, type: "abort", ...(flag ? {} : { queue: "keep" }) }],
    [3, { id, type: "abort_and_prompt", message }],
    [2, { id, type: "new_session" }],
    [1, { id, type: "switch_session", sessionPath: flag ? "session-1" : "session-2" }],
    [1, { id, type: "clone" }],
    [1, { id, type: "branch", entryId: "entry-1" }],
    [1, { id, type: "navigate_tree", entryId: "entry-1", summarize: flag }],
    [3, { id, type: "get_state" }],
    [2, { id, type: "get_messages" }],
    [2, { id, type: "get_queue" }],
    [1, { id, type: "get_entries" }],
    [1, { id, type: "clear_queue" }],
    [1, { id, type: "set_steering_mode", mode: flag ? "all" : "one-at-a-time" }],
    [1, { id, type: "set_follow_up_mode", mode: flag ? "all" : "one-at-a-time" }],
    [1, { id, type: "set_interrupt_mode", mode: flag ? "immediate" : "wait" }],
    [1, { id, type: "set_thinking_level", level: flag ? "high" : "low" }],
    [1, { id, type: "set_model", provider: "offline", modelId: flag ? "script" : "none" }],
    [1, { id, type: "set_session_name", name: `name ${at}` }],
    [1, { id, type: "set_auto_retry", enabled: flag }],
    [1, { id, type: "set_auto_compaction", enabled: flag }],
    [
      1,
      {
        id,
        type: "set_host_tools",
        tools: [{ name: "asked_host", description: "Asks.", parameters: { type: "object" } }]
      }
    ],
    [1, { id, type: "set_event_filter", events: flag ? ["prompt_result", "agent_start", "agent_end"] : null }],
    [2, { id, type: "compact" }],
    [1, { id, type: "abort_compaction" }],
    [1, { id, type: "abort_retry" }],
    [2, { id, type: "bash", command: flag ? "supplied" : "elsewhere" }],
    [1, { id, type: "abort_bash" }],
    [3, { id, type: "cancel", targetId: earlier }],
    [1, { id, type: "cancel", targetId: "call_1_1" }],
    [1, { id, type: "prompt" }],
    [1, { id, type: "steer", message: 7 }],
    [1, { id, type: "no_such_command" }],
    [1, "{ not JSON"]
  ])
}

export const random = (seed: number): Case => {
  const random = Random.make(`differential/${seed}`)
  const script: Array<string> = [
    header("scenario", { turns: Array.from({ length: 8 }, (_, at) => turn(random, at)), atEnd: "repeat" }),
    header("settings", random.chance(0.5) ? { "compaction.keepRecentTokens": 5 } : {}),
    commands,
    header("hooks", random.chance(0.6) ? [reader, runner] : [runner])
  ]
  let at = 0
  for (let left = 2 + random.int(3); left > 0; left--) {
    script.push(...send(...Array.from({ length: 2 + random.int(7) }, () => command(random, at++))))
    script.push(clock(random.pick([0, 0, 20, 1000, 1000, 4000, 10_000])))
  }
  return { name: `seed ${seed}`, script: [...script, ...ending] }
}

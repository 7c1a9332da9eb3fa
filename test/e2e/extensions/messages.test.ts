/** What extensions say in a conversation: their own messages, messages of the user, and entries. */
import { assert } from "@effect/vitest"
import { at, dialog, type Frame, list, messages, type Pipes, play } from "../../support/extensions/Pipes.ts"

const sender = { extensions: ["kind/sender.ts"] }
const said = ({ requests }: Pipes, from = 0) => requests.slice(from).map((request) => request.messages.at(-1)?.text)

/** Starts a run that a tool holds up, and returns when the tool runs. */
const hold = async ({ mark, prompt, until }: Pipes) => {
  const before = mark()
  const run = prompt("CALL hold {}")
  await until(({ type }) => type === "tool_execution_start", before)
  return { run }
}

play("idle: a message is kept, starts a run, or waits for the next prompt", sender, async (pipes) => {
  const { ask, mark, prompt, requests, since, until } = pipes
  const kept = mark()
  await prompt("/send only kept")
  await until(({ type }) => type === "message_end", kept)
  assert.deepStrictEqual(messages(since(kept), "custom"), ["only kept"])
  assert.deepInclude(
    at(
      since(kept).find(({ type }) => type === "message_end"),
      "message"
    ),
    {
      customType: "note",
      display: true,
      details: { from: "sender" }
    }
  )
  assert.strictEqual(requests.length, 0)

  const turn = mark()
  await prompt('/send go|{"triggerTurn":true}')
  await until(({ type }) => type === "agent_settled", turn)
  assert.deepStrictEqual(said(pipes), ["only kept\ngo"])

  const next = mark()
  await prompt('/send for the next|{"deliverAs":"nextTurn"}')
  assert.deepStrictEqual(messages(since(next), "custom"), [])
  await prompt("the next")
  assert.deepStrictEqual(messages(since(next), "custom"), ["for the next"])
  assert.include(said(pipes).at(-1) ?? "", "for the next")

  const user = mark()
  await prompt("/user from an extension")
  await until(({ type }) => type === "agent_settled", user)
  assert.deepStrictEqual(messages(since(user), "user"), ["from an extension"])

  const entry = mark()
  await prompt("/entry data")
  const appended = await until(({ type }) => type === "entry_appended", entry)
  assert.deepInclude(appended["entry"], { type: "custom", customType: "mine", data: { args: "data" } })
  const { data } = await ask({ type: "get_messages" })
  assert.deepStrictEqual(
    list(at(data, "messages")).map((message) => at(message, "role")),
    ["custom", "custom", "assistant", "user", "custom", "assistant", "user", "assistant"]
  )
})

play("busy: messages steer, follow up, or are refused", sender, async (pipes) => {
  const { prompt, requests, since, until } = pipes
  const first = await hold(pipes)
  await prompt('/send follow|{"deliverAs":"followUp"}')
  await prompt('/user user follow|{"deliverAs":"followUp"}')
  await prompt('/send next|{"deliverAs":"nextTurn"}')
  await prompt("/user not now")
  assert.deepInclude(await until(({ command }) => command === "extension_send_user"), {
    type: "response",
    success: false
  })
  await prompt("/release")
  await first.run
  const texts = requests.flatMap((request) => request.messages.at(-1)?.text ?? "")
  assert.deepStrictEqual(texts, ["CALL hold {}", "released", "follow", "user follow"])
  assert.isUndefined(since(0).find(({ type }) => type === "extension_error"))

  const before = requests.length
  const second = await hold(pipes)
  await prompt('/send steer|{"deliverAs":"steer"}')
  await prompt('/user user steer|{"deliverAs":"steer"}')
  await prompt("/release")
  await second.run
  assert.include(
    requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("|") ?? "",
    "steer"
  )
  assert.isAbove(requests.length, before + 1)
  assert.include(JSON.stringify(requests[before]?.messages), "next")
})

play("a message that cannot be sent is told as a failure", sender, async ({ prompt, since, until }) => {
  await prompt("send badly")
  await until(({ type }) => type === "entry_appended")
  const failures = since(0).filter(({ command }) => String(command).startsWith("extension_send"))
  assert.deepStrictEqual(
    failures.map(({ command, error, id, success, type }) => [type, command, success, id, error]),
    [
      ["response", "extension_send", false, undefined, "sendMessage: message customType must be a text"],
      [
        "response",
        "extension_send_user",
        false,
        undefined,
        "sendUserMessage: content must be a text or an array of texts and images"
      ]
    ]
  )
})

const insistent = { extensions: ["kind/insistent.ts"] }
const runsIn = (frames: ReadonlyArray<{ readonly type?: unknown }>) =>
  frames.filter(({ type }) => type === "agent_start").length
const notes = (wanted: string) => (frame: Frame) => dialog("notify")(frame) && frame["message"] === wanted
const isDecided = notes("decided")

play(
  "what an extension sends at the end of a run that the host aborts starts no other run",
  insistent,
  async (pipes) => {
    const { ask, mark, prompt, requests, since, until } = pipes
    const { run } = await hold(pipes)
    await prompt("/insist")
    await ask({ type: "abort" })
    await run
    const later = mark()
    await prompt("/decide")
    await until(isDecided, later)
    const state = await ask({ type: "get_state" })
    assert.deepInclude(state["data"], { isStreaming: false, isSettled: true, queuedMessageCount: 0 })
    assert.deepStrictEqual(messages(since(0), "custom"), [])

    const after = mark()
    await prompt("go on")
    assert.deepStrictEqual(said(pipes), ["CALL hold {}", "go on"])
    assert.strictEqual(runsIn(since(after)), 1)
    assert.strictEqual(requests.length, 2)
  }
)

play("an extension that aborts the run itself may start another one", insistent, async (pipes) => {
  const { mark, prompt, until } = pipes
  const { run } = await hold(pipes)
  await prompt("/insist")
  const from = mark()
  await prompt("/redirect")
  await run
  await until(({ message, type }) => type === "message_end" && at(message, "role") === "assistant", from)
  assert.deepStrictEqual(said(pipes).slice(0, 2), ["CALL hold {}", "at once"])
})

play(
  "what an extension sends at the end of a run that nobody aborts starts another one",
  insistent,
  async ({ prompt, until }) => {
    await prompt("/insist")
    const hello = prompt("hello")
    await until(notes("thinking"))
    await prompt("/decide")
    await until(isDecided)
    await hello
    await until((frame) => messages([frame], "user").includes("at once"))
  }
)

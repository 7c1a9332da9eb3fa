/** Programs of other makers: no `ready`, no `initialize`, other frames at the end of a run. */
import { assert, describe, it } from "vitest"
import { rejection } from "../support/client/CoreSet.ts"
import { play } from "../support/client/Programs.ts"

/** Refuses what it does not know without an id, as pi 0.74 and omp 17 do. */
const withoutId = `
  on("initialize", ({ type }) => say({ type: "response", command: type, success: false, error: "Unknown command: " + type }))
`
const message = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] })
const end = (text: string, more: object = {}) =>
  JSON.stringify({ type: "agent_end", messages: [message(text)], ...more })

describe("the run of a program that sends no prompt_result ends", () => {
  it("with agent_settled, after all attempts", () =>
    play(
      `${withoutId}
       on("prompt", (frame) => {
         ok(frame, { disposition: "started" })
         say({ type: "agent_start" }, ${end("failed", { willRetry: true })}, { type: "agent_start" }, ${end("worked")})
         setTimeout(() => say({ type: "agent_settled", aborted: false }), 20)
       })`,
      async ({ client }) => {
        await client.start()
        assert.strictEqual(client.server, undefined)
        const { status, text } = await client.promptAndWait("hi")
        assert.deepStrictEqual({ status, text }, { status: "completed", text: "worked" })
      }
    ))

  it("with an agent_end that nothing follows", () =>
    play(
      `${withoutId}
       on("prompt", (frame) => {
         ok(frame)
         say({ type: "agent_start" }, ${end("first")})
         setTimeout(() => say({ type: "auto_retry_start", attempt: 1 }), 30)
         setTimeout(() => say({ type: "agent_start" }, ${end("second")}), 400)
       })`,
      async ({ client }) => {
        await client.start()
        assert.strictEqual((await client.promptAndWait("hi")).text, "second")
      }
    ))

  it("with the error or the abort that its last message names", () =>
    play(
      `${withoutId}
       on("prompt", (frame) => {
         ok(frame)
         const [stopReason, errorMessage] = frame.message.split(":")
         say({ type: "agent_end", messages: [{ role: "assistant", content: [], stopReason, errorMessage }] }, { type: "agent_settled" })
       })`,
      async ({ client }) => {
        await client.start()
        assert.strictEqual((await client.promptAndWait("aborted")).status, "aborted")
        const error = await rejection(client.promptAndWait("error:No more yarn"))
        assert.deepInclude(error, { _tag: "PromptFailed", message: "No more yarn" })
      }
    ))

  it("with prompt_result where there is one, and at once where the prompt was handled", () =>
    play(
      `${withoutId}
       on("prompt", (frame) => {
         if (frame.message === "/help") return ok(frame, { agentInvoked: false })
         ok(frame)
         say({ type: "agent_start" }, ${end("answer")}, { type: "prompt_result", id: frame.id, status: "completed", agentInvoked: true })
       })`,
      async ({ client }) => {
        await client.start()
        assert.strictEqual((await client.promptAndWait("hi")).text, "answer")
        const { agentInvoked, status } = await client.promptAndWait("/help")
        assert.deepStrictEqual({ agentInvoked, status }, { agentInvoked: false, status: "completed" })
      }
    ))
})

it("a refusal without an id goes to the only call it can be for", () =>
  play(
    `${withoutId}
     on("get_fibers", ({ type }) => say({ type: "response", command: type, success: false, error: "Unknown command: " + type }))
     on("get_queue", () => say({ type: "response", command: "parse", success: false, error: "Failed to parse command" }))`,
    async ({ client }) => {
      await client.start()
      const silent = rejection(client.ping())
      assert.deepInclude(await rejection(client.getFibers()), {
        _tag: "CommandFailed",
        code: "",
        message: "Unknown command: get_fibers"
      })
      const [first, second] = [rejection(client.getQueue({ timeoutMs: 100 })), await silent]
      assert.deepInclude(await first, { _tag: "DeadlineExceeded" })
      assert.deepInclude(second, { _tag: "DeadlineExceeded" })
    },
    { requestTimeoutMs: 300 }
  ))

it("waits for ready, or not for long, if initialize must not be sent", async () => {
  const body = `on("initialize", () => process.exit(1)); on("get_messages", (frame) => ok(frame, { messages: [] }))`
  const test = play.bind(undefined, `${body}; say({ type: "ready", version: "1" })`)
  for (const start of [test, play.bind(undefined, body)])
    await start(
      async ({ client }) => {
        await client.start()
        assert.deepStrictEqual(await client.getMessages(), { messages: [] })
      },
      { initialize: false }
    )
})

it("options become arguments, and the environment is that of the host with changes", () =>
  play(
    `on("get_session_stats", (frame) => ok(frame, { argv: process.argv.slice(2), env: [process.env.A, process.env.PATH !== undefined, "HOME" in process.env], cwd: process.cwd() }))`,
    async ({ client }) => {
      await client.start()
      const { data } = await client.requestRaw({ type: "get_session_stats" })
      assert.deepStrictEqual(data, {
        argv: "--mode rpc --provider p --model m --session-dir s --extra".split(" "),
        env: ["1", true, false],
        cwd: "/"
      })
    },
    { provider: "p", model: "m", sessionDir: "s", args: ["--extra"], env: { A: "1", HOME: undefined }, cwd: "/" }
  ))

/** Programs that are silent, wordy, broken or dying: every call ends, and says why. */
import { assert, describe, it } from "vitest"
import { type HeddleEvent, RpcClient } from "../../src/client/index.ts"
import { next, rejection } from "../support/client/CoreSet.ts"
import { play } from "../support/client/Programs.ts"
import * as Processes from "../support/host/Processes.ts"
import { Effect } from "effect"

const tag = async (promise: Promise<unknown>) => (await rejection(promise))["_tag"]

describe("silence", () => {
  it("a program that never answers fails the start, with stderr, and is ended", () =>
    play(
      `delete handlers.initialize; process.stderr.write("still thinking\\n")`,
      async ({ client }) => {
        const error = await rejection(client.start())
        assert.deepInclude(error, { _tag: "StartFailed", stderr: "still thinking\n" })
        assert.strictEqual(error["message"], "the process did not answer within 300 ms\nstill thinking\n".trimEnd())
        assert.strictEqual(client.pid, undefined)
      },
      { startTimeoutMs: 300 }
    ))

  it("a command that is never answered ends at its deadline, and heddle is asked to end it", () =>
    play(
      `on("cancel", ({ targetId }) => say({ type: "notice", level: "info", message: targetId }))`,
      async ({ client }) => {
        await client.start()
        const cancelled = next(client, "notice")
        const error = await rejection(client.getState({}, { timeoutMs: 20 }))
        assert.deepInclude(error, {
          _tag: "DeadlineExceeded",
          message: "the response to get_state: not within 20 ms",
          timeoutMs: 20
        })
        assert.strictEqual((await cancelled).message, "req_2")
      }
    ))

  it("calls without a deadline end when the process does not answer a ping", () =>
    play(
      `on("prompt", (frame) => ok(frame, { disposition: "started" }))`,
      async ({ client }) => {
        await client.start()
        const pending = [client.promptAndWait("hi"), client.bash("x"), client.collectEvents({ timeoutMs: 0 })]
        assert.deepStrictEqual(await Promise.all(pending.map(tag)), Array(3).fill("NotResponding"))
        assert.isTrue(client.isRunning)
      },
      { livenessMs: 50 }
    ))

  it("but not while it answers pings", () =>
    play(
      `let pings = 0
       on("bash", (frame) => on("ping", (ping) => { ok(ping); if (++pings === 2) ok(frame, { output: "at last" }) }))`,
      async ({ client }) => {
        await client.start()
        assert.strictEqual((await client.bash("x")).output, "at last")
      },
      { livenessMs: 300 }
    ))

  it("a deadline does not run out while a question to the user is open", () =>
    play(
      `on("ping", (frame) => {
         say({ type: "extension_ui_request", id: "ui_1", method: "confirm", title: "Sure?", message: "Leave?" })
         ok(frame)
       })
       on("new_session", (frame) => on("extension_ui_response", ({ confirmed }) => ok(frame, { cancelled: !confirmed })))`,
      async ({ client }) => {
        await client.start()
        client.onUiRequest(() => {}) // answered below
        await client.ping()
        const started = client.newSession({}, { timeoutMs: 300 })
        const later = rejection(client.getState({}, { timeoutMs: 0, signal: AbortSignal.timeout(700) }))
        assert.isUndefined((await later)["_tag"])
        client.respondUi("ui_1", { confirmed: true })
        const { cancelled } = await started
        assert.isFalse(cancelled)
      }
    ))
})

describe("a question", () => {
  it("does not keep calls waiting for a process that hangs", () =>
    play(
      `on("new_session", () => say({ type: "extension_ui_request", id: "ui_1", method: "input", title: "Name?" }))`,
      async ({ client }) => {
        await client.start()
        client.onUiRequest(() => {}) // never answered
        assert.strictEqual(await tag(client.newSession({}, { timeoutMs: 20 })), "NotResponding")
      },
      { livenessMs: 50 }
    ))
})

describe("bad output", () => {
  it("garbage is reported, and frames around it count", () =>
    play(
      `on("get_messages", (frame) => {
         raw("npm notice\\n\\n  \\n[1]\\nnull\\n{}\\n{\\"type\\":5}\\n")
         raw(Buffer.from([0xff, 0xfe, 0x0a]))
         raw(JSON.stringify({ type: "notice", level: "info", message: "in between" }) + "\\r\\n")
         ok(frame, { messages: [] })
       })`,
      async ({ client, problems }) => {
        await client.start()
        const notice = next(client, "notice")
        assert.deepStrictEqual(await client.getMessages(), { messages: [] })
        assert.strictEqual((await notice).message, "in between")
        const [notJson, notFrame] = ["a line of stdout is not JSON", "a line of stdout is not a frame"]
        assert.deepStrictEqual(problems, [
          [notJson, "npm notice"],
          [notFrame, "[1]"],
          [notFrame, "null"],
          [notFrame, "{}"],
          [notFrame, '{"type":5}'],
          [notJson, "\ufffd\ufffd"]
        ])
      }
    ))

  it("responses that nobody asked for, or that come twice, change nothing", () =>
    play(
      `on("ping", (frame) => { ok({ id: "req_77", type: "ping" }); ok(frame); ok(frame); no(frame, "too late") })
       on("get_state", (frame) => ok(frame, { isStreaming: false }))`,
      async ({ client, problems }) => {
        await client.start()
        await client.ping()
        assert.strictEqual((await client.getState()).isStreaming, false)
        assert.deepStrictEqual(problems, [])
      }
    ))

  it("a response that comes byte by byte, with a character in two writes, is whole", () =>
    play(
      `on("get_last_assistant_text", async (frame) => {
         const text = { text: "\\u2028 \u{1f9f5} ä" }
         const bytes = Buffer.from(JSON.stringify({ id: frame.id, type: "response", command: frame.type, success: true, data: text }) + "\\n")
         for (const byte of bytes) await new Promise((done) => process.stdout.write(Buffer.from([byte]), done))
       })`,
      async ({ client }) => {
        await client.start()
        assert.deepStrictEqual(await client.getLastAssistantText(), { text: "\u2028 \u{1f9f5} ä" })
      }
    ))

  it("a last line without LF counts if it is complete; half a line is reported", () =>
    play(
      `on("ping", (frame) => {
         raw(JSON.stringify({ id: frame.id, type: "response", command: "ping", success: true })); process.exit(0)
       })
       on("get_state", () => { raw('{"id":"req_2","type":"resp'); process.exit(0) })`,
      async ({ client, problems }) => {
        await client.start()
        assert.strictEqual(await client.ping(), undefined)
        await client.restart()
        assert.strictEqual(await tag(client.getState()), "ProcessEnded")
        assert.deepStrictEqual(problems, [["a line of stdout is not JSON", '{"id":"req_2","type":"resp']])
      }
    ))

  it("a response above the limit rejects its call, an event is skipped, and the next line counts", () =>
    play(
      `on("bash", (frame) => {
         say({ type: "notice", level: "info", message: "n".repeat(5000) })
         ok(frame, { output: "x".repeat(5_000_000) })
         say({ type: "notice", level: "info", message: "short" })
       })`,
      async ({ client, problems }) => {
        await client.start()
        const notice = next(client, "notice")
        const error = await rejection(client.bash("x"))
        assert.deepInclude(error, {
          _tag: "LineTooLong",
          message: "a line of stdout is longer than 1000 characters"
        })
        assert.strictEqual((await notice).message, "short")
        assert.deepStrictEqual(
          problems.map(([message, line]) => [message, line?.length]),
          Array(2).fill(["a line of stdout is longer than 1000 characters", 512])
        )
      },
      { maxLineLength: 1000 }
    ))

  it("a line of 40 MB within the limit is read", () =>
    play(`on("bash", (frame) => ok(frame, { output: "x".repeat(40_000_000) }))`, async ({ client }) => {
      await client.start()
      assert.strictEqual((await client.bash("x")).output.length, 40_000_000)
    }))

  it("listeners that throw or reject do not disturb others, and are reported", () =>
    play(
      `on("ping", (frame) => { say({ type: "notice", level: "info", message: "a" }); ok(frame) })`,
      async ({ client, problems }) => {
        await client.start()
        const seen: Array<HeddleEvent> = []
        client.onEvent(() => {
          throw new Error("thrown")
        })
        client.onEvent(() => Promise.reject(new Error("rejected")))
        client.onEvent((event) => seen.push(event))
        await client.ping()
        assert.lengthOf(seen, 1)
        assert.deepStrictEqual(problems, Array(2).fill(["a listener or handler of the host threw an error", undefined]))
      }
    ))
})

describe("an acceptance that is taken back", () => {
  const body = `
    on("prompt", (frame) => { ok(frame, { disposition: "started" }); setTimeout(() => no(frame, "No key after all", "missing_credentials"), 20) })
    on("get_state", (frame) => ok(frame, { isStreaming: true, isSettled: false }))`

  it("rejects those who wait for the run", () =>
    play(body, async ({ client }) => {
      await client.start()
      const waiting = [client.promptAndWait("hi"), client.waitForIdle(), client.collectEvents()].map(rejection)
      for (const error of await Promise.all(waiting))
        assert.deepInclude(error, { _tag: "CommandFailed", code: "missing_credentials", message: "No key after all" })
    }))
})

const accepted = JSON.stringify({ id: "req_1", type: "response", command: "initialize", success: true })
const closesItsOutput = `read -r line; echo '${accepted}'; read -r line; exec sleep 392 >&- 2>&-`

describe("death", () => {
  it("rejects with the tail of stderr, which getStderr has, too", () =>
    play(
      `on("get_state", () => { process.stderr.write("x".repeat(100_000) + "\\nout of yarn\\n", () => process.exit(9)) })`,
      async ({ client }) => {
        await client.start()
        const [first, second] = await Promise.all([client.getState(), client.getMessages()].map(rejection))
        assert.deepInclude(first, { _tag: "ProcessEnded", exitCode: 9, signal: null })
        assert.match(String(first?.["message"]), /^the process ended with exit code 9\nx+\nout of yarn$/)
        assert.strictEqual(second?.["message"], first?.["message"])
        assert.strictEqual(client.getStderr().length, 65_536)
        assert.isTrue(client.getStderr().endsWith("\nout of yarn\n"))
      }
    ))

  it("is not missed when a program that it started holds the pipes, and that program is ended", () =>
    play(
      `import { spawn } from "node:child_process"
       on("get_state", () => {
         spawn("sleep", ["391"], { stdio: "inherit" }).on("spawn", () => process.exit(7))
       })`,
      async ({ client }) => {
        await client.start()
        assert.deepInclude(await rejection(client.getState()), { _tag: "ProcessEnded", exitCode: 7 })
        await Effect.runPromise(Processes.count("sleep\u0000391", 0))
      }
    ))

  it("is brought about when a program closes its output but stays", () =>
    play(
      "",
      async ({ client }) => {
        await client.start()
        assert.deepInclude(await rejection(client.getState()), { _tag: "ProcessEnded", signal: "SIGTERM" })
      },
      { command: ["sh", "-c", closesItsOutput] }
    ))

  it("comes for a program that ignores EOF and SIGTERM; calls end at once", () =>
    play(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`, async ({ client }) => {
      await client.start()
      const pending = rejection(client.getState())
      const stopping = client.stop()
      assert.deepInclude(await pending, { _tag: "NotRunning", message: "the client was stopped" })
      assert.deepStrictEqual(await stopping, { code: null, signal: "SIGKILL" })
    }))

  it("does not lose a stop that comes during the start, or right after another stop and start", () =>
    play(`delete handlers.initialize`, async ({ client }) => {
      const starting = rejection(client.start())
      assert.deepStrictEqual(await client.stop(), { code: 0, signal: null })
      assert.deepInclude(await starting, { _tag: "NotRunning" })
      const [first, stopped] = [rejection(client.start()), client.stop()]
      const second = rejection(client.start())
      await Promise.all([stopped, client.stop()])
      assert.deepInclude(await first, { _tag: "NotRunning" })
      assert.deepInclude(await second, { _tag: "NotRunning" })
      assert.isFalse(client.isRunning)
    }))
})

it("calls before the start say what to do", async () => {
  const client = new RpcClient()
  assert.deepInclude(await rejection(client.getState()), { _tag: "NotRunning", message: "call start() first" })
  assert.deepInclude(await rejection(client.promptAndWait("hi")), { _tag: "NotRunning" })
  assert.strictEqual(await client.stop(), undefined)
})

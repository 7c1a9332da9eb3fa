import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, scenario, type, types } = HostProcess

/** `open` in a test that is written in promises, the way a host is. */
const host = (name: string, options: HostProcess.HostOptions, body: (host: HostProcess.HostProcess) => Promise<void>) =>
  it.scopedLive(name, () => Effect.flatMap(HostProcess.open(options), (opened) => Effect.promise(() => body(opened))))

const script = (name: string, ...more: ReadonlyArray<string>) => ({
  args: ["--model", "offline/script", "--set", `offline.scenario=${scenario(name)}`, ...more]
})

const ends = ["agent_end", "prompt_result", "agent_settled", "session_settled"]

host(
  "`bun run cli --mode rpc` speaks frames only, from ready to exit 0",
  { command: ["bun", "run", "cli"] },
  async (host) => {
    host.send({ id: "s", type: "get_state" })
    const state = await host.until(answer("s"))
    assert.strictEqual(types(host)[0], "ready")
    assert.propertyVal(state, "success", true)
    host.closeInput()
    assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
    assert.match(host.stderr(), /offline\/guide/)
  }
)

host("a prompt to the default model works with the real tools and says what it is", {}, async (host) => {
  host.send({ id: "p", type: "prompt", message: "What is in this folder?" })
  await host.until(type("session_settled"))
  host.send({ id: "t", type: "get_last_assistant_text" })
  const text = JSON.stringify((await host.until(answer("t")))["data"])
  assert.match(text, /scripted/)
  assert.match(text, /heddle/)
  assert.include(types(host), "tool_execution_end")
  assert.deepStrictEqual(types(host).slice(-5, -1), ends)
})

host(
  "abort during a stream answers after agent_end, and the next prompt works",
  script("slow-stream"),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("agent_start"))
    host.send({ id: "a", type: "abort" })
    await host.until(answer("a"))
    const order = types(host)
    assert.isBelow(order.indexOf("agent_end"), order.lastIndexOf("response"))
    assert.propertyVal(await host.until(type("prompt_result")), "status", "aborted")
    host.send({ id: "q", type: "prompt", message: "again" })
    assert.propertyVal(await host.until(answer("q")), "success", true)
  }
)

host("prompt and abort in one write give one run that starts and ends", script("slow-stream"), async (host) => {
  host.send({ id: "p", type: "prompt", message: "go" }, { id: "a", type: "abort" })
  await host.until(answer("a"))
  const seen = types(host).filter((name) => name === "agent_start" || name === "agent_end")
  assert.deepStrictEqual(seen, ["agent_start", "agent_end"])
})

host("EOF in mid-run aborts the run, writes its end and exits 0", script("slow-stream"), async (host) => {
  host.send({ id: "p", type: "prompt", message: "go" })
  await host.until(type("agent_start"))
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  assert.deepStrictEqual(types(host).slice(-4), ends)
})

host(
  "with --drain the run that was asked for before EOF comes to its end",
  script("hello", "--drain"),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    host.closeInput()
    assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
    assert.propertyVal(host.frames().find(type("prompt_result")) ?? {}, "status", "completed")
  }
)

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129]
] as const) {
  host(`${signal} in mid-run ends the run and exits ${code} within 800 ms`, script("slow-stream"), async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("agent_start"))
    const at = performance.now()
    host.child.kill(signal)
    assert.deepStrictEqual(await host.exited, { code, signal: null })
    assert.isBelow(performance.now() - at, 1000)
    assert.deepStrictEqual(types(host).slice(-4), ends)
  })
}

host("a host that closes its reading end is as gone as one at EOF", script("long-stream"), async (host) => {
  host.send({ id: "p", type: "prompt", message: "go" })
  await host.until(type("agent_start"))
  host.child.stdout?.destroy()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
})

host("commands right before EOF are all answered", {}, async (host) => {
  for (let i = 0; i < 5000; i++) host.send({ id: i, type: "get_state" })
  host.closeInput()
  await host.exited
  const ids = host
    .frames()
    .filter(type("response"))
    .map((frame) => frame["id"])
  assert.deepStrictEqual(
    ids,
    Array.from({ length: 5000 }, (_, i) => i)
  )
})

host("CRLF, BOM, blank and malformed lines, and U+2028 inside strings", {}, async (host) => {
  host.write(`\uFEFF{"id":"crlf","type":"ping"}\r\n\r\n \nnull\n[]\n{bad\n`)
  host.write(new Uint8Array([0x22, 0xff, 0xfe, 0x22, 0x0a]))
  host.write(`{"id":"a\u2028b","type":"ping"}\n`)
  await host.until(answer("a\u2028b"))
  const errors = host.frames().filter((frame) => frame["command"] === "parse")
  assert.deepStrictEqual(
    errors.map((frame) => frame["error"]).filter((text) => text === "Failed to parse command: invalid UTF-8").length,
    1
  )
  assert.strictEqual(errors.length, 4)
  assert.isTrue(host.lines.some((line) => line.includes("a\\u2028b")))
})

host("a frame one byte at a time, and one of 5 MB", {}, async (host) => {
  for (const byte of new TextEncoder().encode(`{"id":"é€😀","type":"ping"}\n`)) host.write(new Uint8Array([byte]))
  await host.until(answer("é€😀"))
  host.send({ id: "big", type: "ping", pad: "x".repeat(5_000_000) })
  await host.until(answer("big"))
})

host("a line over the limit is answered and skipped", { args: ["--set", "rpc.maxFrameBytes=2048"] }, async (host) => {
  assert.deepInclude(await host.until(type("ready")), { maxInboundFrameBytes: 2048, maxFrameBytes: 1_048_576 })
  host.send({ id: "big", type: "ping", pad: "x".repeat(200_000) }, { id: "after", type: "ping" })
  await host.until(answer("after"))
  assert.strictEqual(
    host.frames().find((frame) => frame["command"] === "parse")?.["error"],
    "Failed to parse command: frame exceeds 2048 bytes"
  )
})

host("a last line without LF is executed, a torn one is not", {}, async (host) => {
  host.write(`{"id":"last","type":"ping"}`)
  host.closeInput()
  await host.exited
  assert.isTrue(host.frames().some(answer("last")))
})

host(
  "a reader that stops does not lose a frame, and memory stays bounded",
  script("long-stream", "--rpc-updates", "delta"),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("message_update"))
    host.child.stdout?.pause()
    host.send({ id: "p2", type: "prompt", message: "busy" })
    host.child.stdout?.resume()
    await host.until(type("session_settled"))
    const seqs = host.frames().flatMap((frame) => (typeof frame["seq"] === "number" ? [frame["seq"]] : []))
    assert.deepStrictEqual(
      seqs,
      seqs.map((_, i) => i + 1)
    )
  }
)

host(
  "at trace level stdout is still frames only",
  { ...script("hello"), args: [...script("hello").args, "--verbose"] },
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("session_settled"))
    host.closeInput()
    await host.exited
    assert.isTrue(host.frames().every((frame) => typeof frame["type"] === "string"))
  }
)

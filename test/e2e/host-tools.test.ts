import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

const { answer, scenario, type, types } = HostProcess
type Frame = HostProcess.Frame

const host = (name: string, options: HostProcess.HostOptions, body: (host: HostProcess.HostProcess) => Promise<void>) =>
  it.scopedLive(name, () => Effect.flatMap(HostProcess.open(options), (opened) => Effect.promise(() => body(opened))))

const script = (name: string, ...more: ReadonlyArray<string>) => ({
  args: ["--model", "offline/script", "--set", `offline.scenario=${scenario(name)}`, ...more]
})

const tool = (name: string, required: string) => ({
  name,
  description: `The tool ${name} of the editor.`,
  parameters: { type: "object", properties: { [required]: { type: "string" } }, required: [required] }
})
const says = (text: string) => ({ content: [{ type: "text", text }] })
const result = (id: unknown, text: string) => ({ type: "host_tool_result", id, result: says(text) })
const call = (toolCallId: string) => (frame: Frame) =>
  frame["type"] === "host_tool_call" && frame["toolCallId"] === toolCallId
const end = (toolCallId: string) => (frame: Frame) =>
  frame["type"] === "tool_execution_end" && frame["toolCallId"] === toolCallId
const named = (key: string, value: unknown): Frame => {
  const found = Predicate.isReadonlyRecord(value) ? value[key] : undefined
  return Predicate.isReadonlyRecord(found) ? found : {}
}
const toolNames = (frame: Frame): ReadonlyArray<string> => {
  const tools = named("data", frame)["dumpTools"]
  return Array.isArray(tools) ? tools.map((each: { readonly name: string }) => each.name) : []
}

host(
  "host tools: two calls at once, answers out of order, other tools in mid-run, and only host tools if so started",
  script("host-tools", "--no-builtin-tools"),
  async (host) => {
    host.send(
      { id: "s1", type: "set_host_tools", tools: [tool("ask_editor", "question")] },
      { id: "p", type: "prompt", message: "go" }
    )
    const [first, second] = [await host.until(call("a")), await host.until(call("b"))]
    // Replaced while both are pending: what is gone still takes its results, what is new is there for the next turn.
    host.send({ id: "s2", type: "set_host_tools", tools: [tool("show_diff", "path")] })
    host.send({ id: "g", type: "get_state", verbose: true })
    assert.deepStrictEqual(toolNames(await host.until(answer("g"))), ["show_diff"])
    host.send(result(second["id"], "README.md"), {
      type: "host_tool_update",
      id: first["id"],
      partialResult: says("…")
    })
    host.send(result(second["id"], "twice"), result("host_0", "nobody asked"), result(first["id"], "nothing"))
    assert.deepInclude(await host.until(end("a")), { result: says("nothing"), isError: false })
    const third = await host.until(call("c"))
    assert.deepInclude(third, { toolName: "show_diff", arguments: { path: "README.md" } })
    host.send({ ...result(third["id"], "cannot show"), isError: true })
    assert.deepInclude(await host.until(end("c")), { result: { ...says("cannot show"), details: {} }, isError: true })
    await host.until(type("session_settled"))
    const ended = host.frames().filter(type("tool_execution_end"))
    assert.deepStrictEqual(
      ended.map((frame) => frame["toolCallId"]),
      ["b", "a", "c"]
    )
    assert.notInclude(types(host), "host_tool_cancel")
    assert.notInclude(JSON.stringify(host.frames().filter(type("response"))), '"success":false')
    host.send({ id: "f", type: "get_fibers" })
    const [session] = Object.values(named("data", await host.until(answer("f")))["fibers"] ?? {})
    assert.deepInclude(session, { kind: "session", children: [] })
  }
)

host(
  "a schema that no call can fit is refused when it comes; a warning reaches the file; an odd isError fails its call",
  script("host-tools"),
  async (host) => {
    const ask = tool("ask_editor", "question")
    const misspelt = { ...ask, parameters: { type: "object", properties: { question: { type: "strnig" } } } }
    host.send({ id: "bad", type: "set_host_tools", tools: [misspelt] })
    const refusal = await host.until(answer("bad"))
    assert.deepInclude(refusal, { success: false, code: "invalid_params" })
    assert.match(String(refusal["error"]), /^Host tool "ask_editor" has .*: properties\.question\.type must be one of/)
    host.send(
      { id: "good", type: "set_host_tools", tools: [ask] },
      { id: "p", type: "prompt", message: "go" },
      { id: "g", type: "get_state" }
    )
    const [a, b] = [await host.until(call("a")), await host.until(call("b"))]
    host.send({ type: "host_tool_result", id: a["id"], result: { ...says("careful"), isWarning: true } })
    host.send({ ...result(b["id"], "fine"), isError: "no" })
    assert.deepInclude(await host.until(end("a")), { isError: false, isWarning: true })
    const failed = await host.until(end("b"))
    assert.deepInclude(failed, { isError: true })
    assert.include(JSON.stringify(failed), 'payload: \\"isError\\" must be true or false')
    const { sessionFile } = await host.until(type("agent_end"))
    assert.strictEqual(sessionFile, named("data", await host.until(answer("g")))["sessionFile"])
    const stored = readFileSync(String(sessionFile), "utf8").split("\n")
    assert.lengthOf(
      stored.filter((line) => line.includes('"isWarning":true') && line.includes("careful")),
      1
    )
  }
)

const lost = "RPC client disconnected before host tool execution completed"

for (const [options, status] of [
  [[], "aborted"],
  [["--drain"], "completed"]
] as const) {
  host(
    `EOF with a pending call ${options.join()}: the call fails, the run ends ${status}, exit 0`,
    {
      ...script("host-tools", ...options)
    },
    async (host) => {
      host.send(
        { type: "set_host_tools", tools: [tool("ask_editor", "question")] },
        { id: "p", type: "prompt", message: "x" }
      )
      await host.until(call("b"))
      host.closeInput()
      assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
      for (const id of ["a", "b"])
        assert.deepInclude(await host.until(end(id)), { result: { ...says(lost), details: {} } })
      assert.propertyVal(await host.until(type("prompt_result")), "status", status)
      assert.notInclude(types(host), "host_tool_cancel")
    }
  )
}

host(
  "SIGTERM with a pending call: the host is told once that it is not wanted any more",
  script("host-tools"),
  async (host) => {
    host.send(
      { type: "set_host_tools", tools: [tool("ask_editor", "question")] },
      { id: "p", type: "prompt", message: "x" }
    )
    const [a, b] = [await host.until(call("a")), await host.until(call("b"))]
    host.child.kill("SIGTERM")
    assert.deepStrictEqual(await host.exited, { code: 143, signal: null })
    const cancelled = host.frames().filter(type("host_tool_cancel"))
    assert.deepStrictEqual(cancelled.map((frame) => frame["targetId"]).sort(), [a["id"], b["id"]].sort())
    assert.deepInclude(await host.until(end("a")), {
      result: { ...says('Host tool "ask_editor" was aborted'), details: {} }
    })
  }
)

/** Ticks of processor time the process has used. */
const busy = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ").slice(11, 13)

host(
  "a host that has stopped reading can abort, and finds everything in order when it reads again",
  script("long-stream", "--rpc-updates=delta"),
  async (host) => {
    const { stdout } = host.child
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("agent_start"))
    stdout?.pause()
    let [before, quiet] = ["", 0]
    await Effect.runPromise(
      Processes.until(
        () => JSON.stringify(busy(host.child.pid)),
        (now) => ((quiet = now === before ? quiet + 1 : 0), (before = now), quiet > 100)
      )
    )
    host.send({ id: "a", type: "abort" })
    stdout?.resume()
    await host.until(answer("a"))
    const order = types(host)
    assert.deepStrictEqual(order.slice(-5), [
      "agent_end",
      "prompt_result",
      "agent_settled",
      "session_settled",
      "response"
    ])
    assert.isBelow(order.filter((name) => name === "message_update").length, 15_000)
    const numbers = host
      .frames()
      .filter((frame) => frame["type"] !== "response")
      .map((frame) => frame["seq"])
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, i) => i + 1)
    )
  }
)

host(
  "get_fibers over real pipes: a stream and a command at once, each ended by `cancel`, then nothing but the session",
  script("slow-stream"),
  async (host) => {
    const tag = `heddle-e2e-${crypto.randomUUID()}`
    host.send({ id: "p", type: "prompt", message: "go" })
    host.send({ id: "b", type: "bash", command: `echo begun; HEDDLE_TEST=${tag} sleep 60` })
    await host.until(type("bash_execution_update"))
    await host.until(type("message_update"))
    host.send({ id: "f1", type: "get_fibers" })
    const tree = JSON.stringify(await host.until(answer("f1")))
    const kinds = [...tree.matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind)
    assert.deepStrictEqual([...kinds].sort(), ["bash", "command", "model_call", "run", "session", "turn"])
    assert.match(tree, /"progress":\{"count":\d+,"unit":"deltas"/)
    const modelCall = /"id":"(fb_\d+)","kind":"model_call"/.exec(tree)?.[1]
    host.send({ id: "c1", type: "cancel", targetId: "b" }, { id: "c2", type: "cancel", targetId: modelCall })
    assert.deepInclude(await host.until(answer("b")), { success: false, code: "cancelled" })
    const killed = named("data", await host.until(answer("c1")))["pidsKilled"]
    assert.match(JSON.stringify(killed), /^\[\d+\]$/)
    assert.deepStrictEqual(Processes.holding(tag), [])
    assert.propertyVal(named("data", await host.until(answer("c2"))), "outcome", "cancelled")
    assert.propertyVal(await host.until(type("prompt_result")), "status", "aborted")
    host.send({ id: "f2", type: "get_fibers" })
    assert.match(JSON.stringify(await host.until(answer("f2"))), /"kind":"session".*"children":\[\]/)
  }
)

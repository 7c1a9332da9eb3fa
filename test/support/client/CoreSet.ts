/**
 * What the client promises, against the real command over real pipes. The set needs no test runner: test/client/core.test.ts
 * runs it under bun, and test/client/node.test.ts under node.
 */
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type CustomTool,
  type EventName,
  type Events,
  fibers,
  RpcClient,
  type RpcClientOptions
} from "../../../src/client/index.ts"

type Step = Readonly<Record<string, unknown>>
type Scenario = ReadonlyArray<ReadonlyArray<Step>>

/** Starts a client whose model plays the turns. It ends with the case. */
export type Open = (turns: Scenario, options?: RpcClientOptions) => Promise<RpcClient>

const hello: Scenario = [[{ text: "Hello!" }]]
const hanging: Scenario = [[{ text: "I was about to", cutOff: true }, { hang: true }]]
const calling = (name: string, args: object = {}): Scenario => [
  [{ toolCall: { id: "t1", name, arguments: args } }],
  [{ text: "done" }]
]

/** The first event of the type that fits, from now on. */
export const next = <T extends EventName>(
  client: RpcClient,
  type: T,
  fits: (event: Events[T]) => boolean = () => true
): Promise<Events[T]> =>
  new Promise((resolve) => {
    const remove = client.on(type, (event) => {
      if (!fits(event)) return
      remove()
      resolve(event)
    })
  })

const isDelta = ({ assistantMessageEvent }: Events["message_update"]) => assistantMessageEvent.type === "text_delta"

const tool = (name: string, execute: CustomTool["execute"]): CustomTool => ({
  name,
  description: "A tool of the test.",
  parameters: { type: "object" },
  execute
})

/** The error that the promise rejects with, as plain data. */
export const rejection = async (promise: Promise<unknown>): Promise<Record<string, unknown>> => {
  const outcome = await promise.then(
    (value) => ({ resolvedWith: value }),
    (error: unknown) => (error instanceof Error ? { ...error, message: error.message } : { rejectedWith: error })
  )
  return outcome
}

export const cases: Readonly<Record<string, (open: Open) => Promise<void>>> = {
  "promptAndWait ends after all events of the run": async (open) => {
    const client = await open(hello)
    assert.equal(client.server?.serverInfo.name, "heddle")
    const seen: Array<string> = []
    client.onEvent((event) => seen.push(event.type))
    const settled = next(client, "session_settled")
    const outcome = await client.promptAndWait("hi")
    assert.deepEqual([outcome.status, outcome.text, outcome.agentInvoked], ["completed", "Hello!", true])
    assert.deepEqual(
      outcome.messages.map(({ role }) => role),
      ["user", "assistant"]
    )
    await settled
    assert.deepEqual(
      seen.filter((type) => type !== "message_update"),
      [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_start",
        "message_end",
        "turn_end",
        "agent_end",
        "prompt_result",
        "agent_settled",
        "session_settled"
      ]
    )
  },

  "updates come in delta form, and a listener can be removed": async (open) => {
    const client = await open([[{ text: "one two three" }], [{ text: "more" }]])
    let text = ""
    const remove = client.on("message_update", ({ assistantMessageEvent: step, message }) => {
      assert.equal(message, undefined)
      if (step.type === "text_delta") text += step.delta
    })
    await client.promptAndWait("hi")
    remove()
    await client.promptAndWait("hi")
    assert.equal(text, "one two three")
  },

  "commands are methods: required members as arguments, data as the result": async (open) => {
    const client = await open(hello)
    await client.setSessionName("loom")
    const { isStreaming, sessionName } = await client.getState()
    assert.deepEqual({ isStreaming, sessionName }, { isStreaming: false, sessionName: "loom" })
    assert.deepEqual(await client.getLastAssistantText(), { text: null })
    const { exitCode, output } = await client.bash("echo warp; exit 3", { excludeFromContext: true })
    assert.deepEqual({ exitCode, output: output.trim() }, { exitCode: 3, output: "warp" })
    const { messages } = await client.request({ type: "get_messages" })
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["bashExecution"]
    )
    const { data, success } = await client.requestRaw({ type: "get_messages", limit: 1 })
    assert.deepEqual({ data, success }, { data: { messages }, success: true })
  },

  "a refused command rejects with its code and command": async (open) => {
    const client = await open(hello)
    const { message, ...error } = await rejection(client.setModel("x", "y"))
    assert.equal(message, "Model not found: x/y")
    assert.deepEqual(error, {
      _tag: "CommandFailed",
      name: "CommandFailed",
      command: "set_model",
      code: "model_not_found",
      data: undefined
    })
    const unknown = await rejection(client.requestRaw({ type: "no_such_command" }))
    assert.deepEqual([unknown["code"], unknown["message"]], ["unknown_command", "Unknown command: no_such_command"])
  },

  "a prompt that is refused rejects promptAndWait, and the run that was going on is not touched": async (open) => {
    const client = await open(hanging)
    const first = client.promptAndWait("hi")
    await next(client, "message_update", isDelta)
    assert.equal((await rejection(client.promptAndWait("again")))["code"], "busy")
    await client.abort()
    assert.equal((await first).status, "aborted")
  },

  "run gives the events of a prompt up to its result, and how it ended": async (open) => {
    const client = await open([...calling("ls", { path: "." }), ...hello])
    const run = client.run("hi")
    const types: Array<string> = []
    for await (const event of run) types.push(event.type)
    assert.deepEqual([types[0], types.at(-1)], ["agent_start", "prompt_result"])
    for (const type of ["message_update", "tool_execution_end", "agent_end"]) assert.ok(types.includes(type), type)
    assert.equal((await run.outcome).text, "done")
    // A reader that is slow, or comes late, misses nothing.
    const second = client.run("again")
    assert.equal((await second.outcome).text, "Hello!")
    const late: Array<string> = []
    for await (const event of second) late.push(event.type)
    assert.deepEqual([late[0], late.at(-1)], ["agent_start", "prompt_result"])
    assert.equal((await second.next()).done, true)
  },

  "leaving the events of run aborts it, and a failure is thrown": async (open) => {
    const client = await open([
      ...hanging,
      [{ fail: { reason: "invalid_request", message: "No." } }],
      ...hanging,
      ...hello
    ])
    for await (const event of client.run("hang")) if (event.type === "message_update") break
    assert.equal((await client.getState()).isStreaming, false)
    const failing = client.run("fail")
    const drained = (async () => {
      for await (const _ of failing) continue
    })()
    assert.equal((await rejection(drained))["_tag"], "PromptFailed")
    assert.equal((await rejection(failing.outcome))["_tag"], "PromptFailed")
    // A prompt that has only just been queued leaves the run that is going on alone.
    const going = client.promptAndWait("hang").catch(() => undefined)
    await next(client, "message_update", isDelta)
    for await (const event of client.run("later", { streamingBehavior: "followUp" }))
      if (event.type === "queue_update") break
    const { isStreaming, queuedMessageCount } = await client.getState()
    assert.deepEqual([isStreaming, queuedMessageCount], [true, 0])
    await client.abort()
    await going
    const stop = new AbortController()
    const stopped = client.run("hi", {}, { signal: stop.signal })
    assert.equal((await stopped.outcome).status, "completed")
    assert.equal(getEventListeners(stop.signal, "abort").length, 0)
    stop.abort(new Error("enough"))
    assert.throws(() => client.run("hi", {}, { signal: stop.signal }), /enough/)
  },

  "what runs is found in the tree, and cancel ends that part of it": async (open) => {
    const client = await open(calling("bash", { command: "sleep 60" }))
    const begun = next(client, "tool_execution_start")
    const end = next(client, "tool_execution_end")
    const run = client.promptAndWait("hi")
    await begun
    const tree = await client.getFibers()
    const kinds = [...fibers.walk(tree)].map(({ kind }) => kind)
    assert.deepEqual(kinds.slice(0, 3), ["session", "run", "turn"])
    const call = fibers.find(tree, ({ kind }) => kind === "tool_call")
    assert.equal(
      fibers.find(tree, ({ label }) => label === "nothing"),
      undefined
    )
    const whole = fibers.find(tree, ({ kind }) => kind === "run")
    assert.ok(whole !== undefined && call !== undefined && [...fibers.walk(whole)].includes(call))
    const { outcome } = await client.cancel(call.id)
    assert.equal(outcome, "cancelled")
    assert.match(JSON.stringify((await end).result), /Cancelled by host/)
    assert.equal((await run).text, "done")
    assert.equal((await client.cancel(call.id)).outcome, "already_done")
  },

  "promptAndWait waits for retries": async (open) => {
    const fail = { reason: "overloaded", message: "Too many weavers" }
    const client = await open([[{ fail }], [{ text: "The second try." }]], {
      args: ["--set", "retry.baseDelayMs=1"]
    })
    const retried = next(client, "auto_retry_end")
    assert.equal((await client.promptAndWait("hi")).text, "The second try.")
    assert.equal((await retried).success, true)
  },

  "a run that fails rejects with PromptFailed and its messages": async (open) => {
    const fail = { reason: "quota", message: "No more yarn", httpStatus: 429 }
    const client = await open([[{ fail }]])
    const error = await rejection(client.promptAndWait("hi"))
    assert.deepEqual([error["_tag"], error["message"]], ["PromptFailed", "No more yarn"])
    assert.equal(Object(error["failure"]).httpStatus, 429)
    assert.equal(Object(error["messages"]).length, 2)
  },

  "the signal of promptAndWait aborts the run": async (open) => {
    const client = await open(hanging)
    const controller = new AbortController()
    const result = next(client, "prompt_result")
    const run = client.promptAndWait("hi", {}, { signal: controller.signal })
    await next(client, "message_update", isDelta)
    controller.abort(new Error("not needed"))
    assert.equal((await rejection(run))["message"], "not needed")
    assert.equal((await result).status, "aborted")
    assert.equal((await client.getState()).isStreaming, false)
  },

  "a signal that fires before the prompt is accepted ends its run, but not that of another prompt": async (open) => {
    const client = await open([...hanging, ...hanging])
    const give = (controller: AbortController) => {
      const run = rejection(client.promptAndWait("hi", {}, { signal: controller.signal }))
      controller.abort(new Error("never mind"))
      return run
    }
    assert.equal((await give(new AbortController()))["message"], "never mind")
    assert.equal((await client.getState()).isStreaming, false)
    const other = client.promptAndWait("hi")
    await next(client, "message_update", isDelta)
    assert.equal((await give(new AbortController()))["message"], "never mind")
    assert.equal((await client.getState()).isStreaming, true)
    await client.abort()
    assert.equal((await other).status, "aborted")
  },

  "the deadline of promptAndWait aborts the run": async (open) => {
    const client = await open(hanging)
    const result = next(client, "prompt_result")
    const error = await rejection(client.promptAndWait("hi", {}, { timeoutMs: 50 }))
    assert.deepEqual([error["_tag"], error["timeoutMs"]], ["DeadlineExceeded", 50])
    assert.equal((await result).status, "aborted")
  },

  "the signal of a queued prompt takes it out of the queue and lets the run go on": async (open) => {
    const client = await open(hanging)
    const controller = new AbortController()
    const first = client.promptAndWait("hi")
    await next(client, "message_update", isDelta)
    const queued = next(client, "queue_update")
    const second = client.promptAndWait("later", { streamingBehavior: "followUp" }, { signal: controller.signal })
    assert.deepEqual((await queued).followUp, ["later"])
    await client.ping() // the response to the prompt came before
    controller.abort(new Error("never mind"))
    assert.equal((await rejection(second))["message"], "never mind")
    assert.deepEqual((await client.getQueue()).items, [])
    assert.equal((await client.getState()).isStreaming, true)
    await client.abort()
    assert.equal((await first).status, "aborted")
  },

  "a signal that has fired sends nothing": async (open) => {
    const client = await open(hello)
    const signal = AbortSignal.abort(new Error("too late"))
    assert.equal((await rejection(client.promptAndWait("hi", {}, { signal })))["message"], "too late")
    assert.equal((await rejection(client.setSessionName("x", { signal })))["message"], "too late")
    const { messageCount, sessionName } = await client.getState()
    assert.deepEqual({ messageCount, sessionName }, { messageCount: 0, sessionName: undefined })
  },

  "the signal of a command ends it in heddle, too": async (open) => {
    const client = await open(hello)
    const controller = new AbortController()
    const started = next(client, "bash_execution_update")
    const bash = client.bash("echo on; sleep 300", {}, { signal: controller.signal })
    await started
    controller.abort(new Error("enough"))
    assert.equal((await rejection(bash))["message"], "enough")
    await client.waitForIdle()
    while ((await client.getState()).isBashRunning) await client.ping()
  },

  "calls leave no listener on a signal that they share": async (open) => {
    const client = await open(hello)
    const { signal } = new AbortController()
    await client.promptAndWait("hi", {}, { signal })
    for (let round = 0; round < 100; round++)
      await Promise.all(Array.from({ length: 5 }, () => client.ping({ signal, timeoutMs: 10_000 })))
    await Promise.all([client.waitForIdle({ signal }), rejection(client.setModel("x", "y", { signal }))])
    assert.equal(getEventListeners(signal, "abort").length, 0)
  },

  "a process that is stopped in its tracks is noticed, and stop ends it": async (open) => {
    const client = await open(hanging, { livenessMs: 100 })
    const run = rejection(client.promptAndWait("hi"))
    await next(client, "message_update", isDelta)
    const pid = client.pid ?? 0
    process.kill(-pid, "SIGSTOP")
    assert.equal((await run)["_tag"], "NotResponding")
    process.kill(-pid, "SIGCONT")
    assert.deepEqual(await client.stop(), { code: 0, signal: null })
  },

  "a host tool gets its arguments, shows progress and answers": async (open) => {
    const client = await open(calling("loom", { threads: 3 }), {
      customTools: [
        tool("loom", (args, { sendUpdate, toolCallId }) => {
          sendUpdate("half")
          return { content: [{ type: "text", text: JSON.stringify([args, toolCallId]) }], details: { a: 1 } }
        })
      ]
    })
    const [update, end] = [next(client, "tool_execution_update"), next(client, "tool_execution_end")]
    await client.promptAndWait("hi")
    assert.deepEqual((await update).partialResult, { content: [{ type: "text", text: "half" }] })
    const { isError, result } = await end
    assert.deepEqual(
      { isError, result },
      { isError: false, result: { content: [{ type: "text", text: '[{"threads":3},"t1"]' }], details: { a: 1 } } }
    )
  },

  "host tools that throw, or return nonsense, fail their call only": async (open) => {
    const nonsense: { readonly value: string } = JSON.parse('{"value":7}')
    const client = await open(
      [
        ["throws", "rejects", "nonsense"].map((name) => ({ toolCall: { id: name, name, arguments: {} } })),
        [{ text: "done" }]
      ],
      {
        customTools: [
          tool("throws", () => {
            throw new Error("thread broke")
          }),
          tool("rejects", () => Promise.reject(new Error("no yarn"))),
          tool("nonsense", () => nonsense.value)
        ]
      }
    )
    const texts = new Map<string, unknown>()
    client.on("tool_execution_end", ({ isError, result, toolName }) =>
      texts.set(toolName, [isError, Object(result).content[0].text])
    )
    assert.equal((await client.promptAndWait("hi")).text, "done")
    assert.deepEqual(Object.fromEntries(texts), {
      throws: [true, "thread broke"],
      rejects: [true, "no yarn"],
      nonsense: [true, "The tool must return a text or an object with `content`."]
    })
  },

  "an abort fires the signal of a host tool, and nothing is sent after it": async (open) => {
    let signal: AbortSignal | undefined
    const client = await open(calling("slow"), {
      customTools: [
        tool("slow", (_, context) => {
          signal = context.signal
          return new Promise((resolve) =>
            context.signal.addEventListener("abort", () => {
              context.sendUpdate("too late")
              resolve("too late")
            })
          )
        })
      ]
    })
    const updates: Array<unknown> = []
    client.on("tool_execution_update", (event) => updates.push(event))
    const run = client.promptAndWait("hi")
    await next(client, "host_tool_call")
    await client.abort()
    assert.equal((await run).status, "aborted")
    assert.equal(signal?.aborted, true)
    await client.ping()
    assert.deepEqual(updates, [])
  },

  "tools can be replaced, and refused ones leave the old ones": async (open) => {
    const client = await open(calling("b"), { customTools: [tool("a", () => "a")] })
    assert.equal((await rejection(client.setCustomTools([tool("read", () => "mine")])))["code"], "tool_conflict")
    assert.deepEqual(await client.setCustomTools([tool("b", () => "from b")]), ["b"])
    const end = next(client, "tool_execution_end")
    await client.promptAndWait("hi")
    assert.equal(Object((await end).result).content[0].text, "from b")
  },

  "without a handler, questions get their defaults at once": async (open) => {
    const client = await open(asking)
    const end = next(client, "tool_execution_end")
    assert.equal((await client.promptAndWait("hi")).status, "completed")
    assert.match(Object((await end).result).content[0].text, /cancel/i)
  },

  "a handler answers questions; one that throws cancels its question": async (open) => {
    const client = await open([...asking, ...asking])
    const remove = client.onUiRequest((request) => {
      assert.ok(request.method === "select")
      assert.deepEqual(request.options.slice(0, 2), ["one", "two"])
      return { value: "two" }
    })
    const first = next(client, "tool_execution_end")
    await client.promptAndWait("hi")
    assert.equal(Object((await first).result).content[0].text, "The user selected: two")
    remove()
    const problems: Array<unknown> = []
    client.onProtocolError(({ cause }) => problems.push(cause))
    client.onUiRequest(() => Promise.reject(new Error("no window")))
    const second = next(client, "tool_execution_end")
    await client.promptAndWait("hi")
    assert.match(Object((await second).result).content[0].text, /cancel/i)
    assert.deepEqual(problems.map(String), ["Error: no window"])
  },

  "a question can be answered later, and its signal fires when it is withdrawn": async (open) => {
    const client = await open([...asking, ...asking], { requestTimeoutMs: 5000 })
    const signals: Array<AbortSignal> = []
    client.onUiRequest((_, { signal }) => void signals.push(signal))
    const [asked, end] = [next(client, "extension_ui_request"), next(client, "tool_execution_end")]
    const run = client.promptAndWait("hi")
    const { id } = await asked
    assert.equal(client.respondUi(id, { value: "one" }), true)
    assert.equal(client.respondUi(id, { value: "two" }), false)
    assert.equal(Object((await end).result).content[0].text, "The user selected: one")
    await run
    const again = next(client, "extension_ui_request")
    const aborted = client.promptAndWait("hi")
    await again
    await client.abort()
    assert.equal((await aborted).status, "aborted")
    assert.deepEqual(
      signals.map((signal) => signal.aborted),
      [false, true]
    )
  },

  "a headless host answers by kind": async (open) => {
    const client = await open(asking)
    client.installHeadlessUi({ select: (options) => options[0] })
    const end = next(client, "tool_execution_end")
    await client.promptAndWait("hi")
    assert.equal(Object((await end).result).content[0].text, "The user selected: one")
  },

  "waitForIdle waits for prompts sent before it, collectEvents until the end": async (open) => {
    const client = await open([[{ text: "Hello!" }], [{ text: "again" }], [{ text: "third" }]])
    await client.waitForIdle()
    const [events] = await Promise.all([client.collectEvents(), client.prompt("hi")])
    assert.deepEqual([events[0]?.type, events.at(-1)?.type], ["agent_start", "session_settled"])
    await client.prompt("hi")
    await client.waitForIdle()
    assert.equal((await client.getState()).isSettled, true)
    const accepted = client.prompt("hi")
    await client.waitForIdle()
    assert.equal((await accepted).disposition, "started")
    assert.deepEqual(await client.getLastAssistantText(), { text: "third" })
  },

  "kill -9 rejects everything pending, and restart works": async (open) => {
    const client = await open(hanging)
    const run = client.promptAndWait("hi")
    await next(client, "message_update", isDelta)
    const pending = [run, client.bash("sleep 300"), client.waitForIdle(), client.collectEvents()].map(rejection)
    const ended = new Promise<Error>((resolve) => void client.onEnd(resolve))
    const pid = client.pid
    assert.ok(pid !== undefined)
    process.kill(-pid, "SIGKILL") // the group: under node, the process is the parent of the bun that runs heddle
    for (const error of await Promise.all(pending))
      assert.deepEqual([error["_tag"], error["signal"]], ["ProcessEnded", "SIGKILL"])
    assert.equal((await ended).name, "ProcessEnded")
    assert.equal((await rejection(client.getState()))["_tag"], "ProcessEnded")
    assert.deepEqual([client.isRunning, client.pid], [false, undefined])
    await client.restart()
    assert.equal((await client.getState()).isStreaming, false)
  },

  "stop rejects what is pending, ends the process in order, and start works again": async (open) => {
    const client = await open(hanging)
    const run = client.promptAndWait("hi")
    await next(client, "message_update", isDelta)
    const [result, caught] = [next(client, "prompt_result"), rejection(run)]
    const [first, second] = await Promise.all([client.stop(), client.stop()])
    assert.deepEqual(
      [first, second],
      [
        { code: 0, signal: null },
        { code: 0, signal: null }
      ]
    )
    assert.equal((await caught)["_tag"], "NotRunning")
    assert.equal((await result).status, "aborted")
    assert.equal((await rejection(client.getState()))["message"], "the client was stopped")
    await client.start()
    await client.start()
    assert.equal((await client.getState()).messageCount, 0)
  },

  "a start that fails says why, with stderr": async (open) => {
    const error = await rejection(open(hello, { args: ["--bogus"] }))
    assert.deepEqual([error["_tag"], error["exitCode"]], ["ProcessEnded", 1])
    assert.match(String(error["message"]), /the process ended with exit code 1\n[^]*--bogus/)
    assert.match(String(error["stderr"]), /"INVALID_ARG"/)
    const missing = await rejection(open(hello, { command: "no-such-program-here" }))
    assert.equal(missing["_tag"], "StartFailed")
    assert.match(String(missing["message"]), /cannot start no-such-program-here/)
    const nowhere = await rejection(open(hello, { cwd: "/no/such/folder" }))
    assert.match(String(nowhere["message"]), /there is no folder \/no\/such\/folder/)
  },

  "U+2028, split characters and long texts come through": async (open) => {
    const odd = `\u2028\u2029\u0085\r 🧵${"ä".repeat(200_000)}\u{1f9f6}`
    const client = await open([[{ text: odd, chunk: 50_000 }]])
    const { messages, text } = await client.promptAndWait(odd)
    assert.equal(text, odd)
    assert.equal(Object(messages[0]).content[0].text, odd)
  }
}

const question = { id: "q", question: "Which?", options: [{ label: "one" }, { label: "two" }] }
const asking = calling("ask", { questions: [question] })

/** Runs one case with a folder and a home of its own. */
export const run = async (name: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-client-"))
  const clients: Array<RpcClient> = []
  const open: Open = async (turns, options = {}) => {
    const scenario = join(folder, "scenario.json")
    writeFileSync(scenario, JSON.stringify({ turns: turns.map((steps) => ({ steps })) }))
    const client = new RpcClient({
      cwd: folder,
      env: { HOME: folder, HEDDLE_AGENT_DIR: folder },
      model: "offline/script",
      ...options,
      args: ["--no-session", "--offline", "--set", `offline.scenario=${scenario}`, ...(options.args ?? [])]
    })
    clients.push(client)
    await client.start()
    return client
  }
  try {
    await cases[name]?.(open)
  } finally {
    await Promise.all(clients.map((client) => client.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

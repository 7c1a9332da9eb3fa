import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { AgentMessage } from "../../../../src/domain/conversation/Message.ts"
import type { UserCommandAnswer } from "../../../../src/services/hooks/HookPoints.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

type Event = Record<string, unknown>

const user: AgentMessage = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 1 }
const image = { type: "image", data: "AA==", mimeType: "image/png" } as const

/** What a point answers, and what is reported, for each value that a handler returns. */
const table = (name: string, results: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const loaded = yield* Loaded.make()
    const seen: Array<unknown> = []
    for (const result of results) {
      loaded.pi.on(name, (event: unknown) => {
        seen.push(event)
        return result
      })
    }
    const reported = () => loaded.hooks.reports.map(({ event, message }) => [event, message])
    return { ...loaded, seen, reported }
  })

const wrong = "must return an object or nothing"

describe("input", () => {
  it.scoped("continues, is transformed, or is handled", () =>
    Effect.gen(function* () {
      const results = [
        undefined,
        null,
        { action: "continue" },
        { action: "transform", text: "t", images: [image] },
        { action: "handled" },
        Promise.resolve({ action: "handled" }),
        "handled",
        { action: "transform" },
        { action: "eat" }
      ]
      const { hooks, reported, seen } = yield* table("input", results)
      const answers = yield* hooks.ask("input", { text: "hi", images: [image], source: "host", whenBusy: "steering" })
      assert.deepStrictEqual(answers, [
        undefined,
        undefined,
        undefined,
        { _tag: "Transform", text: "t", images: [image] },
        { _tag: "Handled" },
        { _tag: "Handled" },
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(seen[0], {
        type: "input",
        text: "hi",
        images: [image],
        source: "rpc",
        streamingBehavior: "steer"
      })
      assert.deepStrictEqual(reported(), [
        ["input", wrong],
        ["input", 'action "transform" needs a text'],
        ["input", "action must be continue, transform or handled"]
      ])
    })
  )

  it.scoped("of an extension says so", () =>
    Effect.gen(function* () {
      const { hooks, seen } = yield* table("input", [undefined])
      yield* hooks.ask("input", { text: "x", images: [], source: "extension", whenBusy: "followUp" })
      assert.deepStrictEqual(seen, [{ type: "input", text: "x", source: "extension", streamingBehavior: "followUp" }])
    })
  )
})

it.scoped("before_agent_start adds a message and replaces the system prompt", () =>
  Effect.gen(function* () {
    const message = { customType: "note", content: "remember", display: false, details: { n: 1 } }
    const results = [
      { message, systemPrompt: "Be brief." },
      { message: { content: "no type" }, systemPrompt: "kept" },
      { systemPrompt: 5 },
      7
    ]
    const { hooks, reported, seen } = yield* table("before_agent_start", results)
    const answers = yield* hooks.ask("runStarting", { text: "go", images: [], systemPrompt: "You are." })
    assert.deepStrictEqual(answers, [{ message, systemPrompt: "Be brief." }, { systemPrompt: "kept" }, {}, undefined])
    assert.deepStrictEqual(seen[0], {
      type: "before_agent_start",
      messageType: "user",
      prompt: "go",
      systemPrompt: "You are.",
      systemPromptOptions: { cwd: "/project", selectedTools: [], sections: {}, contextFiles: [], skills: [] }
    })
    assert.deepStrictEqual(reported(), [
      ["before_agent_start", "message: customType must be a text"],
      ["before_agent_start", wrong]
    ])
  })
)

it.scoped("context gets copies, and returns messages, of which none may be unusable", () =>
  Effect.gen(function* () {
    const custom = { role: "custom", customType: "c", content: "extra", display: true, timestamp: 2 }
    const results = [
      { messages: [user, custom] },
      { messages: [{ role: "user", content: "as text", timestamp: 3 }] },
      { messages: [user, { role: "nobody" }] },
      { messages: "all" },
      {}
    ]
    const { hooks, pi, reported, seen } = yield* table("context", results)
    pi.on("context", ({ messages }: { readonly messages: Array<{ content: unknown }> }) => {
      for (const message of messages) message.content = "changed"
    })
    const answers = yield* hooks.ask("context", { messages: [user] })
    assert.deepStrictEqual(answers, [
      { messages: [user, custom] },
      { messages: [{ role: "user", content: [{ type: "text", text: "as text" }], timestamp: 3 }] },
      undefined,
      undefined,
      undefined,
      undefined
    ])
    assert.deepStrictEqual(seen[0], { type: "context", messages: [user] })
    assert.deepStrictEqual(user.content, [{ type: "text", text: "hi" }])
    assert.deepStrictEqual(reported(), [
      ["context", "messages[1] is no message"],
      ["context", "messages must be an array"]
    ])
  })
)

it.scoped("message_end may replace a message by one of the same role", () =>
  Effect.gen(function* () {
    const other = { ...user, content: [{ type: "text" as const, text: "better" }] }
    const results = [
      { message: other },
      { message: { role: "custom", customType: "c", content: "x", display: true, timestamp: 1 } },
      { message: 5 },
      undefined
    ]
    const { hooks, reported } = yield* table("message_end", results)
    const answers = yield* hooks.ask("messageEnding", { message: user })
    assert.deepStrictEqual(answers, [{ message: other }, undefined, undefined, undefined])
    assert.deepStrictEqual(reported(), [
      ["message_end", "message must keep its role user"],
      ["message_end", "message is no message"]
    ])
  })
)

it.scoped("before_provider_request replaces the payload; after_provider_response only watches", () =>
  Effect.gen(function* () {
    const { hooks, pi } = yield* table("before_provider_request", [{ a: 1 }, undefined])
    const { model } = yield* (yield* Loaded.make()).agent.state
    if (model === undefined) return yield* Effect.dieMessage("no model")
    const answers = yield* hooks.ask("providerRequest", { model, payload: { stream: true } })
    assert.deepStrictEqual(answers, [{ payload: { a: 1 } }, undefined])
    const seen: Array<unknown> = []
    pi.on("after_provider_response", (event: unknown) => seen.push(event))
    const answered = yield* hooks.ask("providerResponse", { status: 429, headers: { "retry-after": "5" } })
    assert.deepStrictEqual(answered, [undefined])
    assert.deepStrictEqual(seen, [{ type: "after_provider_response", status: 429, headers: { "retry-after": "5" } }])
  })
)

describe("tool_call", () => {
  const asked = () => {
    const input = { command: "ls", timeout: 5 }
    return { toolCallId: "c1", toolName: "bash", input, requested: input }
  }

  it.scoped("blocks, ends the run, or has no opinion", () =>
    Effect.gen(function* () {
      const results = [undefined, { block: true, reason: "no", terminate: true }, { block: "yes" }, 5]
      const { hooks, reported } = yield* table("tool_call", results)
      const { input } = asked()
      const answers = yield* hooks.ask("toolCall", asked())
      assert.deepStrictEqual(answers, [
        { input },
        { block: true, input, reason: "no", terminate: true },
        { block: false, input },
        { input }
      ])
      assert.deepStrictEqual(reported(), [["tool_call", wrong]])
    })
  )

  it.scoped("all handlers of all extensions get the same event, and what they change in the arguments counts", () =>
    Effect.gen(function* () {
      const one = yield* Loaded.make()
      const other = yield* Loaded.add(one, { shared: one.shared, path: "/x/two.ts" })
      other.instance.activate()
      const seen: Array<unknown> = []
      one.pi.on("tool_call", (event: Event & { input: Event }) => {
        event["_checked"] = true
        event.input["command"] = "ls -l"
      })
      one.pi.on("tool_call", async (event: Event) => {
        event["input"] = { command: "pwd" }
      })
      other.pi.on("tool_call", (event: Event) => void seen.push({ ...event }))
      const event = asked()
      const judged = yield* one.hooks.judge(event)
      assert.deepStrictEqual(seen, [
        { type: "tool_call", toolCallId: "c1", toolName: "bash", input: { command: "pwd" }, _checked: true }
      ])
      assert.deepStrictEqual([judged.input, event], [{ command: "pwd" }, asked()])
      yield* one.hooks.judge(asked())
      assert.strictEqual(seen.length, 2)
    })
  )

  it.scoped("what a handler keeps and changes later has no effect", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* Loaded.make()
      const kept: Array<Event> = []
      pi.on("tool_call", (event: Event & { input: Event }) => void kept.push(event.input))
      const judged = yield* hooks.judge(asked())
      for (const input of kept) input["command"] = "rm -rf /"
      assert.deepStrictEqual(judged.input, asked().input)
    })
  )

  it.scoped("a handler that throws fails the hook, so that the call is blocked", () =>
    Effect.gen(function* () {
      for (const handler of [
        () => {
          throw new Error("bug")
        },
        () => Promise.reject(new Error("bug"))
      ]) {
        const { hooks, pi } = yield* Loaded.make()
        pi.on("tool_call", handler)
        const failure = yield* Effect.flip(hooks.ask("toolCall", asked()))
        assert.deepInclude(failure, { message: "bug" })
        assert.deepStrictEqual(hooks.reports, [])
      }
    })
  )
})

it.scoped("tool_result changes content, details and the error mark, each on its own", () =>
  Effect.gen(function* () {
    const results = [
      { content: [{ type: "text", text: "new" }] },
      { content: "as text", isError: true },
      { details: { n: 2 }, isError: "no" },
      { content: 5, details: 5 },
      undefined
    ]
    const { hooks, reported, seen } = yield* table("tool_result", results)
    const content = [{ type: "text" as const, text: "old" }]
    const event = { toolCallId: "c1", toolName: "t", input: { a: 1 }, content, details: { n: 1 }, isError: false }
    const answers = yield* hooks.ask("toolResult", event)
    assert.deepStrictEqual(answers, [
      { content: [{ type: "text", text: "new" }] },
      { content: [{ type: "text", text: "as text" }], isError: true },
      { details: { n: 2 } },
      {},
      undefined
    ])
    assert.deepStrictEqual(seen[0], { type: "tool_result", ...event })
    assert.deepStrictEqual(reported(), [["tool_result", "content must be an array of texts and images"]])
  })
)

describe("user_bash", () => {
  const command = { command: "ls", cwd: "/project", excludeFromContext: false }
  const runOf = (answers: ReadonlyArray<unknown>) => {
    const [answer] = answers
    const isRun = (value: unknown): value is Extract<UserCommandAnswer, { readonly _tag: "Run" }> =>
      typeof value === "object" && value !== null && "_tag" in value && value._tag === "Run"
    return isRun(answer) ? answer.run : () => Effect.dieMessage("no means to run it")
  }

  it.scoped("is answered with a result, or with nothing usable", () =>
    Effect.gen(function* () {
      const results = [
        { result: { output: "out", exitCode: 1, cancelled: false, truncated: true } },
        { result: {} },
        {},
        undefined
      ]
      const { hooks, reported, seen } = yield* table("user_bash", results)
      assert.deepStrictEqual(yield* hooks.ask("userCommand", command), [
        { _tag: "Result", output: "out", exitCode: 1 },
        { _tag: "Result", output: "", exitCode: undefined },
        undefined,
        undefined
      ])
      assert.deepStrictEqual(seen[0], { type: "user_bash", ...command })
      assert.deepStrictEqual(reported(), [["user_bash", "must return a result or operations with exec"]])
    })
  )

  it.scoped("is run by the operations of an extension, whose bytes may be cut anywhere", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode("grün")
      const exec = async (_command: string, _cwd: string, options: { readonly onData: (data: unknown) => void }) => {
        options.onData(bytes.subarray(0, 3))
        options.onData(bytes.subarray(3))
        options.onData("!")
        options.onData(5)
        return { exitCode: null }
      }
      const { hooks } = yield* table("user_bash", [{ operations: { exec } }])
      const run = runOf(yield* hooks.ask("userCommand", command))
      let output = ""
      assert.deepStrictEqual(yield* run((text) => (output += text)), { exitCode: undefined })
      assert.strictEqual(output, "grün!")
    })
  )

  it.scoped("an interrupt aborts the signal of the operations; what they throw is a failure", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<AbortSignal>()
      const exec = (given: string, _cwd: string, { signal }: { readonly signal: AbortSignal }) => {
        if (given === "bad") throw new Error("no shell")
        Deferred.unsafeDone(started, Effect.succeed(signal))
        return new Promise(() => {})
      }
      const { hooks } = yield* table("user_bash", [{ operations: { exec } }])
      const run = runOf(yield* hooks.ask("userCommand", command))
      const fiber = yield* Effect.fork(run(() => {}))
      const signal = yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(signal.aborted, true)
      const bad = runOf(yield* hooks.ask("userCommand", { ...command, command: "bad" }))
      const { message } = yield* Effect.flip(bad(() => {}))
      assert.strictEqual(message, "no shell")
    })
  )
})

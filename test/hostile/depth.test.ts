/** Data that nests without end, from each side it can come from: an error of its own, and everything else goes on. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Predicate, type Scope } from "effect"
import * as HostileModel from "../support/host/HostileModel.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer, type } = HostProcess
type Host = HostProcess.HostProcess

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
const tooDeep = "nested deeper than 512 levels"
const hello = { turns: [{ steps: [{ text: "Hello!" }] }], atEnd: "stay" }

const host = <A>(
  name: string,
  options: Effect.Effect<readonly [HostProcess.HostOptions, A], never, Scope.Scope>,
  body: (host: Host, more: A) => Promise<void>
) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const [given, more] = yield* options
      const opened = yield* HostProcess.open(given)
      yield* Effect.promise(() => body(opened, more))
    })
  )

const scripted = (scenario: object, ...args: ReadonlyArray<string>) =>
  Effect.map(HostileModel.script(scenario, ...args), (options) => [options, undefined] as const)

const served = (...answers: ReadonlyArray<LoopbackModel.Answer>) =>
  Effect.map(LoopbackModel.make(...answers), (server) => [HostileModel.options(server), server] as const)

/** The process still answers, ends when its input does, and says that all went well. */
const endsWell = async (host: Host) => {
  host.send({ id: "last", type: "get_state" })
  assert.deepInclude(await host.until(answer("last")), { success: true })
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
}

const resultText = (frame: HostProcess.Frame): string => JSON.stringify(frame["result"])

for (const form of ["full", "delta"] as const) {
  host(
    `arguments of a model (${form}): the call is answered with an error, and the model goes on`,
    Effect.map(
      served(
        HostileModel.calls({ id: "c", name: "read", json: HostileModel.pieces(`{"path":${nested(40_000)}}`, 500) }),
        HostileModel.says("Sorry.")
      ),
      ([options, server]) => [{ ...options, args: [...(options.args ?? []), "--rpc-updates", form] }, server] as const
    ),
    async (host, server) => {
      host.send({ id: "p", type: "prompt", message: "go" })
      assert.deepInclude(await host.until(type("prompt_result")), { id: "p", status: "completed" })
      const ended = await host.until(type("tool_execution_end"))
      assert.deepInclude(ended, { toolCallId: "c", isError: true })
      assert.include(resultText(ended), `Invalid arguments for read: ${tooDeep}`)
      assert.deepInclude(await host.until(type("tool_execution_start")), { args: {} })
      const [, second] = await Effect.runPromise(Effect.map(server.requests.takeN(2), ([both]) => [...both]))
      const sent = JSON.stringify(second?.body)
      assert.include(sent, '"input":{}')
      assert.include(sent, tooDeep)
      await endsWell(host)
    }
  )
}

host("frames: 512 levels are taken, 513 are refused, and the next frame is read", scripted(hello), async (host) => {
  // The frame itself is the first level.
  host.write(`{"id":"ok","type":"get_state","x":${nested(511)}}\n`)
  host.write(`{"id":"no","type":"get_state","x":${nested(512)}}\n`)
  host.write(`{"type":"get_state","x":${nested(40_000)},"id":7}\n`)
  host.write(`{"id":"text","type":"get_state","x":${JSON.stringify(nested(40_000))}}\n`)
  for (const id of ["ok", "text"]) assert.deepInclude(await host.until(answer(id)), { success: true })
  const refused = host.frames().filter((frame) => frame["command"] === "parse")
  const error = `Failed to parse command: ${tooDeep}`
  assert.deepStrictEqual(refused, [
    { type: "response", command: "parse", success: false, error, code: "parse_error", requestId: "no" },
    { type: "response", command: "parse", success: false, error, code: "parse_error", requestId: 7 }
  ])
  await endsWell(host)
})

host("a last line without its end is answered, too", scripted(hello), async (host) => {
  await host.until(type("startup"))
  host.write(`{"id":"no","type":"get_state","x":${nested(40_000)}}`)
  host.closeInput()
  await host.until((frame) => frame["requestId"] === "no")
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
})

const tool = { name: "look", description: "Looks.", parameters: { type: "object" } }
const looks = {
  turns: [{ steps: [{ toolCall: { name: "look", id: "c", arguments: {} } }] }, { steps: [{ text: "Done." }] }]
}
const said = `"content":[{"type":"text","text":"x"}]`

for (const [name, frame] of [
  [
    "details of a result",
    (id: string) => `{"type":"host_tool_result","id":"${id}","result":{${said},"details":${nested(40_000)}}}`
  ],
  [
    "a result before its id",
    (id: string) => `{"result":{${said},"details":${nested(40_000)}},"type":"host_tool_result","id":"${id}"}`
  ],
  [
    "progress",
    (id: string) => `{"type":"host_tool_update","id":"${id}","partialResult":{${said},"details":${nested(40_000)}}}`
  ]
] as const) {
  host(`${name} of a host tool: the call fails, and the model is told why`, scripted(looks), async (host) => {
    host.send({ id: "s", type: "set_host_tools", tools: [tool] }, { id: "p", type: "prompt", message: "go" })
    const call = await host.until(type("host_tool_call"))
    host.write(`${frame(String(call["id"]))}\n`)
    assert.deepInclude(await host.until(type("prompt_result")), { id: "p", status: "completed" })
    const ended = await host.until(type("tool_execution_end"))
    assert.deepInclude(ended, { toolCallId: "c", isError: true })
    assert.match(resultText(ended), new RegExp(`Invalid host_tool_(result|update) payload: ${tooDeep}`))
    await endsWell(host)
  })
}

host("the schema of a host tool: refused, and the tools stay as they were", scripted(hello), async (host) => {
  host.send({ id: "s", type: "set_host_tools", tools: [tool] })
  host.write(
    `{"id":"deep","type":"set_host_tools","tools":[{"name":"t","description":"d","parameters":{"default":${nested(40_000)}}}]}\n`
  )
  host.send({ id: "g", type: "get_state", verbose: true })
  const state = await host.until(answer("g"))
  assert.include(JSON.stringify(state), '"name":"look"')
  assert.notInclude(JSON.stringify(state), '"name":"t"')
  const refused = host.frames().find((frame) => frame["requestId"] === "deep")
  assert.deepInclude(refused, { success: false, error: `Failed to parse command: ${tooDeep}` })
  await endsWell(host)
})

const line = (id: string, parentId: string | null, message: string) =>
  `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"2026-01-01T00:00:00.000Z","message":${message}}`
const user = (text: string) => `{"role":"user","content":[{"type":"text","text":"${text}"}],"timestamp":1}`
const result = (details: string) =>
  `{"role":"toolResult","toolCallId":"c","toolName":"t","content":[],"details":${details},"isError":false,"timestamp":1}`

host(
  "a line of a session file: skipped, and the rest of the session is there",
  Effect.flatMap(HostileModel.folder, (folder) => {
    const file = join(folder, "session.jsonl")
    const header = `{"type":"session","version":3,"id":"deep","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`
    const lines = [
      header,
      line("a", null, user("first")),
      line("b", "a", result(`{"x":${nested(40_000)}}`)),
      line("c", "b", user("last"))
    ]
    writeFileSync(file, `${lines.join("\n")}\n`)
    return scripted(hello, "--session", file)
  }),
  async (host) => {
    host.send({ id: "m", type: "get_messages" })
    const { data } = await host.until(answer("m"))
    const messages = Predicate.hasProperty(data, "messages") ? data.messages : undefined
    assert.deepStrictEqual(messages, [JSON.parse(user("first")), JSON.parse(user("last"))])
    host.send({ id: "p", type: "prompt", message: "go" })
    assert.deepInclude(await host.until(type("prompt_result")), { status: "completed" })
    await endsWell(host)
  }
)

host(
  "arguments as deep as allowed are stored and read again",
  scripted({
    turns: [
      { steps: [{ toolCall: { name: "nope", id: "c", rawArguments: `{"x":${nested(511)}}` } }] },
      { steps: [{ text: "Done." }] }
    ]
  }),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    assert.deepInclude(await host.until(type("prompt_result")), { status: "completed" })
    const start = await host.until(type("tool_execution_start"))
    assert.deepStrictEqual(JSON.stringify(start["args"]), `{"x":${nested(511)}}`)
    host.send({ id: "s", type: "get_state" })
    const { data } = await host.until(answer("s"))
    const file = Predicate.hasProperty(data, "sessionFile") ? data.sessionFile : undefined
    host.send({ id: "n", type: "new_session" }, { id: "w", type: "switch_session", sessionPath: file })
    assert.deepInclude(await host.until(answer("w")), { success: true })
    host.send({ id: "m", type: "get_messages" })
    assert.include(JSON.stringify(await host.until(answer("m"))), nested(511))
    await endsWell(host)
  }
)

host(
  "a signal is heeded while arguments of megabytes arrive in full form",
  served(
    LoopbackModel.sse(
      ...HostileModel.calls({
        id: "c",
        name: "read",
        json: HostileModel.pieces(`{"path":[${"[[[]]],".repeat(400_000)}1]}`, 4096)
      }).parts.slice(0, -1),
      LoopbackModel.hold
    )
  ),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until((frame) => frame["type"] === "message_update")
    const began = performance.now()
    host.child.kill("SIGTERM")
    assert.deepStrictEqual(await host.exited, { code: 143, signal: null })
    assert.isBelow(performance.now() - began, 5000)
  }
)

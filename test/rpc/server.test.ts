/** Commands that arrive in one chunk, and a signal that arrives in the middle of a prompt. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import * as EmbeddedAgent from "../../src/layers/EmbeddedAgent.ts"
import { schemaHash } from "../../src/rpc/protocol/schemaHash.ts"
import * as Server from "../../src/rpc/Server.ts"
import { Agent } from "../../src/services/Agent.ts"
import { ModelClient } from "../../src/services/model/ModelClient.ts"
import * as FirstSession from "../support/agent/FirstSession.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import * as TestHost from "../support/host/TestHost.ts"

interface Options {
  readonly client?: (client: typeof ModelClient.Service) => typeof ModelClient.Service
  readonly agent?: (agent: typeof Agent.Service) => typeof Agent.Service
}

const serve = Effect.fnUntraced(function* (options: Options) {
  const { agent = (agent) => agent, client = (client) => client } = options
  const script = yield* ScriptedModel.make([{ events: [], after: "hang" }])
  const host = yield* TestHost.make
  const models = Layer.merge(script.layer, Layer.succeed(ModelClient, client(script.client)))
  const sessions = EmbeddedAgent.layerSessions({ cwd: "/", model: ScriptedModel.model })
  const embedded = Layer.provideMerge(FirstSession.layer, sessions)
  const server = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: false,
    uptime: Effect.succeed(0)
  }).pipe(
    Effect.provideServiceEffect(Agent, Effect.map(Agent, agent)),
    Effect.provide(Layer.merge(Layer.provideMerge(embedded, models), host.layer)),
    Effect.forkScoped
  )
  yield* host.receive(2)
  return { host, server, open: script.open }
})

const serving = Effect.map(serve({}), ({ host }) => host)

const question = (id: string, more: object = {}) => JSON.stringify({ id, type: "get_state", ...more })
const setMode = (mode: string) => JSON.stringify({ type: "set_steering_mode", mode })

const read = (line: string) => {
  const { data, id } = JSON.parse(line)
  return `${id} ${data.steeringMode}${"dumpTools" in data ? " verbose" : ""}`
}

it.scoped("each of several questions in one chunk gets its own id and the settings in force at its place", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const ask = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
      yield* host.send(...lines)
      const got = yield* host.receive(lines.length)
      return got.filter((line) => line.includes('"get_state"')).map(read)
    })
    const first = yield* ask(question("1"), question("2"), setMode("all"), question("3"), question("4"))
    const verbose = yield* ask(question("5"), question("6", { verbose: true }))
    const last = yield* ask(setMode("one-at-a-time"), question("7"), question("8"))
    assert.deepStrictEqual(
      [...first, ...verbose, ...last],
      [
        "1 one-at-a-time",
        "2 one-at-a-time",
        "3 all",
        "4 all",
        "5 all",
        "6 all verbose",
        "7 one-at-a-time",
        "8 one-at-a-time"
      ]
    )
  })
)

it.scoped("a question behind a change of the session in one chunk is answered by the session that was opened", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const change = JSON.stringify({ id: "change", type: "new_session" })
    const answers = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
      yield* host.send(...lines)
      const got: Array<string> = []
      while (got.length < lines.length) {
        got.push(...(yield* host.receive(1)).filter((line) => line.includes('"type":"response"')))
      }
      return got.map((line): { id: string; data: { sessionId?: string } } => JSON.parse(line))
    })
    // The first change loads its module; after that a change ends before the reader takes the next line.
    yield* answers(change)
    const [before, , after, again] = yield* answers(question("before"), change, question("after"), question("again"))
    const [now] = yield* answers(question("now"))
    assert.deepStrictEqual([before?.id, after?.id, again?.id], ["before", "after", "again"])
    assert.notStrictEqual(after?.data.sessionId, before?.data.sessionId)
    assert.strictEqual(after?.data.sessionId, now?.data.sessionId)
    assert.strictEqual(again?.data.sessionId, now?.data.sessionId)
  })
)

const bytes = (text: string) => new TextEncoder().encode(text)

it.scoped("a frame may be cut anywhere, and several frames of several chunks are handled in order", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const text = bytes('{"id":"é€😀","type":"ping"}\n{"id":2,"type":"ping"}\n{"id":3,"type":"ping"}\n')
    for (const byte of text) yield* host.sendBytes(Uint8Array.of(byte))
    const ids = (yield* host.receive(3)).map((line): unknown => JSON.parse(line).id)
    assert.deepStrictEqual(ids, ["é€😀", 2, 3])
  })
)

it.scoped.each([
  ["whole", '{"id":"last","type":"ping"}', ["last"]],
  ["torn", '{"id":"last","type":"pi', []]
] as const)("a last line without LF counts if it is whole JSON: %s", ([, last, expected]) =>
  Effect.gen(function* () {
    const { host, server } = yield* serve({})
    yield* host.sendBytes(bytes(last))
    yield* host.close
    assert.isUndefined(yield* server)
    const ids = (yield* host.rest).map((line): unknown => JSON.parse(line).id)
    assert.deepStrictEqual(ids, [...expected])
  })
)

it.scoped("an unknown command carries its id after initialize, and requestId before it", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const nope = JSON.stringify({ id: "n", type: "nope" })
    yield* host.send(nope, JSON.stringify({ id: "i", type: "initialize" }), nope)
    const [before = "", , after = ""] = yield* host.receive(3)
    const refused = { type: "response", command: "nope", success: false, error: "Unknown command: nope" }
    assert.deepStrictEqual(JSON.parse(before), { ...refused, code: "unknown_command", requestId: "n" })
    assert.deepStrictEqual(JSON.parse(after), { ...refused, code: "unknown_command", id: "n" })
  })
)

it.scoped("get_schema leaves out a schema that the host has", () =>
  Effect.gen(function* () {
    const host = yield* serving
    const ask = Effect.fnUntraced(function* (ifNoneMatch: string) {
      yield* host.send(JSON.stringify({ type: "get_schema", part: "types", ifNoneMatch }))
      const [line = ""] = yield* host.receive(1)
      return Object.keys(JSON.parse(line).data).toSorted()
    })
    assert.deepStrictEqual(yield* ask("sha256:1"), ["hash", "protocolVersion", "schema"])
    assert.deepStrictEqual(yield* ask(schemaHash), ["hash", "notModified", "protocolVersion"])
  })
)

it.scoped("a prompt that a signal comes upon is not answered, or ends like every other", () =>
  Effect.gen(function* () {
    const [asked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const { host, open, server } = yield* serve({
      client: ({ stream }) => ({
        stream: (...call) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.zipRight(Deferred.await(goOn)),
            Effect.zipRight(stream(...call))
          )
      }),
      // The prompt goes on when the agent is told to end what it does, and not before.
      agent: (agent) => ({
        ...agent,
        abort: (options) => Effect.zipRight(Deferred.succeed(goOn, undefined), agent.abort(options))
      })
    })
    yield* host.send(JSON.stringify({ id: "p", type: "prompt", message: "go" }))
    yield* Deferred.await(asked)
    yield* Fiber.interrupt(server)
    const types = (yield* host.rest).map((line): string => JSON.parse(line).type)
    const count = (wanted: string) => types.filter((type) => type === wanted).length
    assert.deepStrictEqual(
      ["agent_start", "agent_end", "prompt_result"].map(count),
      count("response") === 0 ? [0, 0, 0] : [1, 1, 1]
    )
    assert.strictEqual(yield* open, 0)
  })
)

it.scoped("a command that is refused is no error of ours: nothing is logged", () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel._tag === "Error") logged.push(message)
  })
  return Effect.gen(function* () {
    const { host, server } = yield* serve({})
    yield* host.send(JSON.stringify({ id: 1, type: "switch_session", sessionPath: "nowhere" }))
    yield* host.close
    yield* server
    assert.isTrue((yield* host.rest).some((line) => line.includes('"code":"session_not_found"')))
    assert.deepStrictEqual(logged, [])
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
})

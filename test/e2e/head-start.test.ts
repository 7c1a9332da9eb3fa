/** Prompts to a model that is far away: from the second on, the request is on its way before the prompt is answered. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, ManagedRuntime, Predicate, Schema } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Loopback from "../support/LoopbackModel.ts"

const { answer } = HostProcess
type Frame = HostProcess.Frame

const event = (data: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const begins = event({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 9, output_tokens: 1 } }
})

const says = (text: string) =>
  Loopback.sse(
    begins,
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
    event({ type: "message_stop" })
  )

const refusal = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }

const Body = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({ role: Schema.String, content: Schema.Array(Schema.Struct({ text: Schema.String })) })
  )
})
const decodeBody = Schema.decodeUnknownSync(Body)

/** What the model was told, oldest first. */
const told = ({ body }: Loopback.ReceivedRequest): ReadonlyArray<string> =>
  decodeBody(body).messages.flatMap(({ content }) => content.map(({ text }) => text))

const isTold = (text: string) => (request: Loopback.ReceivedRequest) => told(request).at(-1) === text

const answerTo = (request: Loopback.ReceivedRequest) => {
  if (request.headers["x-api-key"] === "sk-wrong") return Loopback.json(401, refusal)
  return isTold("wait")(request) ? Loopback.sse(begins, Loopback.hold) : says("yes")
}

/** A host and a model server; the keys are where `heddle auth` puts them. */
const open = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-head-start-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const setKey = (key: string | undefined) => {
    const keys = key === undefined ? {} : { anthropic: { type: "api_key", key } }
    writeFileSync(join(folder, "auth.json"), JSON.stringify(keys), { mode: 0o600 })
  }
  const arrived: Array<Loopback.ReceivedRequest> = []
  const server = yield* Loopback.serve((request) => {
    arrived.push(request)
    return answerTo(request)
  })
  const host = yield* HostProcess.open({
    command: ["bun", "run", "cli"],
    args: ["--model", "anthropic/claude-opus-5-5"],
    env: { HEDDLE_AGENT_DIR: folder, ANTHROPIC_BASE_URL: server.baseUrl }
  })
  const result = (id: string) => (frame: Frame) => frame["type"] === "prompt_result" && frame["id"] === id
  return {
    host,
    setKey,
    result,
    ask: (id: string, message: string) => {
      host.send({ id, type: "prompt", message })
      return host.until(result(id))
    },
    /** What has arrived at the server since it was asked last. */
    requests: (): ReadonlyArray<Loopback.ReceivedRequest> => arrived.splice(0)
  }
})

type Opened = Effect.Effect.Success<typeof open>

const dataOf = (frame: Frame): Frame => (Predicate.isReadonlyRecord(frame["data"]) ? frame["data"] : {})

/** The ends of the run that this answer to a prompt tells of. */
const endsOf = (host: HostProcess.HostProcess, accepted: Frame) =>
  host.frames().filter(({ runId, type }) => type === "agent_end" && runId === dataOf(accepted)["runId"])

class Scene extends Context.Tag("test/e2e/head-start/Scene")<Scene, Opened & { readonly refused: Frame }>() {}

/** One process for all: it was refused its first prompt for want of a key, and has had one that went well. */
const scene = Layer.scoped(
  Scene,
  Effect.gen(function* () {
    const opened = yield* open
    const { ask, host, requests, setKey } = opened
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Effect.sync(host.closeInput),
        Effect.promise(() => host.exited)
      )
    )
    host.send({ id: "cold", type: "prompt", message: "cold" })
    const refused = yield* Effect.promise(() => host.until(answer("cold")))
    setKey("sk-good")
    yield* Effect.promise(() => ask("warm", "warm"))
    requests()
    return { ...opened, refused }
  })
)

const tests: ReadonlyArray<readonly [name: string, body: (scene: typeof Scene.Service) => Promise<void>]> = [
  [
    "a prompt makes one request, and its message is the last in it",
    async ({ ask, requests }) => {
      assert.propertyVal(await ask("1", "one"), "status", "completed")
      const [request, ...more] = requests()
      assert.deepStrictEqual([request === undefined ? [] : told(request).slice(-2), more], [["yes", "one"], []])
    }
  ],
  [
    "a prompt and an abort in one write: one run that ends once, no connection is left, and the next prompt works",
    async ({ ask, host, requests, result }) => {
      host.send({ id: "2", type: "prompt", message: "wait" }, { id: "a", type: "abort" })
      const [accepted, aborted] = [await host.until(answer("2")), await host.until(answer("a"))]
      assert.deepStrictEqual([accepted["success"], aborted["success"]], [true, true])
      assert.propertyVal(await host.until(result("2")), "status", "aborted")
      assert.propertyVal(await ask("3", "three"), "status", "completed")
      assert.strictEqual(endsOf(host, accepted).length, 1)
      const arrived = requests()
      assert.deepStrictEqual(arrived.filter(isTold("three")).length, 1)
      const waiting = arrived.filter(isTold("wait"))
      assert.isAtMost(waiting.length, 1)
      for (const { closed } of waiting) await Effect.runPromise(Deferred.await(closed))
    }
  ],
  [
    "a prompt and a steering message in one write: both are delivered, each once",
    async ({ host, requests, result }) => {
      host.send({ id: "4", type: "prompt", message: "four" }, { id: "s", type: "steer", message: "five" })
      assert.propertyVal(await host.until(answer("s")), "success", true)
      assert.propertyVal(await host.until(result("4")), "status", "completed")
      const last = requests().findLast(isTold("five"))
      const heard = last === undefined ? [] : told(last)
      assert.deepStrictEqual(
        ["four", "five"].map((text) => heard.filter((each) => each === text).length),
        [1, 1]
      )
      assert.strictEqual(endsOf(host, await host.until(answer("4"))).length, 1)
    }
  ],
  [
    "a question between a prompt and a follow-up is answered in its place",
    async ({ host, requests, result }) => {
      host.send(
        { id: "p", type: "prompt", message: "six" },
        { id: "q", type: "get_state" },
        { id: "f", type: "follow_up", message: "seven" }
      )
      assert.propertyVal(await host.until(result("p")), "status", "completed")
      const answered = host.frames().flatMap(({ id, type }) => (type === "response" ? [id] : []))
      assert.deepStrictEqual(answered.slice(-3), ["p", "q", "f"])
      assert.strictEqual(requests().filter(isTold("seven")).length, 1)
    }
  ],
  [
    "a prompt that is cancelled in the same write either has no run or is said to be done",
    async ({ host }) => {
      host.send({ id: "6", type: "prompt", message: "wait" }, { id: "c", type: "cancel", targetId: "6" })
      const { outcome } = dataOf(await host.until(answer("c")))
      host.send({ id: "g", type: "get_state" })
      const { isStreaming } = dataOf(await host.until(answer("g")))
      host.send({ id: "b", type: "abort" })
      await host.until(answer("b"))
      assert.deepStrictEqual(
        [outcome, isStreaming],
        outcome === "cancelled" ? [outcome, false] : ["already_done", true]
      )
    }
  ],
  [
    "a key that is gone refuses the prompt in the words of the first one, and nothing is asked",
    async ({ ask, host, refused, requests, setKey }) => {
      setKey(undefined)
      host.send({ id: "7", type: "prompt", message: "lost" })
      assert.deepStrictEqual(await host.until(answer("7")), { ...refused, id: "7" })
      assert.include(refused["error"], "No API key found for anthropic.")
      setKey("sk-good")
      assert.propertyVal(await ask("8", "eight"), "status", "completed")
      assert.notInclude(requests().flatMap(told), "lost")
    }
  ],
  [
    "a key that is wrong ends the run with an error, once",
    async ({ ask, host, requests, setKey }) => {
      setKey("sk-wrong")
      const ended = await ask("9", "nine")
      setKey("sk-good")
      assert.deepInclude(ended, { status: "error" })
      assert.include(JSON.stringify(ended), "401")
      assert.strictEqual(endsOf(host, await host.until(answer("9"))).length, 1)
      assert.strictEqual(requests().filter(isTold("nine")).length, 1)
    }
  ]
]

describe("with a model that has answered before", () => {
  // Not `it.layer`: it changes `it` for all files of a worker.
  const runtime = ManagedRuntime.make(scene)
  afterAll(() => runtime.dispose())
  for (const [name, body] of tests) {
    it(name, () => runtime.runPromise(Effect.flatMap(Scene, (opened) => Effect.promise(() => body(opened)))))
  }
})

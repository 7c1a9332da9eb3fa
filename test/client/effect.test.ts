/** The Effect client against the real command. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Ref, Schema, Stream } from "effect"
import * as Heddle from "../../src/client/effect/index.ts"
import { HeddleClient } from "../../src/client/effect/index.ts"
import * as Processes from "../support/host/Processes.ts"

type Steps = ReadonlyArray<Readonly<Record<string, unknown>>>

const hello: ReadonlyArray<Steps> = [[{ text: "Hello!" }]]
const hanging: ReadonlyArray<Steps> = [[{ text: "I was about to", cutOff: true }, { hang: true }]]
const calling = (name: string, args: object = {}): ReadonlyArray<Steps> => [
  [{ toolCall: { id: "t1", name, arguments: args } }],
  [{ text: "done" }]
]

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-effect-client-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const layerIn = <R = never>(path: string, turns: ReadonlyArray<Steps>, options: Heddle.Options<R> = {}) => {
  const scenario = join(path, "scenario.json")
  writeFileSync(scenario, JSON.stringify({ turns: turns.map((steps) => ({ steps })) }))
  return Heddle.layer<R>({
    cwd: path,
    env: { HOME: path, HEDDLE_AGENT_DIR: path },
    model: "offline/script",
    ...options,
    args: ["--no-session", "--offline", "--set", `offline.scenario=${scenario}`, ...(options.args ?? [])]
  })
}

/** A client whose model plays the turns. */
const open = <R = never>(turns: ReadonlyArray<Steps>, options?: Heddle.Options<R>) =>
  Layer.unwrapScoped(Effect.map(folder, (path) => layerIn(path, turns, options)))

const isDelta = (event: Heddle.HeddleEvent) =>
  event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"

/** Runs the effect and waits until the model has said something. */
const untilDelta = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { subscribe } = yield* HeddleClient
    const events = yield* subscribe
    const fiber = yield* Effect.fork(effect)
    while (!isDelta(yield* events.take)) continue
    return fiber
  })

it.scopedLive("prompt ends with the run, and commands fail with what heddle says", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const { status, text } = yield* client.prompt("hi")
    assert.deepStrictEqual({ status, text }, { status: "completed", text: "Hello!" })
    assert.deepStrictEqual(yield* client.getLastAssistantText(), { text: "Hello!" })
    const code = yield* client
      .setModel("x", "y")
      .pipe(Effect.catchTag("CommandFailed", (refused) => Effect.succeed(refused.code)))
    assert.strictEqual(code, "model_not_found")
    assert.strictEqual((yield* client.server)?.serverInfo.name, "heddle")
    yield* client.waitForIdle
  }).pipe(Effect.provide(open(hello)))
)

it.scopedLive("a run that fails is a failure", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const error = yield* Effect.flip(client.prompt("hi"))
    assert.strictEqual(error._tag, "PromptFailed")
    assert.strictEqual(error.message, "No more yarn")
  }).pipe(Effect.provide(open([[{ fail: { reason: "quota", message: "No more yarn" } }]])))
)

it.scopedLive("interrupting a prompt aborts its run before the interrupt returns", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const fiber = yield* untilDelta(client.prompt("hi"))
    assert.isTrue((yield* client.getState()).isStreaming)
    const exit = yield* Fiber.interrupt(fiber)
    assert.strictEqual(exit._tag, "Failure")
    const { isSettled, isStreaming } = yield* client.getState()
    assert.deepStrictEqual({ isSettled, isStreaming }, { isSettled: true, isStreaming: false })
    const { messages } = yield* client.getMessages()
    assert.deepInclude(messages.at(-1), { role: "assistant", stopReason: "aborted" })
  }).pipe(Effect.provide(open(hanging)))
)

it.scopedLive("interrupting a command ends it in heddle", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const events = yield* client.subscribe
    const fiber = yield* Effect.fork(client.bash("echo on; sleep 300"))
    while ((yield* events.take).type !== "bash_execution_update") continue
    const running = Heddle.fibers.find(yield* client.getFibers(), ({ kind }) => kind === "bash")
    assert.include(running?.label, "sleep 300")
    yield* Fiber.interrupt(fiber)
    while ((yield* client.getState()).isBashRunning) yield* client.ping()
  }).pipe(Effect.provide(open(hello)))
)

it.scopedLive("stream has the events of a run, and taking a few of them aborts it", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const types = [...(yield* Stream.runCollect(client.stream("hi")))].map(({ type }) => type)
    assert.strictEqual(types[0], "agent_start")
    assert.include(types, "prompt_result")
    const first = yield* client.stream("hi").pipe(Stream.filter(isDelta), Stream.runHead)
    assert.isTrue(Option.isSome(first))
    assert.strictEqual((yield* client.getState()).isStreaming, false)
  }).pipe(Effect.provide(open([...hello, ...hanging])))
)

it.scopedLive("the events fail when the process dies, and restart gives a new one", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const events = yield* client.subscribe
    for (const pid of Processes.holding(mark)) process.kill(pid, "SIGKILL")
    const error = yield* Effect.flip(Effect.forever(events.take))
    assert.strictEqual(error._tag, "ProcessEnded")
    assert.strictEqual((yield* Effect.flip(client.getState()))._tag, "ProcessEnded")
    yield* client.restart
    assert.strictEqual((yield* client.prompt("hi")).text, "Hello!")
  }).pipe(Effect.provide(open(hello, { args: ["--name", mark] })))
)

/** Found in the command line of the process. */
const mark = `dies-${process.pid}`
const some = (pids: ReadonlyArray<number>) => pids.length > 0

class Loom extends Context.Tag("test/Loom")<Loom, { readonly weave: (threads: number) => Effect.Effect<string> }>() {}

it.scopedLive("tools are effects with services, and parameters may be a Schema", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const events = yield* client.subscribe
    assert.strictEqual((yield* client.prompt("hi")).text, "done")
    const results: Array<unknown> = []
    let event = yield* events.take
    for (; event.type !== "prompt_result"; event = yield* events.take)
      if (event.type === "tool_execution_end") results.push([event.isError, Object(event.result).content[0].text])
    assert.deepStrictEqual(results, [
      [false, "wove 3"],
      [true, "out of yarn"]
    ])
  }).pipe(
    Effect.provide(
      open<Loom>(
        [
          [{ toolCall: { id: "t1", name: "weave", arguments: { threads: 3 } } }],
          [{ toolCall: { id: "t2", name: "fails", arguments: {} } }],
          [{ text: "done" }]
        ],
        {
          tools: [
            Heddle.tool({
              name: "weave",
              description: "Weaves.",
              parameters: Schema.Struct({ threads: Schema.Int }),
              execute: ({ threads }, { sendUpdate }) =>
                Effect.zipRight(
                  sendUpdate("starting"),
                  Effect.flatMap(Loom, ({ weave }) => weave(threads))
                )
            }),
            {
              name: "fails",
              description: "Fails.",
              parameters: { type: "object" },
              execute: () => Effect.fail(new Error("out of yarn"))
            }
          ]
        }
      )
    ),
    Effect.provideService(Loom, { weave: (threads) => Effect.succeed(`wove ${threads}`) })
  )
)

it.scopedLive("a cancelled tool is interrupted", () =>
  Effect.gen(function* () {
    const [started, interrupted] = [yield* Deferred.make<void>(), yield* Ref.make(false)]
    const slow = {
      name: "slow",
      description: "Takes for ever.",
      parameters: { type: "object" },
      execute: () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Ref.set(interrupted, true))
        )
    }
    yield* Effect.gen(function* () {
      const client = yield* HeddleClient
      const fiber = yield* Effect.fork(client.prompt("hi"))
      yield* Deferred.await(started)
      yield* client.abort()
      assert.strictEqual((yield* Fiber.join(fiber)).status, "aborted")
      assert.isTrue(yield* Ref.get(interrupted))
    }).pipe(Effect.provide(open(calling("slow"), { tools: [slow] })))
  })
)

it.scopedLive("questions are answered by an effect", () =>
  Effect.gen(function* () {
    const client = yield* HeddleClient
    const events = yield* client.subscribe
    yield* client.prompt("hi")
    let event = yield* events.take
    while (event.type !== "tool_execution_end") event = yield* events.take
    assert.strictEqual(Object(event.result).content[0].text, "The user selected: two")
  }).pipe(
    Effect.provide(
      open(
        calling("ask", { questions: [{ id: "q", question: "Which?", options: [{ label: "one" }, { label: "two" }] }] }),
        {
          ui: () => Effect.succeed({ value: "two" })
        }
      )
    )
  )
)

it.scopedLive("the process ends with the scope, also while a prompt runs", () =>
  Effect.gen(function* () {
    const name = `ends-${process.pid}`
    yield* Effect.gen(function* () {
      const client = yield* HeddleClient
      yield* untilDelta(client.prompt("hi"))
      assert.isNotEmpty(Processes.holding(name))
    }).pipe(Effect.provide(open(hanging, { args: ["--name", name] })), Effect.scoped)
    yield* Processes.count(name, 0)
  })
)

it.scopedLive("a start that fails is a failure of the layer, and an interrupt ends a start that hangs", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Layer.build(open(hello, { args: ["--bogus"] })))
    assert.strictEqual(error._tag, "ProcessEnded")
    const name = `hangs-${process.pid}`
    const hangs = Heddle.layer({ command: ["sh", "-c", "cat > /dev/null", name] })
    const fiber = yield* Effect.fork(Layer.build(hangs))
    yield* Processes.until(() => Processes.holding(name), some)
    yield* Fiber.interrupt(fiber)
    yield* Processes.count(name, 0)
  })
)

/** `bash` over the wire with real processes: what it holds up, what it does not, and what is left when the host goes. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Predicate } from "effect"
import * as EmbeddedAgent from "../../../src/layers/Embedded.ts"
import * as HookLayer from "../../../src/layers/session/modules/hooks/HookLayer.ts"
import * as Server from "../../../src/rpc/Server.ts"
import { SessionExport } from "../../../src/services/storage/SessionExport.ts"
import { Shell } from "../../../src/services/Shell.ts"
import { tempFolder } from "../../layers/tools/TempFolder.ts"
import * as Processes from "../../support/host/Processes.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as TestHost from "../../support/host/TestHost.ts"

type Frame = Readonly<Record<string, unknown>>

const parse = (line: string): Frame => {
  const frame: unknown = JSON.parse(line)
  return Predicate.isReadonlyRecord(frame) ? frame : {}
}

const start = Effect.fnUntraced(function* (
  turns: ReadonlyArray<ScriptedModel.ScriptedTurn> = [],
  options: {
    readonly drain?: boolean
    readonly shell?: (shell: typeof Shell.Service) => typeof Shell.Service
    readonly toHtml?: Effect.Effect<string>
    readonly hooks?: HookLayer.HookSet
    /** Joins before the hooks. */
    readonly join?: Effect.Effect<void>
  } = {}
) {
  const { shell = (shell) => shell, toHtml = Effect.succeed("") } = options
  const cwd = yield* tempFolder
  const script = yield* ScriptedModel.make(turns)
  const host = yield* TestHost.make
  const agent = EmbeddedAgent.layerSessions({ cwd, model: ScriptedModel.model }).pipe(
    Layer.provide(
      options.hooks === undefined
        ? Layer.empty
        : HookLayer.layer("test", options.hooks).pipe(
            Layer.provide(HookLayer.contributor({ name: "first", join: () => options.join ?? Effect.void }))
          )
    )
  )
  const serving = yield* Server.serve({
    version: "0.0.0",
    updates: "delta",
    drain: options.drain ?? false,
    uptime: Effect.succeed(0)
  }).pipe(
    Effect.provideServiceEffect(Shell, Effect.map(Shell, shell)),
    Effect.provideService(SessionExport, { toHtml: () => toHtml }),
    Effect.provide(Layer.merge(Layer.provideMerge(agent, script.layer), host.layer)),
    Effect.forkScoped
  )
  const seen: Array<Frame> = []
  /** Reads frames until one fits; all that came before are in `seen`. */
  const until = Effect.fnUntraced(function* (fits: (frame: Frame) => boolean) {
    while (true) {
      const [line = ""] = yield* host.receive(1)
      const frame = parse(line)
      seen.push(frame)
      if (fits(frame)) return frame
    }
  })
  const send = (...frames: ReadonlyArray<object>) => host.send(...frames.map((frame) => JSON.stringify(frame)))
  const tag = `heddle-rpc-${crypto.randomUUID()}`
  return { ...host, cwd, script, serving, seen, until, send, tag }
})

const answer = (id: string) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id
const data = (frame: Frame): Frame => (Predicate.isReadonlyRecord(frame["data"]) ? frame["data"] : {})
const isUpdate = ({ type }: Frame) => type === "bash_execution_update"
const order = (frames: ReadonlyArray<Frame>) => frames.filter(({ type }) => type === "response").map(({ id }) => id)

it.scopedLive("runs beside later commands, several at once, and is running by the time they are handled", () =>
  Effect.gen(function* () {
    const host = yield* start()
    yield* host.send(
      { id: "1", type: "bash", command: "until [ -e go ]; do sleep 0.01; done; echo one" },
      { id: "2", type: "bash", command: "touch go; echo two" },
      { id: "3", type: "set_steering_mode", mode: "all" },
      { id: "4", type: "get_state" }
    )
    const state = yield* host.until(answer("4"))
    assert.isTrue(data(state)["isBashRunning"])
    yield* host.until(() => ["1", "2"].every((id) => host.seen.some(answer(id))))
    yield* host.send({ id: "5", type: "get_state" }, { id: "6", type: "get_messages" })
    assert.isFalse(data(yield* host.until(answer("5")))["isBashRunning"])
    const messages = JSON.stringify(data(yield* host.until(answer("6")))["messages"])
    // The first can only end because the second ran beside it; which of them is recorded first is the machine's choice.
    assert.include(messages, '"command":"touch go')
    assert.include(messages, '"command":"until')
  })
)

it.scopedLive("abort_bash ends what came before it, also in the same chunk, and answers when it is gone", () =>
  Effect.gen(function* () {
    const host = yield* start()
    const command = `echo begun; (setsid sleep 30 &); HEDDLE_TEST=${host.tag} sleep 30; echo not reached`
    yield* host.send({ id: "a", type: "bash", command }, { id: "b", type: "bash", command: "sleep 30" })
    yield* host.until(isUpdate)
    yield* host.send({ id: "c", type: "bash", command: "sleep 30" }, { id: "stop", type: "abort_bash" })
    yield* host.until(answer("stop"))
    assert.deepStrictEqual(Processes.holding(host.tag), [])
    assert.deepStrictEqual(order(host.seen).toSorted(), ["a", "b", "c", "stop"])
    const results = host.seen.filter(({ command }) => command === "bash").map(data)
    assert.isTrue(results.every((result) => result["cancelled"] === true && !("exitCode" in result)))
    yield* host.send({ id: "next", type: "bash", command: "echo well" })
    assert.deepInclude(data(yield* host.until(answer("next"))), { output: "well\n", exitCode: 0 })
  })
)

it.scopedLive("abort_bash waits for a `bash` before it that has not started, and ends it then", () =>
  Effect.gen(function* () {
    const begin = yield* Deferred.make<void>()
    const host = yield* start([], {
      shell: (shell) => ({
        ...shell,
        runForUser: (request) => Effect.zipRight(Deferred.await(begin), shell.runForUser(request))
      })
    })
    yield* host.send(
      { id: "b", type: "bash", command: "sleep 30" },
      { id: "stop", type: "abort_bash" },
      { id: "s", type: "get_state" },
      { id: "p", type: "ping" }
    )
    yield* host.until(answer("p"))
    assert.deepStrictEqual(order(host.seen), ["p"])
    yield* Deferred.succeed(begin, undefined)
    yield* host.until(answer("stop"))
    // A question waits until the command before it has started, as for every ordered command.
    assert.isTrue(host.seen.some(answer("s")))
    assert.deepStrictEqual(order(host.seen).toSorted(), ["b", "p", "s", "stop"])
    assert.isTrue(data(host.seen.find(answer("b")) ?? {})["cancelled"])
  })
)

it.scopedLive("abort_bash ends a running `bash` at once, also behind a command that holds the lane", () =>
  Effect.gen(function* () {
    const exported = yield* Deferred.make<string>()
    const host = yield* start([], { toHtml: Deferred.await(exported) })
    yield* host.send({ id: "b", type: "bash", command: "echo begun; sleep 30" })
    yield* host.until(isUpdate)
    yield* host.send({ id: "e", type: "export_html" }, { id: "stop", type: "abort_bash" })
    assert.isTrue(data(yield* host.until(answer("b")))["cancelled"])
    assert.deepStrictEqual(order(host.seen), ["b"])
    yield* Deferred.succeed(exported, "page.html")
    yield* host.until(answer("stop"))
    assert.deepStrictEqual(order(host.seen), ["b", "e", "stop"])
  })
)

it.scopedLive("updates carry all output, also what the result leaves out, before the response", () =>
  Effect.gen(function* () {
    const host = yield* start()
    yield* host.send({ id: "long", type: "bash", command: "seq 20000" })
    const result = data(yield* host.until(answer("long")))
    const updates = host.seen.filter(isUpdate)
    assert.isTrue(updates.every(({ id }) => id === "long"))
    assert.strictEqual(
      updates.map(({ delta }) => delta).join(""),
      Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join("")
    )
    assert.deepInclude(result, { truncated: true, totalLines: 20_000, outputLines: 2000, artifactId: "1" })
  })
)

it.scopedLive("a timeout is a cancellation with its reason; what cannot start is a failure", () =>
  Effect.gen(function* () {
    const host = yield* start()
    yield* host.send({ id: "slow", type: "bash", command: "sleep 30", timeout: 0.1 })
    const slow = data(yield* host.until(answer("slow")))
    assert.deepInclude(slow, { cancelled: true, timedOut: true })
    assert.notProperty(slow, "exitCode")
    yield* host.send({ id: "bad", type: "bash", command: "true\0" })
    assert.deepInclude(yield* host.until(answer("bad")), { success: false, code: "not_started" })
  })
)

it.scopedLive("during a run the message waits for its end; the next model call sees it unless it is left out", () =>
  Effect.gen(function* () {
    const host = yield* start([{ events: [{ _tag: "TextStarted" }], after: "hang" }, ScriptedModel.say("second")])
    yield* host.send({ id: "p", type: "prompt", message: "hi" })
    yield* host.until(({ type }) => type === "message_update")
    yield* host.send(
      { id: "b", type: "bash", command: "echo seen" },
      { id: "h", type: "bash", command: "echo hidden", excludeFromContext: true }
    )
    const answered = ({ command }: Frame) => command === "bash"
    yield* Effect.replicateEffect(host.until(answered), 2)
    yield* host.send({ id: "m1", type: "get_messages" }, { id: "x", type: "abort" })
    const during = data(yield* host.until(answer("m1")))
    assert.notMatch(JSON.stringify(during), /bashExecution/)
    yield* host.until(answer("x"))
    yield* host.send({ id: "m2", type: "get_messages" }, { id: "q", type: "prompt", message: "more" })
    assert.match(JSON.stringify(data(yield* host.until(answer("m2")))), /"aborted".*bashExecution.*bashExecution/)
    yield* host.until(({ type }) => type === "session_settled")
    const asked = JSON.stringify((yield* host.script.requests).at(-1)?.messages)
    assert.match(asked, /Ran `echo seen`/)
    assert.notMatch(asked, /hidden/)
  })
)

it.scopedLive("a host that goes leaves no process; with drain its commands end by themselves", () =>
  Effect.gen(function* () {
    const host = yield* start()
    const command = `echo begun; (setsid sleep 30 &); HEDDLE_TEST=${host.tag} sleep 30; true`
    yield* host.send({ id: "b", type: "bash", command })
    yield* host.until(isUpdate)
    yield* host.close
    yield* Fiber.join(host.serving)
    assert.deepStrictEqual(Processes.holding(host.tag), [])
    assert.deepInclude(data(yield* host.until(answer("b"))), { cancelled: true, output: "begun\n" })

    const patient = yield* start([], { drain: true })
    yield* patient.send({ id: "b", type: "bash", command: "sleep 0.1; echo done" })
    yield* patient.close
    yield* Fiber.join(patient.serving)
    assert.deepInclude(data(yield* patient.until(answer("b"))), { cancelled: false, output: "done\n" })
  })
)

it.scopedLive("a command that outlives its session is answered, and is no part of the next one", () =>
  Effect.gen(function* () {
    const host = yield* start()
    yield* host.send({ id: "w", type: "bash", command: "echo begun; sleep 30" })
    yield* host.until(isUpdate)
    yield* host.send({ id: "n", type: "new_session" })
    yield* host.until(answer("n"))
    yield* host.send({ id: "x", type: "abort_bash" })
    assert.deepInclude(data(yield* host.until(answer("w"))), { cancelled: true })
    yield* host.send({ id: "own", type: "bash", command: "echo here" })
    yield* host.until(answer("own"))
    yield* host.send({ id: "m", type: "get_messages" })
    const messages = JSON.stringify(data(yield* host.until(answer("m"))))
    assert.include(messages, '"command":"echo here"')
    assert.notInclude(messages, "sleep")
  })
)

const ran = (frame: Frame) => {
  const { cancelled, exitCode, output } = data(frame)
  return { cancelled, exitCode, output }
}

it.scopedLive("a hook supplies the result, or runs the command; both are recorded like any other", () =>
  Effect.gen(function* () {
    const asked: Array<object> = []
    const host = yield* start([], {
      hooks: {
        userCommand: (event) => {
          asked.push(event)
          if (event.command === "supplied") return { _tag: "Result", output: "mine\n", exitCode: 3 }
          if (event.command !== "elsewhere") return undefined
          return Effect.succeed({
            _tag: "Run",
            run: (onOutput) =>
              Effect.as(
                Effect.sync(() => onOutput("there\n")),
                { exitCode: 0 }
              )
          } as const)
        }
      }
    })
    yield* host.send({ id: "1", type: "bash", command: "supplied" })
    assert.deepStrictEqual(ran(yield* host.until(answer("1"))), { cancelled: false, exitCode: 3, output: "mine\n" })
    yield* host.send({ id: "2", type: "bash", command: "elsewhere", excludeFromContext: true })
    assert.deepStrictEqual(ran(yield* host.until(answer("2"))), { cancelled: false, exitCode: 0, output: "there\n" })
    yield* host.send({ id: "3", type: "bash", command: "echo here" })
    assert.deepStrictEqual(ran(yield* host.until(answer("3"))), { cancelled: false, exitCode: 0, output: "here\n" })
    assert.deepStrictEqual(asked, [
      { command: "supplied", cwd: host.cwd, excludeFromContext: false },
      { command: "elsewhere", cwd: host.cwd, excludeFromContext: true },
      { command: "echo here", cwd: host.cwd, excludeFromContext: false }
    ])
    assert.deepStrictEqual(
      host.seen.filter(isUpdate).map(({ delta, id }) => [id, delta]),
      [
        ["1", "mine\n"],
        ["2", "there\n"],
        ["3", "here\n"]
      ]
    )
    yield* host.send({ id: "4", type: "get_messages" })
    const messages = JSON.stringify(data(yield* host.until(answer("4")))["messages"])
    for (const output of ["mine", "there", "here"]) assert.include(messages, `"output":"${output}\\n"`)
  })
)

it.scopedLive("abort_bash ends commands that hooks run, and hooks that still think about one", () =>
  Effect.gen(function* () {
    const ended: Array<string> = []
    const hang = (command: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(command)))
    const host = yield* start([], {
      hooks: {
        userCommand: ({ command }) =>
          command === "runs"
            ? {
                _tag: "Run",
                run: (onOutput) =>
                  Effect.zipRight(
                    Effect.sync(() => onOutput("half\n")),
                    hang(command)
                  )
              }
            : hang(command)
      }
    })
    yield* host.send(
      { id: "1", type: "bash", command: "runs" },
      { id: "2", type: "bash", command: "thinks" },
      { id: "3", type: "bash", command: "thinks, too" },
      { id: "4", type: "get_state" },
      { id: "5", type: "abort_bash" }
    )
    yield* host.until(() => ["1", "2", "3", "5"].every((id) => host.seen.some(answer(id))))
    const results = ["1", "2", "3"].map((id) => host.seen.filter(answer(id)).map(ran))
    assert.deepStrictEqual(results, [
      [{ cancelled: true, exitCode: undefined, output: "half\n" }],
      [{ cancelled: true, exitCode: undefined, output: "" }],
      [{ cancelled: true, exitCode: undefined, output: "" }]
    ])
    assert.isTrue(data(host.seen.find(answer("4")) ?? {})["isBashRunning"])
    assert.sameMembers(ended, ["runs", "thinks", "thinks, too"])
  })
)

it.scopedLive("a command waits for hooks that still join the session, and others do not wait for it", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const host = yield* start([], {
      hooks: { userCommand: () => ({ _tag: "Result", output: "mine\n", exitCode: 0 }) },
      join: Deferred.await(gate)
    })
    yield* host.send(
      { id: "1", type: "bash", command: "echo theirs" },
      { id: "2", type: "set_steering_mode", mode: "all" }
    )
    yield* host.until(answer("2"))
    assert.isEmpty(host.seen.filter(answer("1")))
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(ran(yield* host.until(answer("1"))), { cancelled: false, exitCode: 0, output: "mine\n" })
  })
)

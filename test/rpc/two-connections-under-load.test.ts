/** Two connections in one process: what one session goes through, a handoff or the end of a tool, reaches no other. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { Heddle, ModelEvent } from "../../src/index.ts"
import { plainText } from "../../src/domain/conversation/Content.ts"
import type { ModelRequest } from "../../src/services/model/ModelClient.ts"
import { SessionRegistry } from "../../src/services/session/SessionRegistry.ts"
import { Sessions } from "../../src/services/session/Sessions.ts"
import { SessionStore } from "../../src/services/session/SessionStore.ts"
import { type Frame, connect, idsIn, settled } from "../support/host/WireHost.ts"
import { tempFolder } from "../layers/tools/TempFolder.ts"

const using = (tokens: number) =>
  Stream.make(
    ModelEvent.UsageReported({
      tokens: { input: tokens, output: 1, cacheRead: 0, cacheWrite: 0 },
      exact: true
    })
  )

const lastText = ({ messages }: ModelRequest) => {
  const last = messages.at(-1)
  return last?.role === "user" ? plainText(last.content) : ""
}

/** Fills the window with `Fill`, runs the command behind `Run`, streams long answers to `Tell`. */
const provider = Heddle.provider({
  id: "loom",
  stream: (request) => {
    const text = lastText(request)
    if (text === "Fill") return Stream.concat(using(5000), Heddle.callOf({ name: "ls", arguments: { path: "." } }))
    if (text.startsWith("Run ")) return Heddle.callOf({ name: "bash", arguments: { command: text.slice(4) } })
    const pieces = Array.from({ length: text === "Tell" ? 500 : 1 }, () => "thread ")
    return Stream.concat(using(20), Heddle.answerOf(Stream.fromIterable(pieces)))
  }
})

const setUp = Effect.gen(function* () {
  const cwd = yield* tempFolder
  const settings = {
    "compaction.strategy": "handoff",
    "compaction.thresholdTokens": 4000,
    "compaction.keepRecentTokens": 5
  } as const
  const context = yield* Layer.build(Heddle.sessions({ provider, cwd, settings }))
  const { host, ids } = Context.get(context, SessionRegistry)
  const other = yield* host(Context.get(context, SessionStore).create({}))
  const serve = (sessions: typeof Sessions.Service) => Effect.provide(connect(sessions), context)
  const [one, two] = [yield* serve(Context.get(context, Sessions)), yield* serve(other)]
  const [first = "", second = ""] = yield* ids
  return { cwd, one, two, ids, first, second }
})

const numbersOf = (frames: ReadonlyArray<Frame>, id: unknown) =>
  frames.filter(({ sessionId }) => sessionId === id).map(({ seq }) => seq)

const counted = (frames: ReadonlyArray<unknown>) => frames.map((_, at) => at + 1)

it.scopedLive("a handoff of one, while the other streams and both ask, mixes up nothing", () =>
  Effect.gen(function* () {
    const { first, ids, one, second, two } = yield* setUp
    yield* one.ask("tell", { type: "prompt", message: "Tell" })
    yield* one.until(settled)
    const queries = (name: string) =>
      Array.from({ length: 200 }, (_, at) => ({ id: `${name}${at}`, type: "get_state" }))
    yield* two.send({ id: "p", type: "prompt", message: "Tell" }, ...queries("q"))
    yield* one.send({ id: "p", type: "prompt", message: "Fill" }, ...queries("q"))
    yield* one.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "p")
    yield* two.until(settled)
    yield* one.answerOf("q199")
    yield* two.answerOf("q199")

    const [third, still] = yield* ids
    assert.notStrictEqual(third, first)
    assert.strictEqual(still, second)
    assert.deepStrictEqual([idsIn(one.records()), idsIn(two.records())], [[first, third], [second]])
    for (const [{ records }, id] of [
      [one, first],
      [one, third],
      [two, second]
    ] as const) {
      const numbers = numbersOf(records(), id)
      assert.deepStrictEqual(numbers, counted(numbers))
    }
    // No record of the old session comes behind the first one of the new session.
    const places = one.records().map(({ sessionId }) => sessionId)
    assert.isBelow(places.lastIndexOf(first), places.indexOf(third))
    const answered = (frames: ReadonlyArray<Frame>) =>
      frames.filter(({ type, command }) => type === "response" && command === "get_state")
    for (const { frames } of [one, two]) {
      assert.deepStrictEqual(
        answered(frames).map(({ id }) => id),
        queries("q").map(({ id }) => id)
      )
    }
    const state = yield* one.ask("s", { type: "get_state" })
    assert.deepInclude(state["data"], { sessionId: third })
    yield* one.ask("p2", { type: "prompt", message: "Tell" })
    yield* one.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "p2")
    assert.deepStrictEqual(numbersOf(one.records(), third), counted(numbersOf(one.records(), third)))
  })
)

it.scopedLive("a session that is left while a tool runs ends that tool, and no tool of the other", () =>
  Effect.gen(function* () {
    const { cwd, first, ids, one, second, two } = yield* setUp
    const running = (name: string) =>
      `echo $$ > ${name}.pid; echo begun; while [ ! -f ${name}.go ]; do sleep 0.01; done`
    const begun = ({ type, partialResult }: Frame) =>
      type === "tool_execution_update" && JSON.stringify(partialResult).includes("begun")
    yield* one.ask("p", { type: "prompt", message: `Run ${running("one")}` })
    yield* two.ask("p", { type: "prompt", message: `Run ${running("two")}` })
    yield* one.until(begun)
    yield* two.until(begun)
    const isAlive = (name: string) => existsSync(`/proc/${readFileSync(join(cwd, `${name}.pid`), "utf8").trim()}`)
    assert.deepStrictEqual([isAlive("one"), isAlive("two")], [true, true])

    const changed = yield* one.ask("n", { type: "new_session" })
    assert.strictEqual(changed["success"], true)
    assert.deepStrictEqual([isAlive("one"), isAlive("two")], [false, true])
    const open = yield* ids
    const third = open.find((id) => id !== second)
    assert.deepStrictEqual(open.toSorted(), [second, third].toSorted())
    assert.notStrictEqual(third, first)
    const left = one.records().filter(({ sessionId }) => sessionId === first)
    assert.deepStrictEqual(
      left.flatMap(({ type }) =>
        ["tool_execution_end", "agent_end", "prompt_result"].includes(String(type)) ? [type] : []
      ),
      ["tool_execution_end", "agent_end", "prompt_result"]
    )
    // What the tool had said is in the result that the session keeps.
    const end = left.find(({ type }) => type === "tool_execution_end")
    assert.include(JSON.stringify(end?.["result"]), "begun")
    assert.isFalse(two.records().some(({ type }) => type === "tool_execution_end"))

    yield* one.ask("t", { type: "prompt", message: "Tell" })
    yield* one.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "t")
    assert.isTrue(isAlive("two"))
    yield* two.ask("a", { type: "abort" })
    assert.isFalse(isAlive("two"))
    assert.deepStrictEqual([idsIn(one.records()), idsIn(two.records())], [[first, third], [second]])
  })
)

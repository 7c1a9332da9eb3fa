import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { Lane } from "../../src/rpc/Command.ts"
import * as Lanes from "../../src/rpc/Lanes.ts"

/** Routes commands that end when they are told to, and notes when each of them starts and ends. */
const setUp = Effect.gen(function* () {
  const lanes = yield* Lanes.make<never>()
  const seen: Array<string> = []
  const note = (text: string) => Effect.sync(() => void seen.push(text))
  const command = Effect.fnUntraced(function* (name: string, lane: Exclude<Lane, "instant">, task: object = {}) {
    const go = yield* Deferred.make<void>()
    const before = lanes.before(lane)
    const run = note(`${name} starts`).pipe(Effect.zipRight(Deferred.await(go)), Effect.zipRight(note(`${name} ends`)))
    lanes.route(lane, before, { run, ...task })
    return { before, end: Effect.zipRight(Deferred.succeed(go, undefined), settle) }
  })
  const settle = Effect.repeatN(Effect.yieldNow(), 20)
  const watch = (name: string, effect: Effect.Effect<void>) =>
    Effect.zipRight(Effect.forkScoped(Effect.zipRight(effect, note(name))), settle)
  return { lanes, seen, command, watch, settle }
})

it.scoped("ordered commands run one at a time, and a control command beside them on arrival", () =>
  Effect.gen(function* () {
    const { command, seen } = yield* setUp
    const a = yield* command("a", "ordered")
    const b = yield* command("b", "holding")
    const c = yield* command("c", "control")
    assert.deepStrictEqual(seen, ["a starts", "c starts"])
    yield* a.end
    yield* c.end
    yield* b.end
    assert.deepStrictEqual(seen, ["a starts", "c starts", "a ends", "b starts", "c ends", "b ends"])
  })
)

it.scoped("a query waits for earlier ordered commands, unless one of them is holding", () =>
  Effect.gen(function* () {
    const { command, lanes, seen } = yield* setUp
    assert.isTrue(lanes.before("query").atOnce)
    const setter = yield* command("setter", "ordered")
    assert.deepInclude(lanes.before("query"), { atOnce: false, blocked: false })
    yield* command("query", "query")
    assert.deepStrictEqual(seen, ["setter starts"])
    yield* setter.end
    assert.deepStrictEqual(seen, ["setter starts", "setter ends", "query starts"])
    const holding = yield* command("holding", "holding")
    assert.deepInclude(lanes.before("query"), { atOnce: true, blocked: true })
    yield* holding.end
    assert.deepInclude(lanes.before("query"), { atOnce: true, blocked: false })
  })
)

it.scoped("a background command that waits for its place is not holding, and gives way when it says so", () =>
  Effect.gen(function* () {
    const { command, lanes, seen, settle } = yield* setUp
    const setter = yield* command("setter", "ordered")
    const bash = yield* command("bash", "background")
    assert.deepInclude(lanes.before("query"), { atOnce: false, blocked: false })
    yield* command("query", "query")
    yield* setter.end
    assert.deepStrictEqual(seen, ["setter starts", "setter ends", "bash starts"])
    yield* bash.before.release
    yield* settle
    assert.deepStrictEqual(seen.slice(3), ["query starts"])
    assert.isTrue(lanes.before("query").atOnce)
    yield* bash.end
    assert.deepStrictEqual(seen.slice(4), ["bash ends"])
  })
)

it.scoped("a background command that ends without giving way does not hold up the next", () =>
  Effect.gen(function* () {
    const { command, seen } = yield* setUp
    const bash = yield* command("bash", "background")
    yield* command("next", "ordered")
    assert.deepStrictEqual(seen, ["bash starts"])
    yield* bash.end
    assert.deepStrictEqual(seen, ["bash starts", "bash ends", "next starts"])
  })
)

it.scoped("`earlier` covers the ordered commands that arrived before, and no later one", () =>
  Effect.gen(function* () {
    const { command, lanes, seen, watch } = yield* setUp
    assert.strictEqual(lanes.before("control").earlier, Effect.void)
    const a = yield* command("a", "ordered")
    yield* watch("after a", lanes.before("control").earlier)
    yield* command("b", "ordered")
    yield* watch("after b", lanes.before("control").earlier)
    yield* a.end
    assert.deepStrictEqual(seen, ["a starts", "a ends", "b starts", "after a"])
  })
)

it.scoped("a command that was withdrawn while it waited never starts, and the next takes its place", () =>
  Effect.gen(function* () {
    const { command, lanes, seen, watch } = yield* setUp
    const a = yield* command("a", "ordered")
    yield* command("withdrawn", "holding", { withdrawn: () => true })
    const c = yield* command("c", "ordered")
    yield* watch("accepted", lanes.accepted)
    yield* a.end
    assert.isFalse(lanes.before("query").blocked)
    yield* c.end
    assert.deepStrictEqual(seen, ["a starts", "a ends", "c starts", "c ends", "accepted"])
  })
)

it.scoped("`accepted` does not wait for commands in background, `drained` does", () =>
  Effect.gen(function* () {
    const { command, lanes, seen, settle, watch } = yield* setUp
    const bash = yield* command("bash", "background")
    const control = yield* command("control", "control")
    yield* watch("accepted", lanes.accepted)
    yield* watch("drained", lanes.drained)
    yield* Effect.zipRight(bash.before.release, settle)
    yield* control.end
    yield* bash.end
    assert.deepStrictEqual(seen, ["bash starts", "control starts", "accepted", "control ends", "bash ends", "drained"])
  })
)

it.scoped("twenty thousand commands that end at once do not overflow the stack", () =>
  Effect.gen(function* () {
    const { command, lanes, seen } = yield* setUp
    const first = yield* command("first", "ordered")
    let ran = 0
    for (let i = 0; i < 20_000; i++) {
      lanes.route("ordered", lanes.before("ordered"), { run: Effect.sync(() => void ran++) })
    }
    yield* first.end
    yield* lanes.accepted
    assert.deepStrictEqual([seen.length, ran], [2, 20_000])
  })
)

it.scoped("a command that says that it takes long lets queries overtake it, and nothing else", () =>
  Effect.gen(function* () {
    const { command, lanes, seen } = yield* setUp
    const prompt = yield* command("prompt", "ordered")
    yield* command("first query", "query")
    const setter = yield* command("setter", "ordered")
    yield* command("second query", "query")
    assert.deepStrictEqual(seen, ["prompt starts"])
    prompt.before.hold()
    assert.deepStrictEqual(seen, ["prompt starts", "first query starts", "second query starts"])
    assert.deepInclude(lanes.before("query"), { atOnce: true, blocked: true })
    yield* prompt.end
    assert.deepStrictEqual(seen.slice(3), ["prompt ends", "setter starts"])
    assert.deepInclude(lanes.before("query"), { atOnce: false, blocked: false })
    prompt.before.hold()
    assert.deepInclude(lanes.before("query"), { atOnce: false, blocked: false })
    yield* setter.end
    assert.isTrue(lanes.before("query").atOnce)
  })
)

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import type { Lane, Position } from "../../src/rpc/Command.ts"
import * as Turns from "../../src/rpc/Turns.ts"
import * as Supervision from "../../src/services/supervision/Supervision.ts"

/** Sends commands that end when they are asked to, and notes when each of them starts, ends or is refused. */
const setUp = Effect.gen(function* () {
  let made = 0
  const turns = yield* Turns.make<never>({
    context: Effect.context<never>(),
    ready: Effect.void,
    nextId: () => `fb_${++made}`,
    now: () => 0
  })
  const seen: Array<string> = []
  const note = (text: string) => Effect.sync(() => void seen.push(text))
  const settle = Effect.repeatN(Effect.yieldNow(), 30)
  const send = (name: string, lane: Lane, more: Partial<Turns.Turn<never>> = {}) =>
    turns.send({
      lane,
      command: "test",
      id: name,
      run: () => note(name),
      refuse: Effect.as(note(`${name} cancelled`), true),
      ...more
    })
  /** A command that takes until `end`. */
  const long = Effect.fnUntraced(function* (name: string, lane: Lane) {
    const go = yield* Deferred.make<void>()
    const released = yield* Deferred.make<void>()
    send(name, lane, {
      run: (release) =>
        note(`${name} starts`).pipe(
          Effect.zipRight(
            Effect.raceFirst(
              Deferred.await(go),
              Effect.zipRight(Deferred.await(released), Effect.zipRight(release, Deferred.await(go)))
            )
          ),
          Effect.zipRight(note(`${name} ends`))
        )
    })
    yield* settle
    const open = (gate: Deferred.Deferred<void>) => Effect.zipRight(Deferred.succeed(gate, undefined), settle)
    return { release: open(released), end: open(go) }
  })
  const names = () => [...turns.activities.root.children].flatMap(({ spec }) => spec.names ?? [])
  const watch = (name: string, effect: Effect.Effect<void>) =>
    Effect.zipRight(Effect.forkScoped(Effect.zipRight(effect, note(name))), settle)
  return { turns, seen, note, settle, send, long, names, watch }
})

it.scoped("ordered commands are handled in their order, without a node", () =>
  Effect.gen(function* () {
    const { names, seen, send, settle, turns } = yield* setUp
    for (const name of ["a", "b", "c"]) send(name, name === "b" ? "query" : "ordered")
    yield* settle
    assert.deepStrictEqual([seen, names()], [["a", "b", "c"], []])
    const { ended } = turns.activities.root.registry
    assert.deepStrictEqual(ended, ["a", "c"])
    assert.deepInclude(yield* turns.activities.cancel("a", 1000), { outcome: "already_done" })
  })
)

it.scoped("a command that waits holds back ordered commands and queries, but no control command", () =>
  Effect.gen(function* () {
    const { long, names, seen, send, settle } = yield* setUp
    const a = yield* long("a", "waiting")
    for (const [name, lane] of [
      ["b", "ordered"],
      ["q", "query"],
      ["s", "aside"],
      ["c", "control"],
      ["i", "instant"]
    ] as const) {
      send(name, lane)
    }
    yield* settle
    assert.deepStrictEqual(
      [seen, names()],
      [
        ["a starts", "c", "i"],
        ["a", "b", "q", "s"]
      ]
    )
    yield* a.end
    assert.deepStrictEqual([seen.slice(3), names()], [["a ends", "b", "q", "s"], []])
  })
)

it.scoped("queries pass a command that is holding, also those that came before it began", () =>
  Effect.gen(function* () {
    const { long, seen, send, settle } = yield* setUp
    const a = yield* long("a", "waiting")
    const b = yield* long("b", "holding")
    send("q", "query")
    send("c", "ordered")
    yield* settle
    assert.deepStrictEqual(seen, ["a starts"])
    yield* a.end
    assert.deepStrictEqual(seen, ["a starts", "a ends", "b starts", "q"])
    send("r", "query")
    yield* settle
    yield* b.end
    assert.deepStrictEqual(seen.slice(4), ["r", "b ends", "c"])
  })
)

it.scoped("queries pass a prompt that takes longer than 20 ms, and nothing else does", () =>
  Effect.gen(function* () {
    const { long, seen, send } = yield* setUp
    const a = yield* long("a", "prompting")
    send("b", "ordered")
    send("q", "query")
    yield* TestClock.adjust("19 millis")
    assert.deepStrictEqual(seen, ["a starts"])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(seen, ["a starts", "q"])
    send("r", "query")
    yield* a.end
    assert.deepStrictEqual(seen, ["a starts", "q", "r", "a ends", "b"])
  })
)

it.scoped("a prompt that was quick does not let queries pass the one behind it", () =>
  Effect.gen(function* () {
    const { long, seen, send } = yield* setUp
    const a = yield* long("a", "prompting")
    yield* TestClock.adjust("10 millis")
    yield* a.end
    yield* long("b", "prompting")
    send("q", "query")
    yield* TestClock.adjust("19 millis")
    assert.deepStrictEqual(seen, ["a starts", "a ends", "b starts"])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(seen.slice(3), ["q"])
  })
)

it.scoped("a command that is released holds nothing back and goes on", () =>
  Effect.gen(function* () {
    const { long, names, seen, send, settle, turns, watch } = yield* setUp
    const bash = yield* long("bash", "waiting")
    send("b", "ordered")
    yield* watch("accepted", turns.accepted)
    yield* watch("drained", turns.drained)
    yield* bash.release
    assert.deepStrictEqual([seen, names()], [["bash starts", "b", "accepted"], ["bash"]])
    yield* Effect.zipRight(bash.end, settle)
    assert.deepStrictEqual(seen.slice(3), ["bash ends", "drained"])
  })
)

it.scoped("a command that ends what was before it begins where it is held back, and is done in its place", () =>
  Effect.gen(function* () {
    const { long, note, seen, send, settle } = yield* setUp
    const ahead = (position: Position) =>
      note(`ahead ${position.isFar} ${position.isReached()}`).pipe(
        Effect.zipRight(position.reached),
        Effect.zipRight(Effect.suspend(() => note(`reached ${position.isReached()}`)))
      )
    send("first", "ending", { ahead })
    const a = yield* long("a", "waiting")
    send("then", "ending", { ahead })
    send("b", "ordered")
    yield* settle
    assert.deepStrictEqual(seen, ["first", "a starts", "ahead false false"])
    yield* a.end
    assert.deepStrictEqual(seen.slice(3), ["a ends", "then", "b", "reached true"])
    yield* long("c", "holding")
    send("last", "ending", { ahead })
    yield* settle
    assert.deepStrictEqual(seen.slice(7), ["c starts", "ahead true false"])
  })
)

it.scoped("a command that is cancelled while it waits is answered once, and never starts", () =>
  Effect.gen(function* () {
    const { long, names, note, seen, send, settle, turns } = yield* setUp
    const a = yield* long("a", "waiting")
    send("b", "holding")
    send("abort", "ending", { ahead: (position) => Effect.zipRight(position.reached, note("reached")) })
    yield* settle
    assert.deepInclude(yield* turns.activities.cancel("b", 1000), { outcome: "cancelled" })
    assert.deepInclude(yield* turns.activities.cancel("b", 1000), { outcome: "already_done" })
    // What it has begun ends with it.
    yield* turns.activities.cancel("abort", 1000)
    yield* settle
    yield* a.end
    assert.deepStrictEqual(seen, ["a starts", "b cancelled", "abort cancelled", "reached", "a ends"])
    assert.deepStrictEqual(names(), [])
  })
)

it.scoped("a command that is cancelled while it runs is answered once, and the next is handled", () =>
  Effect.gen(function* () {
    const { long, names, seen, send, settle, turns } = yield* setUp
    yield* long("a", "holding")
    send("b", "ordered")
    yield* turns.activities.cancel("a", 1000)
    yield* settle
    assert.deepStrictEqual([seen, names()], [["a starts", "a cancelled", "b"], []])
  })
)

it.scoped("so is one of which the host has ended a part, such as a hook", () =>
  Effect.gen(function* () {
    const { names, seen, send, settle, turns } = yield* setUp
    send("a", "holding", { run: () => Supervision.node({ kind: "hook", label: "leaving" }, () => Effect.never) })
    send("b", "ordered")
    yield* settle
    const hook = [...turns.activities.root.children].flatMap(({ children }) => [...children])[0]
    assert.strictEqual(hook?.spec.kind, "hook")
    assert.deepInclude(yield* turns.activities.cancel(hook?.id ?? "", 1000), { outcome: "cancelled" })
    yield* turns.drained
    assert.deepStrictEqual([seen, names()], [["a cancelled", "b"], []])
  })
)

it.scoped("twenty thousand commands that wait do not overflow the stack", () =>
  Effect.gen(function* () {
    const { long, send, turns } = yield* setUp
    const first = yield* long("first", "waiting")
    let ran = 0
    for (let i = 0; i < 20_000; i++) send(`${i}`, "ordered", { run: () => Effect.sync(() => void ran++) })
    yield* first.end
    yield* turns.accepted
    assert.strictEqual(ran, 20_000)
  })
)

it.scoped("whoever sends more than is taken waits", () =>
  Effect.gen(function* () {
    const { note, seen, send, turns } = yield* setUp
    send("first", "ordered")
    yield* Effect.zipRight(turns.ready, note("one is fine"))
    for (let i = 0; i < 10_000; i++) send("more", "ordered", { run: () => Effect.void })
    yield* Effect.zipRight(turns.ready, note("they were taken"))
    assert.deepStrictEqual(seen, ["one is fine", "first", "they were taken"])
  })
)

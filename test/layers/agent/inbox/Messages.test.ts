/** Turns of prompts and of changes of a session, and who is told of the end of a message. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as Messages from "../../../../src/layers/agent/inbox/Messages.ts"
import { defaults } from "../../../../src/services/Settings.ts"

const make = () => {
  const events: Array<AgentEvent> = []
  const messages = Messages.make({
    publish: (event) => void events.push(event),
    session: { entries: Effect.succeed([]) },
    settings: defaults
  })
  return { messages, events }
}

const settle = Effect.repeatN(Effect.yieldNow(), 20)

it.effect("one has the turn at a time, in the order of arrival, until it has ended", () =>
  Effect.gen(function* () {
    const { messages } = make()
    const said: Array<string> = []
    const [first, second, third] = [
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>()
    ]
    const fibers = yield* Effect.forEach([first, second, third], (gate, at) =>
      Effect.fork(
        messages.inTurn((restore) => {
          said.push(`begins ${at}`)
          return Effect.map(restore(Deferred.await(gate)), () => said.push(`ends ${at}`))
        })
      )
    )
    yield* settle
    assert.deepStrictEqual(said, ["begins 0"])
    assert.isTrue(messages.state().isTaken)
    yield* Deferred.succeed(second, undefined)
    yield* settle
    assert.deepStrictEqual(said, ["begins 0"])
    yield* Deferred.succeed(first, undefined)
    yield* settle
    assert.deepStrictEqual(said, ["begins 0", "ends 0", "begins 1", "ends 1", "begins 2"])
    yield* Fiber.interruptAll(fibers)
    assert.isFalse(messages.state().isTaken)
  })
)

it.effect("who leaves the line holds up nobody, also in the moment when the turn has come", () =>
  Effect.gen(function* () {
    const { messages } = make()
    const said: Array<string> = []
    const gate = yield* Deferred.make<void>()
    yield* Effect.fork(messages.changing(Deferred.await(gate)))
    yield* settle
    const stand = (name: string) => Effect.fork(messages.inTurn(() => Effect.sync(() => void said.push(name))))
    const [a, b] = [yield* stand("a"), yield* stand("b")]
    yield* stand("c")
    yield* settle
    yield* Fiber.interrupt(b)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.interrupt(a)
    yield* settle
    assert.include(said, "c")
    assert.notInclude(said, "b")
    assert.isFalse(messages.state().isTaken)
    yield* messages.changing(Effect.sync(() => said.push("after")))
    assert.include(said, "after")
  })
)

it.effect("a turn that dies, fails or is interrupted is over", () =>
  Effect.gen(function* () {
    const { messages } = make()
    yield* Effect.exit(messages.changing(Effect.die("broken")))
    yield* Effect.exit(messages.changing(Effect.fail("no")))
    const stuck = yield* Effect.fork(messages.changing(Effect.never))
    yield* settle
    yield* Fiber.interrupt(stuck)
    assert.strictEqual(yield* messages.changing(Effect.succeed("done")), "done")
  })
)

it("every request of a message is told of its end once, and the session settles with the last one", () => {
  const { events, messages } = make()
  messages.tell({ _tag: "Handling", messageId: "m", requests: ["one"] })
  messages.tell({ _tag: "Handling", messageId: "n", requests: ["other"] })
  messages.tell({ _tag: "Joined", messageId: "m", requestId: "two" })
  messages.end("m", { status: "completed" })
  messages.end("m", { status: "aborted" })
  const told = () =>
    events.flatMap((event) =>
      event._tag === "PromptFinished" ? [`${event.requestId} ${event.status} ${event.sessionSettled}`] : [event._tag]
    )
  assert.deepStrictEqual(told(), ["one completed false", "two completed false"])
  messages.end("n", { status: "error" })
  assert.deepStrictEqual(told().slice(2), ["other error true", "SessionSettled"])
})

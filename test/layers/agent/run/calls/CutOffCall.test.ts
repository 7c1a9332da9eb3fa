import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { cutOff, type Tool } from "../../../../../src/services/Tools.ts"
import { output, resultTexts, tool } from "../../../../support/agent/AgentHarness.ts"
import { violations } from "../../../../support/agent/EventGrammar.ts"
import { call, say } from "../../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../../support/agent/TestAgent.ts"

type Run = Tool["run"]

const says = (words: string) => (reason: string) => Effect.succeed(cutOff(reason, output(words)))

/** The result of a call that is aborted when it has begun. */
const aborted = Effect.fnUntraced(function* (
  run: (begun: Effect.Effect<unknown>) => Run,
  before?: Effect.Effect<unknown>
) {
  const begun = yield* Deferred.make<void>()
  const { agent, events } = yield* TestAgent.make({
    turns: [call(["A", "work", {}]), say("ok")],
    tools: [tool("work", run(Deferred.succeed(begun, undefined)))]
  })
  yield* agent.prompt({ text: "go" })
  yield* Deferred.await(begun)
  const aborting = yield* Effect.fork(agent.abort())
  if (before !== undefined) yield* before
  yield* Fiber.join(aborting)
  assert.deepStrictEqual(violations(events), [])
  return resultTexts(events)
})

const reason = "Operation aborted"

it.scoped("a call answers behind the clean-up of its work", () =>
  Effect.gen(function* () {
    let left = "at work"
    const results = yield* aborted(
      (begun) =>
        (_, { orInterrupted }) =>
          Effect.zipRight(begun, Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => (left = "tidy"))),
            orInterrupted((why) => Effect.sync(() => cutOff(why, output(left))))
          )
    )
    assert.deepStrictEqual(results, [`tidy\n\n${reason}`])
  })
)

it.scoped("of two answers around the same work the inner one counts; work that only lost a race has none", () =>
  Effect.gen(function* () {
    const results = yield* aborted(
      (begun) =>
        (_, { orInterrupted }) =>
          Effect.raceFirst(orInterrupted(says("lost"))(Effect.never), Effect.yieldNow()).pipe(
            Effect.zipRight(begun),
            Effect.zipRight(orInterrupted(says("inner"))(Effect.never)),
            orInterrupted(says("outer"))
          )
    )
    assert.deepStrictEqual(results, [`inner\n\n${reason}`])
  })
)

it.scoped.each([
  ["that dies", () => Effect.die(new Error("bug"))],
  [
    "that throws",
    (): never => {
      throw new Error("bug")
    }
  ]
] as const)("an answer %s leaves the reason", ([, answer]) =>
  Effect.gen(function* () {
    const results = yield* aborted(
      (begun) =>
        (_, { orInterrupted }) =>
          orInterrupted(answer)(Effect.zipRight(begun, Effect.never))
    )
    assert.deepStrictEqual(results, [reason])
  })
)

it.scoped("an abort waits two seconds for an answer", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const results = yield* aborted(
      (begun) =>
        (_, { orInterrupted }) =>
          orInterrupted(() => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))(
            Effect.zipRight(begun, Effect.never)
          ),
      Effect.zipRight(Deferred.await(asked), TestClock.adjust("2 seconds"))
    )
    assert.deepStrictEqual(results, [reason])
  })
)

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import * as ModelCall from "../../../../src/layers/agent/run/ModelCall.ts"
import type { ModelEvents, ModelFailure, ModelRequest } from "../../../../src/services/model/ModelClient.ts"
import { ModelClient } from "../../../../src/services/model/ModelClient.ts"
import { failure, model } from "../../../support/agent/ScriptedModel.ts"

const hello = userMessage("hello", [], 0)
const tool = { name: "read", description: "reads", parameters: { type: "object" } }
const request: ModelRequest = {
  model,
  thinkingLevel: "off",
  systemPrompt: "be kind",
  messages: [hello],
  tools: [tool],
  sessionId: "s"
}
const events: ModelEvents = { takeAll: Effect.succeed([[], true]) }

/** A client whose calls come to `then`, and the exits that their scopes were closed with. */
const watched = (then: Effect.Effect<ModelEvents, ModelFailure>) => {
  const closed: Array<Exit.Exit<unknown, unknown>> = []
  const client = ModelClient.of({
    opensAtOnce: () => true,
    stream: (_, scope) =>
      Effect.zipRight(
        Scope.addFinalizerExit(scope, (exit) => Effect.sync(() => void closed.push(exit))),
        then
      )
  })
  return { client, closed }
}

describe("a call that is opened", () => {
  it.effect("has its request and its events, and is not closed", () =>
    Effect.gen(function* () {
      const { client, closed } = watched(Effect.succeed(events))
      const call = yield* ModelCall.open(client, request)
      assert.strictEqual(call.request, request)
      assert.strictEqual(call.events, events)
      assert.deepStrictEqual(closed, [])
      yield* ModelCall.close(call, Exit.void)
      assert.deepStrictEqual(closed, [Exit.void])
    })
  )

  const overloaded = failure("overloaded", "529")
  it.effect.each<readonly [string, Effect.Effect<ModelEvents, ModelFailure>, Exit.Exit<never, ModelFailure>]>([
    ["fails", overloaded, Exit.fail(overloaded)],
    ["dies", Effect.die("kaput"), Exit.die("kaput")]
  ])("closes its scope when it %s, and passes that on", ([, then, exit]) =>
    Effect.gen(function* () {
      const { client, closed } = watched(then)
      assert.deepStrictEqual(yield* Effect.exit(ModelCall.open(client, request)), exit)
      assert.deepStrictEqual(closed, [exit])
    })
  )

  it.effect("closes its scope when it is interrupted, also by somebody who cannot be", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const { client, closed } = watched(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      const fiber = yield* Effect.fork(Effect.uninterruptible(ModelCall.open(client, request)))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.deepStrictEqual(closed.map(Exit.isInterrupted), [true])
    })
  )

  it.effect("starts fibers that can be interrupted, whoever opens it", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const waits = Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
      const client = ModelClient.of({
        opensAtOnce: () => true,
        stream: (_, scope) => Effect.as(Effect.forkIn(waits, scope), events)
      })
      const call = yield* Effect.uninterruptible(ModelCall.open(client, request))
      yield* Effect.yieldNow()
      yield* ModelCall.close(call, Exit.void)
      assert.isTrue(yield* Deferred.isDone(ended))
    })
  )
})

describe("a call that is used", () => {
  const opened = Effect.gen(function* () {
    const { client, closed } = watched(Effect.succeed(events))
    return { call: yield* ModelCall.open(client, request), closed }
  })

  it.effect("is closed when the use has ended, and not before", () =>
    Effect.gen(function* () {
      const { call, closed } = yield* opened
      const used = yield* ModelCall.using(call, (given) => Effect.sync(() => [given === events, closed.length]))
      assert.deepStrictEqual(used, [true, 0])
      assert.deepStrictEqual(closed, [Exit.void])
    })
  )

  it.effect.each([
    [true, []],
    [false, [Exit.void]]
  ] as const)("that says of itself at the end that it is over (%s) is closed if it is not", ([isOver, closes]) =>
    Effect.gen(function* () {
      const { client, closed } = watched(Effect.succeed({ ...events, isOver: () => isOver }))
      const call = yield* ModelCall.open(client, request)
      assert.strictEqual(yield* ModelCall.using(call, () => Effect.succeed("used")), "used")
      assert.deepStrictEqual(closed, [...closes])
    })
  )

  it.effect.each<readonly [string, Exit.Exit<never, string>]>([
    ["fails", Exit.fail("no")],
    ["dies", Exit.die("kaput")]
  ])("is closed when the use %s, and passes that on", ([, exit]) =>
    Effect.gen(function* () {
      const { call, closed } = yield* opened
      assert.deepStrictEqual(yield* Effect.exit(ModelCall.using(call, () => exit)), exit)
      assert.deepStrictEqual(closed, [exit])
    })
  )

  it.effect("is closed when the use is interrupted in a wait", () =>
    Effect.gen(function* () {
      const { call, closed } = yield* opened
      const begun = yield* Deferred.make<void>()
      const use = Effect.interruptible(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      const fiber = yield* Effect.fork(Effect.uninterruptible(ModelCall.using(call, () => use)))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.deepStrictEqual(closed.map(Exit.isInterrupted), [true])
    })
  )
})

describe("a call answers a request", () => {
  const answers = (other: Partial<ModelRequest>) =>
    Effect.gen(function* () {
      const call = yield* ModelCall.open(watched(Effect.succeed(events)).client, request)
      return ModelCall.answers(call, { ...request, ...other })
    })

  it.effect.each<readonly [string, Partial<ModelRequest>]>([
    ["is the same", {}],
    ["has the same messages and tools in other lists", { messages: [hello], tools: [tool] }]
  ])("that %s", ([, other]) =>
    Effect.gen(function* () {
      assert.isTrue(yield* answers(other))
    })
  )

  it.effect.each<readonly [string, Partial<ModelRequest>]>([
    ["another model", { model: { ...model } }],
    ["another thinking level", { thinkingLevel: "low" }],
    ["another system prompt", { systemPrompt: "be brief" }],
    ["another session", { sessionId: "t" }],
    ["another message", { messages: [userMessage("bye", [], 0)] }],
    ["a message that only looks the same", { messages: [{ ...hello }] }],
    ["a message more", { messages: [hello, userMessage("bye", [], 0)] }],
    ["a message less", { messages: [] }],
    ["another tool", { tools: [{ ...tool, name: "write" }] }],
    ["a tool more", { tools: [tool, { ...tool, name: "write" }] }],
    ["a tool less", { tools: [] }]
  ])("but not one with %s", ([, other]) =>
    Effect.gen(function* () {
      assert.isFalse(yield* answers(other))
    })
  )
})

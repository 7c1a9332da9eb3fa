import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber } from "effect"
import { type JsonObject, text } from "../../../../src/domain/conversation/Content.ts"
import * as HookedCall from "../../../../src/layers/agent/run/HookedCall.ts"
import type * as HookLayer from "../../../../src/layers/hooks/HookLayer.ts"
import * as HookRegistry from "../../../../src/layers/hooks/HookRegistry.ts"
import { type ToolAnswer, ToolFailure } from "../../../../src/services/Tools.ts"
import { output, resultTexts, summary, tool } from "../../../support/agent/AgentHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call as modelCall, say } from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"
import { settle } from "../../../support/hooks/RelayHarness.ts"

const call = { type: "toolCall", id: "c", name: "t", arguments: { path: { deep: "a" } } } as const

/** One call between these hooks; `seen` are the arguments that the tool got. */
const play = Effect.fnUntraced(function* (
  { toolCall, toolResult }: Pick<HookLayer.HookSet, "toolCall" | "toolResult">,
  answer: Effect.Effect<ToolAnswer, ToolFailure> = Effect.succeed(output("done"))
) {
  const hooks = HookRegistry.make(() => {})
  const registration = yield* hooks.service.join("x")
  if (toolCall !== undefined) registration.on("toolCall", toolCall)
  if (toolResult !== undefined) registration.on("toolResult", toolResult)
  const seen: Array<JsonObject> = []
  const around = { hooks, flush: Effect.void, turn: yield* Effect.makeSemaphore(1) }
  const execute = (args: JsonObject) =>
    Effect.zipRight(
      Effect.sync(() => seen.push(args)),
      answer
    )
  return { seen, answer: yield* Effect.either(HookedCall.run(around, call, execute)) }
})

it.scoped("without hooks the tool gets the arguments of the model themselves", () =>
  Effect.gen(function* () {
    const { answer, seen } = yield* play({})
    assert.strictEqual(seen[0], call.arguments)
    assert.deepStrictEqual(answer, Either.right(output("done")))
  })
)

it.scoped("what a hook changes in the arguments is for the tool, not for the message of the model", () =>
  Effect.gen(function* () {
    const { seen } = yield* play({ toolCall: ({ input }) => void Object.assign(input["path"] ?? {}, { deep: "b" }) })
    assert.deepStrictEqual([seen, call.arguments], [[{ path: { deep: "b" } }], { path: { deep: "a" } }])
  })
)

describe("a call that is blocked", () => {
  it.scoped("does not run, and no hook sees a result", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* play({
        toolCall: () => ({ block: true, reason: "no" }),
        toolResult: () => Effect.dieMessage("not asked")
      })
      assert.deepStrictEqual([seen, answer], [[], Either.left(new ToolFailure({ message: "no" }))])
    })
  )

  it.scoped("may end the run", () =>
    Effect.gen(function* () {
      const { answer } = yield* play({ toolCall: () => ({ block: true, reason: "no", terminate: true }) })
      assert.deepStrictEqual(answer, Either.left(new ToolFailure({ message: "no", terminate: true })))
    })
  )
})

describe("a result", () => {
  const failure = new ToolFailure({ message: "broke", terminate: true })

  it.scoped("of a call that failed reaches the hooks as the model reads it, and may become a success", () =>
    Effect.gen(function* () {
      const seen: Array<object> = []
      const { answer } = yield* play(
        {
          toolResult: (event) => {
            seen.push(event)
            return { isError: false, content: [text("fine")] }
          }
        },
        Effect.fail(failure)
      )
      const { arguments: input, id: toolCallId, name: toolName } = call
      assert.deepStrictEqual(seen, [
        { toolCallId, toolName, input, content: [text("broke")], details: {}, isError: true }
      ])
      assert.deepStrictEqual(answer, Either.right({ content: [text("fine")], details: {}, terminate: true }))
    })
  )

  it.scoped("may become an error", () =>
    Effect.gen(function* () {
      const { answer } = yield* play({ toolResult: () => ({ isError: true, details: { n: 1 } }) })
      const expected = new ToolFailure({ message: "", content: [text("done")], details: { n: 1 } })
      assert.deepStrictEqual(answer, Either.left(expected))
    })
  )

  it.scoped("that asks for the end of the run still does, whatever a hook makes of it", () =>
    Effect.gen(function* () {
      const unchanged = yield* play({ toolResult: () => undefined }, Effect.fail(failure))
      assert.isTrue(Either.isLeft(unchanged.answer) && unchanged.answer.left.terminate)
      const ends = Effect.succeed({ ...output("done"), terminate: true } as const)
      const spoiled = yield* play({ toolResult: () => ({ isError: true }) }, ends)
      assert.isTrue(Either.isLeft(spoiled.answer) && spoiled.answer.left.terminate)
      const changed = yield* play({ toolResult: () => ({ content: [text("changed")] }) }, ends)
      assert.deepStrictEqual(changed.answer, Either.right({ content: [text("changed")], terminate: true }))
    })
  )

  it.scoped("of a defect is none: hooks do not see it", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const exit = yield* Effect.exit(
        play({ toolResult: () => void asked.push("asked") }, Effect.die(new Error("bug")))
      )
      assert.deepStrictEqual([Exit.isFailure(exit), asked], [true, []])
    })
  )
})

describe("in a run", () => {
  const shared = ["A", "B", "C"].map((name) => tool(name, () => Effect.succeed(output(`${name} done`))))
  const three = modelCall(["1", "A", {}], ["2", "B", {}], ["3", "C", {}])

  it.scoped("calls that run side by side are asked about one by one, in the order of the message", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const [a, b, c] = [yield* Deferred.make<void>(), yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const gates = { A: a, B: b, C: c }
      const gateOf = (name: string) => (name === "A" || name === "B" ? gates[name] : c)
      const { agent, events } = yield* TestAgent.make(
        { turns: [three, say("ok")], tools: shared },
        {
          hooks: {
            toolCall: ({ toolName }) => {
              log.push(`asks ${toolName}`)
              return Effect.zipLeft(
                Deferred.await(gateOf(toolName)),
                Effect.sync(() => log.push(`lets ${toolName}`))
              )
            },
            ToolStarted: ({ toolName }) => Effect.sync(() => void log.push(`starts ${toolName}`))
          }
        }
      )
      yield* agent.prompt({ text: "go" })
      // The last gate opens first: that changes nothing.
      for (const name of ["C", "B", "A"]) yield* Effect.zipRight(settle, Deferred.succeed(gateOf(name), undefined))
      yield* agent.awaitIdle
      assert.deepStrictEqual(log, [
        "starts A",
        "starts B",
        "starts C",
        "asks A",
        "lets A",
        "asks B",
        "lets B",
        "asks C",
        "lets C"
      ])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("a call that is blocked answers the model, and the run goes on; one that fails is reported, too", () =>
    Effect.gen(function* () {
      const { agent, events, script } = yield* TestAgent.make(
        { turns: [three, say("ok")], tools: shared },
        {
          hooks: {
            toolCall: ({ toolName }) => {
              if (toolName === "A") return { block: true, reason: "not A" }
              if (toolName === "B") return Effect.fail({ message: "lost" })
              return undefined
            },
            toolResult: ({ content }) => ({ content: [...content, text("seen")] })
          }
        }
      )
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(resultTexts(events), ["not A", "Extension test failed: lost", "C done", "seen"])
      assert.deepStrictEqual(
        events.filter(({ _tag }) => _tag === "ExtensionFailed"),
        [{ _tag: "ExtensionFailed", extensionPath: "test", event: "toolCall", error: "lost" }]
      )
      assert.strictEqual((yield* script.requests).length, 2)
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("the run ends when all calls are blocked with its end, and goes on when one of them is not", () =>
    Effect.gen(function* () {
      const turns = [three, three, say("ok")]
      let last = "nothing"
      const { agent, events, script } = yield* TestAgent.make(
        { turns, tools: shared },
        { hooks: { toolCall: ({ toolName }) => ({ block: toolName !== last, terminate: true }) } }
      )
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.strictEqual((yield* script.requests).length, 1)
      last = "C"
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.strictEqual((yield* script.requests).length, 3)
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("an abort ends a hook that still thinks about a call, and those of the calls behind it are not asked", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const began = yield* Deferred.make<void>()
      const { agent, events } = yield* TestAgent.make(
        { turns: [three, say("ok")], tools: shared },
        {
          hooks: {
            toolCall: ({ toolName }) => {
              asked.push(toolName)
              return Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
            }
          }
        }
      )
      yield* agent.prompt({ text: "go" })
      yield* Deferred.await(began)
      const aborting = yield* Effect.fork(agent.abort)
      yield* Fiber.join(aborting)
      assert.deepStrictEqual(asked, ["A"])
      assert.deepStrictEqual(
        summary(events).filter((word) => word.startsWith("ToolEnded")),
        ["ToolEnded:1!", "ToolEnded:2!", "ToolEnded:3!"]
      )
      assert.deepStrictEqual(violations(events), [])
    })
  )
})

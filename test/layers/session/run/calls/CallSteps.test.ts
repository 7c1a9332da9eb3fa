import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber, identity } from "effect"
import { type JsonObject, text } from "../../../../../src/domain/conversation/Content.ts"
import * as CallSteps from "../../../../../src/layers/session/run/calls/CallSteps.ts"
import type * as HookLayer from "../../../../../src/layers/session/modules/hooks/HookLayer.ts"
import * as HookRegistry from "../../../../../src/layers/session/modules/hooks/HookRegistry.ts"
import * as HookStep from "../../../../../src/layers/session/modules/hooks/HookStep.ts"
import { type ToolAnswer, ToolFailure } from "../../../../../src/services/Tools.ts"
import { output, resultTexts, summary, tool } from "../../../../support/agent/AgentHarness.ts"
import { violations } from "../../../../support/agent/EventGrammar.ts"
import { call as modelCall, say } from "../../../../support/agent/ScriptedModel.ts"
import type { AgentEvent } from "../../../../../src/domain/conversation/AgentEvent.ts"
import { standard } from "../../../../../src/layers/session/standard.ts"
import type { RunStep } from "../../../../../src/services/session/RunStep.ts"
import * as SessionModule from "../../../../../src/services/session/SessionModule.ts"
import * as Delegating from "../../../../support/agent/Delegating.ts"
import * as TestAgent from "../../../../support/agent/TestAgent.ts"
import { settle } from "../../../../support/hooks/RelayHarness.ts"

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
  const steps = CallSteps.make([HookStep.make(hooks, { flush: Effect.void, wasAsked: () => {} }, 1000)])
  const execute = (args: JsonObject) =>
    Effect.zipRight(
      Effect.sync(() => seen.push(args)),
      answer
    )
  const launched = { call, tool: tool("t", () => answer), orInterrupted: () => identity }
  const played = Effect.flatMap(steps.ask(launched), ({ call: asked, refusal }) =>
    refusal === undefined ? steps.results(asked, execute(asked.input)) : refusal
  )
  return { seen, moment: steps.moment(), answer: yield* Effect.either(played) }
})

it.scoped("without hooks the steps are not asked; with one at either point they are, behind the start", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* play({})).moment, "never")
    assert.strictEqual((yield* play({ toolCall: () => undefined })).moment, "run")
    assert.strictEqual((yield* play({ toolResult: () => undefined })).moment, "run")
  })
)

describe("arguments", () => {
  it.scoped("that a hook answers are for the tool and the next hook, not for the message of the model", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const { seen } = yield* play({
        toolCall: ({ input, requested }) => {
          asked.push([input, requested])
          return { input: { path: { deep: "b" } } }
        },
        toolResult: ({ input }) => void asked.push(input)
      })
      const [a, b] = [{ path: { deep: "a" } }, { path: { deep: "b" } }]
      assert.deepStrictEqual([asked, seen, call.arguments], [[[a, a], b], [b], a])
    })
  )

  it.scoped("are frozen, and a copy of what a hook answers: what it changes later has no effect", () =>
    Effect.gen(function* () {
      const kept = { path: { deep: "b" } }
      const { answer, seen } = yield* play({
        toolCall: ({ input }) => {
          assert.throws(() => Object.assign(input["path"] ?? {}, { deep: "c" }))
          return { input: kept }
        },
        toolResult: () => undefined
      })
      kept.path.deep = "late"
      assert.deepStrictEqual([seen, answer], [[{ path: { deep: "b" } }], Either.right(output("done"))])
      assert.throws(() => Object.assign(seen[0] ?? {}, { path: "late" }))
    })
  )

  it.scoped("that are no JSON block the call", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* play({ toolCall: () => ({ input: { n: 5n } }) })
      const message = "Extension x failed: the arguments: holds a BigInt"
      assert.deepStrictEqual([seen, answer], [[], Either.left(new ToolFailure({ message }))])
    })
  )
})

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
      const aborting = yield* Effect.fork(agent.abort())
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

describe("a module that is asked about calls", () => {
  const planOf = (step: RunStep) =>
    standard.add(SessionModule.contributing("gate", Effect.succeed({ run: () => step })))
  const starts = (events: ReadonlyArray<AgentEvent>) =>
    events.flatMap((event) => (event._tag === "ToolStarted" ? [[event.toolCallId, event.args]] : []))
  const echo = tool("echo", (args) => Effect.succeed(output(JSON.stringify(args))))
  const two = modelCall(["1", "echo", { n: 1 }], ["2", "echo", { n: 2 }])

  it.scoped("is asked behind the hooks and before hosts see the start, which has the arguments that run", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const { agent, events, session } = yield* TestAgent.make(
        { turns: [two, say("ok")], tools: [echo] },
        {
          hooks: { toolCall: ({ input }) => ({ input: { ...input, hooked: true } }) },
          plan: planOf({
            call: ({ input, requested, toolCallId, toolName }) =>
              Effect.sync(() => {
                asked.push([toolCallId, toolName, requested, input, starts(made()).length])
                return toolCallId === "1" ? { input: { ...input, changed: true } } : undefined
              })
          })
        }
      )
      const made = () => events
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(asked, [
        ["1", "echo", { n: 1 }, { n: 1, hooked: true }, 0],
        ["2", "echo", { n: 2 }, { n: 2, hooked: true }, 1]
      ])
      const [first, second] = [
        { n: 1, hooked: true, changed: true },
        { n: 2, hooked: true }
      ]
      assert.deepStrictEqual(starts(events), [
        ["1", first],
        ["2", second]
      ])
      assert.deepStrictEqual(
        resultTexts(events),
        [first, second].map((args) => JSON.stringify(args))
      )
      const said = (yield* session.messages).flatMap((message) => (message.role === "assistant" ? message.content : []))
      assert.deepStrictEqual(
        said.flatMap((block) => (block.type === "toolCall" ? [block.arguments] : [])),
        [{ n: 1 }, { n: 2 }]
      )
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("refuses a call, which then has not run: hosts see it start and end", () =>
    Effect.gen(function* () {
      const refusal = new ToolFailure({ message: "Denied by user", details: { approval: { decision: "deny" } } })
      const { agent, events, session } = yield* TestAgent.make(
        { turns: [two, say("ok")], tools: [tool("echo", () => Effect.dieMessage("ran"))] },
        { plan: planOf({ call: () => Effect.succeed({ refusal }) }) }
      )
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(resultTexts(events), ["Denied by user", "Denied by user"])
      assert.deepStrictEqual(starts(events), [
        ["1", { n: 1 }],
        ["2", { n: 2 }]
      ])
      const kept = (yield* session.branch).flatMap((entry) =>
        entry.type === "message" && entry.message.role === "toolResult" ? [[entry.call, entry.message.details]] : []
      )
      assert.deepStrictEqual(kept, [
        ["not_started", refusal.details],
        ["not_started", refusal.details]
      ])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  const ends: Readonly<
    Record<string, readonly [(made: TestAgent.TestAgent) => Effect.Effect<unknown, unknown>, string]>
  > = {
    "an abort": [({ agent }) => agent.abort(), "Tool execution was aborted."],
    "a cancel of the call": [({ supervision }) => supervision.cancel("1", 1000), "Cancelled by host"]
  }
  it.scoped.each(Object.entries(ends))("%s ends the question, and the call does not run", ([, [end, reason]]) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const made = yield* TestAgent.make(
        { turns: [modelCall(["1", "echo", {}]), say("ok")], tools: [tool("echo", () => Effect.dieMessage("ran"))] },
        { plan: planOf({ call: () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never) }) }
      )
      const { agent, events } = made
      yield* agent.prompt({ text: "go" })
      yield* Deferred.await(asked)
      assert.deepStrictEqual(starts(events), [])
      yield* end(made)
      yield* agent.awaitIdle
      assert.deepStrictEqual([starts(events), resultTexts(events)], [[["1", {}]], [reason]])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("that dies ends the run, and nothing runs", () =>
    Effect.gen(function* () {
      const { agent, events, script } = yield* TestAgent.make(
        { turns: [two, say("ok")], tools: [tool("echo", () => Effect.sync(() => assert.fail("ran")))] },
        { plan: planOf({ call: () => Effect.dieMessage("bug") }) }
      )
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      const reason = "Tool execution failed due to an error: Internal error: RuntimeException: bug"
      assert.deepStrictEqual(resultTexts(events), [reason, reason])
      assert.strictEqual((yield* script.requests).length, 1)
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("is interrupted by a steering message once another call has ended", () =>
    Effect.gen(function* () {
      const [asked, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { agent, events } = yield* TestAgent.make(
        { turns: [two, say("ok")], tools: [echo], settings: { interruptMode: "immediate" } },
        {
          hooks: { ToolEnded: () => Effect.asVoid(Deferred.succeed(ended, undefined)) },
          plan: planOf({
            call: ({ toolCallId }) =>
              toolCallId === "1"
                ? Effect.succeed(undefined)
                : Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
          })
        }
      )
      yield* agent.prompt({ text: "go" })
      yield* Effect.all([Deferred.await(asked), Deferred.await(ended)])
      yield* agent.enqueue("steering", { text: "S" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(resultTexts(events), ['{"n":1}', "Skipped due to queued user message."])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("is asked about calls of every kind of tool", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const calls = ["ls", "hosted", "registered", "todo_write", "task"]
      const { agent, toolSet } = yield* Delegating.make({
        answer: (_, nth) => (nth === 1 ? modelCall(...calls.map((name) => [name, name, {}] as const)) : say("ok")),
        hostTools: [
          { name: "hosted", description: "h", parameters: { type: "object" }, call: () => Effect.succeed(output("ok")) }
        ],
        plan: planOf({ call: ({ toolName }) => Effect.sync(() => void asked.push(toolName)) })
      })
      yield* toolSet.register(tool("registered", () => Effect.succeed(output("ok"))))
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(asked, calls)
    })
  )
})

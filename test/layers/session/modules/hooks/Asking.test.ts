/** What the answers of several hooks amount to, point by point. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { text } from "../../../../../src/domain/conversation/Content.ts"
import { type AgentMessage, toCustomMessage, userMessage } from "../../../../../src/domain/conversation/Message.ts"
import * as Asking from "../../../../../src/layers/session/modules/hooks/Asking.ts"
import * as HookRegistry from "../../../../../src/layers/session/modules/hooks/HookRegistry.ts"
import type { HookPoint } from "../../../../../src/services/hooks/HookPoints.ts"
import type { Hook } from "../../../../../src/services/hooks/Hooks.ts"
import { model } from "../../../../support/agent/ScriptedModel.ts"
import { ToolFailure } from "../../../../../src/services/Tools.ts"

/** Each hook is a contributor of its own: `1`, `2`, … */
const hooksOf = Effect.fnUntraced(function* <P extends HookPoint>(point: P, ...all: ReadonlyArray<Hook<P>>) {
  const reports: Array<string> = []
  const hooks = HookRegistry.make(({ event, message, name }) => void reports.push(`${name} ${event}: ${message}`))
  for (const [index, hook] of all.entries()) {
    const registration = yield* hooks.service.join(String(index + 1))
    registration.on(point, hook)
  }
  return { hooks, reports }
})

const fail = () => Effect.fail({ message: "no" })
const nothing = () => undefined

describe("input", () => {
  const said = { text: "a", images: [], source: "extension", whenBusy: "steering" } as const
  const image = { type: "image", data: "AA==", mimeType: "image/png" } as const

  it.scoped("each hook gets what the one before it made of the message; who sent it stays", () =>
    Effect.gen(function* () {
      const seen: Array<object> = []
      const { hooks, reports } = yield* hooksOf(
        "input",
        ({ text }) => ({ _tag: "Transform", text: `${text}b`, images: [image] }),
        fail,
        (event) => {
          seen.push(event)
          return Effect.succeed({ _tag: "Continue" } as const)
        },
        ({ text }) => ({ _tag: "Transform", text: `${text}c` })
      )
      assert.deepStrictEqual(yield* Asking.input(hooks, said), {
        ...said,
        text: "abc",
        images: [image],
        isHandled: false
      })
      assert.deepStrictEqual([seen, reports], [[{ ...said, text: "ab", images: [image] }], ["2 input: no"]])
    })
  )

  it.scoped("a hook that has dealt with the message is the last one", () =>
    Effect.gen(function* () {
      const { hooks } = yield* hooksOf(
        "input",
        nothing,
        () => ({ _tag: "Handled" }),
        () => Effect.dieMessage("not asked")
      )
      assert.isTrue((yield* Asking.input(hooks, said)).isHandled)
    })
  )
})

it.scoped("runStarting: the last system prompt counts, and all messages", () =>
  Effect.gen(function* () {
    const message = (content: string) => ({ customType: "note", content, display: false })
    const seen: Array<string> = []
    const { hooks, reports } = yield* hooksOf(
      "runStarting",
      () => ({ message: message("one") }),
      ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}!`, message: message("two") }),
      fail,
      ({ systemPrompt }) => void seen.push(systemPrompt)
    )
    assert.deepStrictEqual(yield* Asking.runStarting(hooks, { text: "go", images: [], systemPrompt: "S" }), {
      systemPrompt: "S!",
      messages: [
        { name: "1", message: message("one") },
        { name: "2", message: message("two") }
      ]
    })
    assert.deepStrictEqual([seen, reports], [["S!"], ["3 runStarting: no"]])
  })
)

it.scoped("context: each hook gets the messages of the one before it", () =>
  Effect.gen(function* () {
    const one = userMessage("one", [], 0)
    const { hooks, reports } = yield* hooksOf(
      "context",
      ({ messages }) => ({ messages: [...messages, userMessage("two", [], 0)] }),
      fail,
      nothing,
      ({ messages }) => Effect.succeed({ messages: messages.slice(1) })
    )
    assert.deepStrictEqual(yield* Asking.context(hooks, [one]), [userMessage("two", [], 0)])
    assert.deepStrictEqual(reports, ["2 context: no"])
  })
)

it.scoped("messageEnding: the message is replaced by one of the same role, others are refused by name", () =>
  Effect.gen(function* () {
    const isUser = (message: AgentMessage) => message.role === "user"
    const custom = toCustomMessage({ customType: "x", content: "x", display: true }, 0)
    const { hooks, reports } = yield* hooksOf(
      "messageEnding",
      () => ({ message: userMessage("better", [], 0) }),
      () => ({ message: custom }),
      fail
    )
    const ended = yield* Asking.messageEnding(hooks, userMessage("good", [], 0), isUser)
    assert.deepStrictEqual(ended, userMessage("better", [], 0))
    assert.deepStrictEqual(reports, [
      "2 messageEnding: a message of the role user was answered with one of the role custom",
      "3 messageEnding: no"
    ])
  })
)

describe("toolCall", () => {
  const requested = { path: "a" }
  const call = () => ({ toolCallId: "c", toolName: "t", input: requested, requested })

  it.scoped("each hook is asked about the arguments that the one before it has answered", () =>
    Effect.gen(function* () {
      const { hooks } = yield* hooksOf(
        "toolCall",
        ({ input }) => ({ input: { path: `${String(input["path"])}b` } }),
        () => undefined,
        ({ input }) => Effect.succeed({ input: { path: `${String(input["path"])}c` }, block: false })
      )
      assert.deepStrictEqual(yield* Asking.toolCall(hooks, call()), { input: { path: "abc" } })
      assert.deepStrictEqual(requested, { path: "a" })
    })
  )

  it.scoped.each([
    ["a reason", { block: true, reason: "not here" }, { message: "not here" }],
    ["none", { block: true }, { message: "Tool execution was blocked" }],
    ["the end of the run", { block: true, terminate: true }, { message: "Tool execution was blocked", terminate: true }]
  ] as const)("a hook blocks with %s, and is the last one", ([, answer, refusal]) =>
    Effect.gen(function* () {
      const { hooks } = yield* hooksOf(
        "toolCall",
        // Counts only for a call that is blocked.
        () => ({ terminate: true, block: false, reason: "ignored" }),
        () => answer,
        () => Effect.dieMessage("not asked")
      )
      assert.deepStrictEqual(yield* Asking.toolCall(hooks, call()), { refusal: new ToolFailure(refusal) })
    })
  )

  it.scoped("a hook that fails blocks, is reported, and is the last one", () =>
    Effect.gen(function* () {
      const { hooks, reports } = yield* hooksOf("toolCall", fail, () => Effect.dieMessage("not asked"))
      assert.deepStrictEqual(yield* Asking.toolCall(hooks, call()), {
        refusal: new ToolFailure({ message: "Extension 1 failed: no" })
      })
      assert.deepStrictEqual(reports, ["1 toolCall: no"])
    })
  )
})

it.scoped("toolResult: content, details and the error mark change each on its own, and chain", () =>
  Effect.gen(function* () {
    const seen: Array<object> = []
    const { hooks, reports } = yield* hooksOf(
      "toolResult",
      () => ({ content: [text("new")] }),
      () => ({ isError: true }),
      fail,
      (event) => {
        seen.push(event)
        return { details: { n: 2 } }
      }
    )
    const asked = { toolCallId: "c", toolName: "t", input: {} }
    const result = yield* Asking.toolResult(hooks, asked, {
      output: { content: [text("old")], details: { n: 1 } },
      isError: false
    })
    assert.deepStrictEqual(result, { output: { content: [text("new")], details: { n: 2 } }, isError: true })
    assert.deepStrictEqual(seen, [{ ...asked, content: [text("new")], details: { n: 1 }, isError: true }])
    assert.deepStrictEqual(reports, ["3 toolResult: no"])
  })
)

describe("requests to a provider", () => {
  it.scoped("have no hooks around them where there are none", () =>
    Effect.gen(function* () {
      const { hooks } = yield* hooksOf("context", nothing)
      assert.isUndefined(Asking.aroundRequests(hooks))
    })
  )

  it.scoped("the payload goes from hook to hook; a failure keeps it", () =>
    Effect.gen(function* () {
      const { hooks, reports } = yield* hooksOf(
        "providerRequest",
        () => ({ payload: { a: 1 } }),
        fail,
        ({ payload }) => ({ payload: [payload, payload] })
      )
      const around = Asking.aroundRequests(hooks)
      const sent = yield* around?.before?.({ a: 0 }, { model, sessionId: "s" }) ?? Effect.succeed(undefined)
      assert.deepStrictEqual(sent, [{ a: 1 }, { a: 1 }])
      assert.deepStrictEqual(reports, ["2 providerRequest: no"])
    })
  )

  it.scoped("the answer of a provider waits 5 seconds for a hook that watches it", () =>
    Effect.gen(function* () {
      const seen: Array<object> = []
      const { hooks, reports } = yield* hooksOf(
        "providerResponse",
        () => Effect.never,
        (event) => void seen.push(event)
      )
      const response = { status: 200, headers: { "x-id": "1" } }
      const telling = yield* Effect.fork(
        Asking.aroundRequests(hooks)?.after?.(response, { model, sessionId: "s" }) ?? Effect.void
      )
      yield* TestClock.adjust("4999 millis")
      assert.isNull(telling.unsafePoll())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(telling)
      assert.deepStrictEqual([seen, reports], [[response], ["1 providerResponse: not done after 5000 ms"]])
    })
  )
})

describe("the first answer that counts is the answer of all", () => {
  it.scoped("userCommand", () =>
    Effect.gen(function* () {
      const command = { command: "ls", cwd: "/", excludeFromContext: false }
      const result = { _tag: "Result", output: "mine", exitCode: 0 } as const
      const { hooks, reports } = yield* hooksOf(
        "userCommand",
        nothing,
        fail,
        () => result,
        () => Effect.dieMessage("not asked")
      )
      assert.deepStrictEqual(yield* Asking.userCommand(hooks, command), result)
      assert.deepStrictEqual(reports, ["2 userCommand: no"])
      const { hooks: none } = yield* hooksOf("userCommand", nothing)
      assert.isUndefined(yield* Asking.userCommand(none, command))
    })
  )

  it.scoped.each(["leaving", "branching"] as const)("%s", (point) =>
    Effect.gen(function* () {
      const asked = (hooks: HookRegistry.HookRegistry) =>
        point === "leaving"
          ? Asking.isCancelled(hooks, point, { reason: "new" })
          : Asking.isCancelled(hooks, point, { entryId: "e" })
      const { hooks } = yield* hooksOf(
        point,
        () => ({ cancel: false }),
        fail,
        () => ({ cancel: true })
      )
      assert.isTrue(yield* asked(hooks))
      const { hooks: open } = yield* hooksOf(point, () => ({ cancel: false }), fail, nothing)
      assert.isFalse(yield* asked(open))
    })
  )

  it.scoped("navigating, which is cancelled or gets a summary", () =>
    Effect.gen(function* () {
      const event = { targetId: "e", oldLeafId: null, entriesToSummarize: [], summarize: true }
      const { hooks } = yield* hooksOf(
        "navigating",
        () => ({ cancel: false }),
        () => ({ summary: { summary: "S" } })
      )
      assert.deepStrictEqual(yield* Asking.navigating(hooks, event), { summary: { summary: "S" } })
    })
  )
})

describe("hooks that are told", () => {
  it.scoped("are told one after the other; a failure is reported", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const { hooks, reports } = yield* hooksOf(
        "sessionEnding",
        () => Deferred.await(gate),
        fail,
        ({ reason }) => void told.push(reason)
      )
      const telling = yield* Effect.fork(Asking.tell(hooks, "sessionEnding", { reason: "quit" }, 2000))
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(told, [])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(telling)
      assert.deepStrictEqual([told, reports], [["quit"], ["2 sessionEnding: no"]])
    })
  )

  it.scoped("have their time also where nothing can be interrupted, and a hook that cannot be has no more", () =>
    Effect.gen(function* () {
      const { hooks, reports } = yield* hooksOf(
        "sessionEnding",
        () => Effect.never,
        () => Effect.uninterruptible(Effect.sleep("1 hour"))
      )
      const telling = Asking.tell(hooks, "sessionEnding", { reason: "quit" }, 2000)
      const fiber = yield* Effect.fork(Effect.uninterruptible(telling))
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(reports, [
        "1 sessionEnding: not done after 2000 ms",
        "2 sessionEnding: not done after 2000 ms"
      ])
    })
  )
})

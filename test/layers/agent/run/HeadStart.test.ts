import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import { type UserMessage, userMessage } from "../../../../src/domain/conversation/Message.ts"
import type { Model } from "../../../../src/domain/model/Model.ts"
import type { ContextLength } from "../../../../src/layers/agent/compaction/ContextLength.ts"
import * as HeadStart from "../../../../src/layers/agent/run/HeadStart.ts"
import * as ModelCall from "../../../../src/layers/agent/run/ModelCall.ts"
import type { Choice } from "../../../../src/layers/agent/model/ModelRequests.ts"
import * as Queues from "../../../../src/layers/agent/inbox/SessionQueue.ts"
import { ModelCatalog } from "../../../../src/services/model/ModelCatalog.ts"
import type { ModelRequest } from "../../../../src/services/model/ModelClient.ts"
import type { Session } from "../../../../src/services/session/Session.ts"
import { SessionStore } from "../../../../src/services/session/SessionStore.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import * as CompactionHarness from "../../../support/agent/CompactionHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import * as FullStore from "../../../support/sessions/FullStore.ts"
import * as ScriptedModel from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const { output, summary, tool } = Harness
const { call, failure, model, say } = ScriptedModel

const hello = userMessage("hello", [], 0)
const requestOf = ({ model, thinkingLevel }: Choice, ...messages: ReadonlyArray<UserMessage>): ModelRequest => ({
  model,
  thinkingLevel,
  systemPrompt: "",
  messages,
  tools: [],
  sessionId: "s"
})
const request = requestOf({ model, thinkingLevel: "off" }, hello)

describe("the calls of a run", () => {
  /** A call that is open, and the run it was opened for. */
  const made = Effect.gen(function* () {
    const script = yield* ScriptedModel.make([say("a"), say("b"), say("c")])
    const ahead = yield* ModelCall.open(script.client, request)
    return { ahead, calls: HeadStart.calls(script.client, ahead), script }
  })

  it.effect("begin with the one that was opened ahead, and then are opened one by one", () =>
    Effect.gen(function* () {
      const { ahead, calls, script } = yield* made
      const opened = [yield* calls.open(request), yield* calls.open(request), yield* calls.open(request)]
      assert.deepStrictEqual(
        opened.map((one) => one === ahead),
        [true, false, false]
      )
      assert.strictEqual((yield* script.requests).length, 3)
      assert.strictEqual(yield* script.open, 3)
    })
  )

  it.effect("leave out the one that was opened ahead where the run would ask something else, and close it", () =>
    Effect.gen(function* () {
      const { ahead, calls, script } = yield* made
      const other = { ...request, messages: [hello, userMessage("more", [], 0)] }
      const opened = yield* calls.open(other)
      assert.notStrictEqual(opened, ahead)
      assert.deepStrictEqual(yield* script.requests, [request, other])
      assert.strictEqual(yield* script.open, 1)
      assert.notStrictEqual(yield* calls.open(request), ahead)
    })
  )

  it.effect("close the one that was opened ahead when no turn came to use it, once", () =>
    Effect.gen(function* () {
      const { ahead, calls, script } = yield* made
      yield* calls.drop
      assert.strictEqual(yield* script.open, 0)
      yield* calls.drop
      assert.notStrictEqual(yield* calls.open(request), ahead)
    })
  )

  it.effect("leave one alone that a turn has taken", () =>
    Effect.gen(function* () {
      const { ahead, calls, script } = yield* made
      assert.strictEqual(yield* calls.open(request), ahead)
      yield* calls.drop
      assert.strictEqual(yield* script.open, 1)
    })
  )

  it.effect("are opened as they are needed where nothing was opened ahead", () =>
    Effect.gen(function* () {
      const script = yield* ScriptedModel.make([say("a")])
      const calls = HeadStart.calls(script.client, undefined)
      yield* calls.drop
      assert.strictEqual((yield* calls.open(request)).request, request)
      assert.strictEqual(yield* script.open, 1)
    })
  )
})

describe("a first call that is opened ahead", () => {
  interface Circumstances extends ScriptedModel.ScriptOptions {
    readonly turns?: ReadonlyArray<ScriptedModel.ScriptedTurn>
    readonly queued?: boolean
    readonly isLong?: ContextLength["isLong"]
    readonly dies?: boolean
  }

  const openAhead = Effect.fnUntraced(function* (circumstances: Circumstances) {
    const { dies = false, isLong = () => false, queued = false, turns = [say("a")] } = circumstances
    const script = yield* ScriptedModel.make(turns, { opensAtOnce: true, ...circumstances })
    const queues = Queues.make({ publish: () => {}, dropped: () => {} })
    if (queued) queues.add({ messageId: "m", queue: "followUp", text: "later", images: [], createdAt: 0 })
    const ahead = yield* HeadStart.make({
      client: dies ? { ...script.client, stream: () => Effect.dieMessage("kaput") } : script.client,
      choice: () => ({ model, thinkingLevel: "off" }),
      requests: (chosen, coming) => Effect.succeed(requestOf(chosen, ...(coming === undefined ? [] : [coming]))),
      queues,
      length: { recent: Effect.succeed([]), isLong }
    })(hello)
    return { ahead, requests: yield* script.requests, open: yield* script.open }
  })

  it.effect("asks what the run will ask, with the message that is about to be stored", () =>
    Effect.gen(function* () {
      const { ahead, open, requests } = yield* openAhead({})
      assert.deepStrictEqual([ahead?.request, requests, open], [request, [request], 1])
    })
  )

  const isLongWithTheMessage = (_branch: unknown, _model: Model, coming?: UserMessage) => coming === hello
  it.effect.each<readonly [string, Circumstances]>([
    ["something waits in the queue", { queued: true }],
    ["the message makes the conversation long enough for a compaction", { isLong: isLongWithTheMessage }],
    ["the model cannot be reached at once", { opensAtOnce: false }]
  ])("is not there, and nothing is asked, where %s", ([, circumstances]) =>
    Effect.gen(function* () {
      const { ahead, requests } = yield* openAhead(circumstances)
      assert.deepStrictEqual([ahead, requests], [undefined, []])
    })
  )

  it.effect("is not there, and nothing is left open, where the call cannot be opened", () =>
    Effect.gen(function* () {
      const { ahead, open, requests } = yield* openAhead({ turns: [] })
      assert.deepStrictEqual([ahead, requests.length, open], [undefined, 1, 0])
    })
  )

  it.effect("is not there where the client dies over it, so that the run can say so", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* openAhead({ dies: true })).ahead)
    })
  )
})

type Accepted = (harness: TestAgent.TestAgent) => Effect.Effect<unknown, unknown>

/** Sends a prompt and waits for its end: what the model was asked before the prompt was accepted, and in all. */
const ask = Effect.fnUntraced(function* (
  harness: TestAgent.TestAgent,
  text: string,
  accepted: Accepted = () => Effect.void
) {
  const { agent, events, script } = harness
  const [before, told] = [(yield* script.requests).length, events.length]
  let early: ReadonlyArray<ModelRequest> = []
  yield* agent.prompt({ text }, () =>
    Effect.zipRight(
      Effect.map(script.requests, (all) => void (early = all.slice(before))),
      Effect.orDie(accepted(harness))
    )
  )
  yield* agent.awaitIdle
  assert.strictEqual(yield* script.open, 0, "a call is left open")
  assert.deepStrictEqual(violations(events), [])
  return { early, all: (yield* script.requests).slice(before), words: summary(events.slice(told)) }
})

const texts = ({ messages }: ModelRequest) => messages.map(({ content }) => plainText(content))
const lastTexts = (requests: ReadonlyArray<ModelRequest>) => requests.map((each) => texts(each).at(-1))
const count = (words: ReadonlyArray<string>, wanted: string) => words.filter((word) => word === wanted).length

const far = { opensAtOnce: true } as const

describe("a prompt to a model that is far away", () => {
  it.effect("opens one call, before it is accepted, and its message is the last that the model is told", () =>
    Harness.run({ ...far, turns: [say("a"), say("b"), say("c")] }, (harness) =>
      Effect.gen(function* () {
        for (const text of ["one", "two", "three"]) {
          const { all, early, words } = yield* ask(harness, text)
          assert.deepStrictEqual([early.length, lastTexts(all)], [1, [text]])
          assert.strictEqual(count(words, "PromptFinished:completed"), 1)
        }
        assert.deepStrictEqual((yield* harness.script.requests).map(texts).at(-1), ["one", "a", "two", "b", "three"])
      })
    )
  )

  it.effect("opens the further calls of its run when they are due", () => {
    const tools = [tool("look", () => Effect.succeed(output("seen")))]
    return Harness.run({ ...far, tools, turns: [call(["A", "look", {}]), say("a")] }, (harness) =>
      Effect.gen(function* () {
        const { all, early } = yield* ask(harness, "go")
        assert.deepStrictEqual([early.length, lastTexts(all)], [1, ["go", "seen"]])
      })
    )
  })

  it.effect("opens one call also after commands and compactions that the model is told about", () =>
    CompactionHarness.run(
      { ...far, turns: [CompactionHarness.story, say("a"), say("b")], hooks: CompactionHarness.supplied },
      (harness) =>
        Effect.gen(function* () {
          const { agent } = harness
          yield* ask(harness, "Tell me a story about a loom, and make it a long one.")
          yield* agent.compact({})
          const ran = { command: "ls", output: "", exitCode: 0, cancelled: false, truncated: false, timestamp: 0 }
          yield* agent.record({ role: "bashExecution", ...ran })
          const { all, early } = yield* ask(harness, "go")
          assert.deepStrictEqual([early.length, lastTexts(all)], [1, ["go"]])
          assert.include(all.flatMap(texts).join(), "<summary>")
          assert.include(all.flatMap(texts).join(), "Ran `ls`")
          assert.strictEqual((yield* ask(harness, "on")).all.length, 1)
        })
    )
  )

  it.effect("opens none before the compaction that it makes due", () =>
    CompactionHarness.run(
      {
        ...far,
        turns: [CompactionHarness.counted(CompactionHarness.story, 800), say("a"), say("b")],
        hooks: CompactionHarness.supplied
      },
      (harness) =>
        Effect.gen(function* () {
          yield* ask(harness, "Tell me a story.")
          assert.deepStrictEqual(CompactionHarness.compactions(harness.events), [])
          const { all, early } = yield* ask(harness, "on ".repeat(100))
          assert.deepStrictEqual([early.length, all.length], [0, 1])
          assert.deepStrictEqual(CompactionHarness.compactions(harness.events), ["threshold", "threshold done"])
          assert.deepStrictEqual((yield* ask(harness, "go")).early.length, 1)
        })
    )
  )

  it.effect("that is refused opens none", () =>
    Harness.run({ ...far, turns: [say("a")], budget: { total_tokens: -1 } }, ({ agent, script }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "go" })))._tag, "BudgetExceeded")
        assert.deepStrictEqual(yield* script.requests, [])
      })
    )
  )

  it.effect("opens another call where model or level were changed while it was accepted", () => {
    const other: Model = { ...model, id: "other", reasoning: true }
    const catalog = ModelCatalog.of({
      all: Effect.succeed([model, other]),
      available: Effect.succeed([model, other]),
      isAvailable: () => Effect.succeed(true),
      find: () => Effect.succeedSome(other)
    })
    const turns = [say("a"), say("b"), say("c"), say("d")]
    return Effect.scoped(
      Effect.gen(function* () {
        const harness = yield* TestAgent.make({ ...far, turns }, { catalog })
        const first = yield* ask(harness, "one", ({ agent }) => agent.setModel("scripted", "other"))
        assert.deepStrictEqual(
          first.all.map(({ model }) => model.id),
          ["test-model", "other"]
        )
        yield* harness.agent.setThinkingLevel("low")
        const second = yield* ask(harness, "two", ({ agent }) => agent.setThinkingLevel("high"))
        assert.deepStrictEqual(
          second.all.map(({ thinkingLevel }) => thinkingLevel),
          ["low", "high"]
        )
        assert.deepStrictEqual(lastTexts([...first.all, ...second.all]), ["one", "one", "two", "two"])
      })
    )
  })
})

describe("an abort", () => {
  const hang = { events: [], after: "hang" } as const
  const aborted = ["RunEnded", "PromptFinished:aborted", "RunSettled", "SessionSettled"]

  it.effect("as soon as the prompt is accepted closes the call, and the run ends once", () =>
    Harness.run({ ...far, turns: [hang, say("b")] }, (harness) =>
      Effect.gen(function* () {
        const { agent, events, script } = harness
        yield* agent.prompt({ text: "go" })
        assert.strictEqual(yield* script.open, 1)
        yield* agent.abort
        assert.strictEqual(yield* script.open, 0)
        assert.deepStrictEqual(lastTexts(yield* script.requests), ["go"])
        assert.deepStrictEqual(summary(events).slice(-4), aborted)
        const { all, words } = yield* ask(harness, "next")
        assert.deepStrictEqual([all.length, count(words, "PromptFinished:completed")], [1, 1])
        assert.strictEqual(count(summary(events), "RunEnded"), 2)
      })
    )
  )

  it.effect("while the prompt is being accepted leaves no run behind", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const before = Effect.as(Deferred.succeed(asked, undefined), [])
      yield* Harness.run({ ...far, turns: [{ ...hang, before }] }, ({ agent, script }) =>
        Effect.gen(function* () {
          const prompting = yield* Effect.fork(agent.prompt({ text: "go" }))
          yield* Deferred.await(asked)
          yield* agent.abort
          yield* Fiber.await(prompting)
          assert.isFalse((yield* agent.state).isStreaming)
          assert.strictEqual(yield* script.open, 0)
        })
      )
    })
  )
})

describe("a message that is queued together with a prompt", () => {
  const turns = [say("a"), say("b"), say("c")]
  const steer: Accepted = ({ agent }) => agent.enqueue("steering", { text: "S" })
  const followUp: Accepted = ({ agent }) => agent.enqueue("followUp", { text: "F" })

  it.effect("before it is part of the first call, which is opened when both are stored", () =>
    Harness.run({ ...far, turns }, (harness) =>
      Effect.gen(function* () {
        yield* steer(harness)
        yield* followUp(harness)
        const { all, early } = yield* ask(harness, "go")
        assert.deepStrictEqual(early, [])
        assert.deepStrictEqual(all.map(texts), [["go", "S", "F"]])
      })
    )
  )

  it.effect.each<readonly [string, Accepted, ReadonlyArray<ReadonlyArray<string>>]>([
    ["is part of the first call, which is opened anew", steer, [["go"], ["go", "S"]]],
    ["comes when the model would stop", followUp, [["go"], ["go", "a", "F"]]]
  ])("while it is accepted %s", ([, accepted, told]) =>
    Harness.run({ ...far, turns }, (harness) =>
      Effect.gen(function* () {
        const { all, early, words } = yield* ask(harness, "go", accepted)
        assert.strictEqual(early.length, 1)
        assert.deepStrictEqual(all.map(texts), told)
        assert.strictEqual(count(words, "MessageEnded:user"), 2)
        assert.strictEqual(count(words, "RunEnded"), 1)
      })
    )
  )

  it.effect.each<readonly [string, Accepted, ReadonlyArray<ReadonlyArray<string>>]>([
    ["is part of the first call, which is opened anew", steer, [["go"], ["go", "S"]]],
    ["comes when the model would stop", followUp, [["go"], ["go", "a", "F"]]]
  ])("as soon as the model is asked %s", ([, act, told]) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const before = Effect.as(Deferred.succeed(asked, undefined), [])
      yield* Harness.run({ ...far, turns: [{ ...say("a"), before }, say("a"), say("b")] }, (harness) =>
        Effect.gen(function* () {
          const { agent, events, script } = harness
          const prompting = yield* Effect.fork(agent.prompt({ text: "go" }))
          yield* Deferred.await(asked)
          assert.deepStrictEqual(events, [])
          yield* act(harness)
          yield* Fiber.join(prompting)
          yield* agent.awaitIdle
          assert.deepStrictEqual((yield* script.requests).map(texts), told)
          assert.strictEqual(yield* script.open, 0)
          assert.deepStrictEqual(violations(events), [])
        })
      )
    })
  )

  it.effect("after it comes with the next turn", () =>
    Harness.run({ ...far, turns }, (harness) =>
      Effect.gen(function* () {
        const { agent, script } = harness
        yield* agent.prompt({ text: "go" })
        yield* steer(harness)
        yield* agent.awaitIdle
        assert.deepStrictEqual((yield* script.requests).map(texts), [["go"], ["go", "a", "S"]])
        assert.strictEqual(yield* script.open, 0)
      })
    )
  )
})

describe("a call that was opened ahead", () => {
  it.effect.each(["stored", "answered"] as const)(
    "is closed when its prompt cannot be %s, and the next one works",
    (step) =>
      Effect.scoped(
        Effect.gen(function* () {
          let broken = true
          const breaks = Effect.suspend(() => (broken ? Effect.dieMessage("kaput") : Effect.void))
          const watch = (session: typeof Session.Service) => ({
            ...session,
            append: (...entry: Parameters<typeof session.append>) =>
              Effect.zipRight(step === "stored" ? breaks : Effect.void, session.append(...entry))
          })
          const harness = yield* TestAgent.make({ ...far, turns: [say("a"), say("b")] }, { watch })
          const { agent, events, script } = harness
          const accepted = () => (step === "answered" ? breaks : Effect.void)
          const exit = yield* Effect.exit(agent.prompt({ text: "lost" }, accepted))
          assert.isTrue(Exit.isFailure(exit))
          assert.deepStrictEqual([lastTexts(yield* script.requests), yield* script.open], [["lost"], 0])
          assert.deepStrictEqual(events, [])
          assert.isFalse((yield* agent.state).isStreaming)
          broken = false
          const { all, words } = yield* ask(harness, "next")
          assert.deepStrictEqual([lastTexts(all), count(words, "PromptFinished:completed")], [["next"], 1])
        })
      )
  )

  it.effect("is used where the store is full and the session goes on in memory", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const store = Effect.provide(SessionStore, FullStore.layer({ cwd: "/" }))
        const harness = yield* TestAgent.make({ ...far, turns: [say("a")] }, { store })
        const { all, early } = yield* ask(harness, "go")
        assert.deepStrictEqual([early.length, lastTexts(all)], [1, ["go"]])
      })
    )
  )

  it.effect("is closed when the agent ends before its run has begun", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const [reached, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { agent, script } = yield* Scope.extend(TestAgent.make({ ...far, turns: [say("a")] }), scope)
      const accepted = () => Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(goOn))
      const prompting = yield* Effect.fork(agent.prompt({ text: "go" }, accepted))
      yield* Deferred.await(reached)
      assert.strictEqual(yield* script.open, 1)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.await(prompting)
      assert.strictEqual(yield* script.open, 0)
    })
  )

  it.effect("and fails is tried again as any other, by calls of the run", () => {
    const turns = [{ events: [], after: failure("overloaded", "529") }, say("a")]
    return Harness.run({ ...far, turns, settings: { "retry.baseDelayMs": 0 } }, (harness) =>
      Effect.gen(function* () {
        const { all, early, words } = yield* ask(harness, "go")
        assert.deepStrictEqual([early.length, lastTexts(all)], [1, ["go", "go"]])
        assert.deepStrictEqual(
          ["RetryScheduled", "RetryEnded", "PromptFinished:completed"].map((word) => count(words, word)),
          [1, 1, 1]
        )
      })
    )
  })
})

describe("a call that cannot be opened ahead", () => {
  it.effect("is opened by the run, which says what is wrong with it", () =>
    Harness.run({ ...far, turns: [] }, (harness) =>
      Effect.gen(function* () {
        const { words } = yield* ask(harness, "go")
        assert.strictEqual(count(words, "PromptFinished:error"), 1)
        const end = harness.events.find((event) => event._tag === "PromptFinished")
        assert.match(end?._tag === "PromptFinished" ? (end.error?.message ?? "") : "", /^the script ran out at call 2$/)
      })
    )
  )

  it.effect("for want of a key refuses the prompt", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const script = yield* ScriptedModel.make([])
        const catalog = ModelCatalog.of({ ...script.catalog, isAvailable: () => Effect.succeed(false) })
        const { agent, events } = yield* TestAgent.make({ ...far, turns: [] }, { catalog })
        assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "go" })))._tag, "MissingCredentials")
        assert.deepStrictEqual([events, yield* agent.messages], [[], []])
      })
    )
  )

  it.effect("for want of a model refuses the prompt", () =>
    Harness.run({ turns: [], modelless: true }, ({ agent, events }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "go" })))._tag, "NoModelSelected")
        assert.deepStrictEqual(events, [])
      })
    )
  )
})

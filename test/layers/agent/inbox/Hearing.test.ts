/** What hooks make of a message before it is accepted, and after it (protocol.md 3.1, supplement 1.2). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import * as HookLayer from "../../../../src/layers/hooks/HookLayer.ts"
import type { Input, InputDecision } from "../../../../src/services/hooks/HookPoints.ts"
import { output, tool } from "../../../support/agent/AgentHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call, say } from "../../../support/agent/ScriptedModel.ts"
import { expand, run } from "../../../support/agent/SlashFakes.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"
import { settle } from "../../../support/hooks/RelayHarness.ts"
import { userPrompt } from "../../../../src/services/Agent.ts"

const handled: InputDecision = { _tag: "Handled" }
const transformed = (text: string): InputDecision => ({ _tag: "Transform", text })

const said = (session: TestAgent.TestAgent["session"]) =>
  Effect.map(session.messages, (messages) =>
    messages.flatMap((message) => (message.role === "user" ? [plainText(message.content)] : []))
  )
const ends = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [`${event.requestId} ${event.status}`] : []))

/** A hook that waits until it is told what to answer. */
const gatedHook = Effect.gen(function* () {
  const decision = yield* Deferred.make<InputDecision>()
  const ended = yield* Deferred.make<void>()
  const asked: Array<string> = []
  const hook = ({ text }: Input) => {
    asked.push(text)
    return Effect.onInterrupt(Deferred.await(decision), () => Deferred.succeed(ended, undefined))
  }
  return { hook, asked, decide: (answer: InputDecision) => Deferred.succeed(decision, answer), ended }
})

describe("a prompt", () => {
  it.scoped("continues, is transformed, or is handled; hooks are told who sent it", () =>
    Effect.gen(function* () {
      const seen: Array<Input> = []
      const { agent, events, session } = yield* TestAgent.make(
        { turns: [say("1"), say("2"), say("3")] },
        {
          hooks: {
            input: (event) => {
              seen.push(event)
              if (event.text === "drop") return handled
              return event.text === "change" ? transformed("changed") : undefined
            }
          }
        }
      )
      for (const text of ["keep", "change"]) {
        assert.strictEqual((yield* agent.prompt({ text, requestId: text })).disposition, "started")
        yield* agent.awaitIdle
      }
      const before = (yield* session.entries).length
      assert.deepStrictEqual(yield* agent.prompt({ text: "drop", requestId: "drop", clientMessageId: "c" }), {
        disposition: "handled",
        clientMessageId: "c",
        agentInvoked: false
      })
      assert.strictEqual((yield* session.entries).length, before)
      const again = yield* agent.prompt({ text: "drop", clientMessageId: "c" })
      assert.deepStrictEqual([again.disposition, again.duplicate], ["handled", true])
      yield* agent.prompt(userPrompt("own"))
      yield* agent.awaitIdle
      assert.deepStrictEqual(yield* said(session), ["keep", "changed", "own"])
      assert.deepStrictEqual(ends(events), ["keep completed", "change completed"])
      assert.deepStrictEqual(
        seen.map(({ source, text }) => `${source} ${text}`),
        ["host keep", "host change", "host drop", "extension own"]
      )
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("comes to hooks behind commands, and before templates; a literal one comes to neither", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { agent, session, slashCommands } = yield* TestAgent.make(
        { turns: [say("1"), say("2")] },
        {
          hooks: {
            input: ({ text }) => {
              seen.push(text)
              return text === "look" ? transformed("/look here") : undefined
            }
          }
        }
      )
      yield* slashCommands.register(run("now", () => Effect.void))
      yield* slashCommands.register(expand("look", (args) => Effect.succeed(`Look ${args}!`)))
      assert.strictEqual((yield* agent.prompt({ text: "/now" })).disposition, "handled")
      yield* Effect.zipRight(agent.prompt({ text: "look" }), agent.awaitIdle)
      yield* Effect.zipRight(agent.prompt({ text: "/look", literal: true }), agent.awaitIdle)
      assert.deepStrictEqual([seen, yield* said(session)], [["look"], ["Look here!", "/look"]])
    })
  )

  it.scoped("that was sent before is known by what was sent, whatever hooks have made of it", () =>
    Effect.gen(function* () {
      const { agent } = yield* TestAgent.make(
        { turns: [say("1")] },
        { hooks: { input: ({ text }) => transformed(`${text}!`) } }
      )
      yield* Effect.zipRight(agent.prompt({ text: "go", clientMessageId: "c" }), agent.awaitIdle)
      assert.isTrue((yield* agent.prompt({ text: "go", clientMessageId: "c" })).duplicate)
      const other = yield* Effect.flip(agent.prompt({ text: "go!", clientMessageId: "c" }))
      assert.strictEqual(other._tag, "ClientMessageConflict")
    })
  )

  it.scoped("is as it was where a hook fails, which is reported", () =>
    Effect.gen(function* () {
      const { agent, events, session } = yield* TestAgent.make(
        { turns: [say("1")] },
        { hooks: { input: () => Effect.fail({ message: "no" }) } }
      )
      yield* Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle)
      assert.deepStrictEqual(yield* said(session), ["go"])
      assert.deepStrictEqual(events[0], {
        _tag: "ExtensionFailed",
        extensionPath: "test",
        event: "input",
        error: "no"
      })
    })
  )

  it.scoped("is withdrawn by an abort while a hook looks at it: the hook ends, and nothing is stored", () =>
    Effect.gen(function* () {
      const { ended, hook } = yield* gatedHook
      const { agent, events, session } = yield* TestAgent.make({}, { hooks: { input: hook } })
      const asking = yield* Effect.fork(Effect.flip(agent.prompt({ text: "go" })))
      yield* settle
      yield* agent.abort()
      yield* Deferred.await(ended)
      assert.strictEqual((yield* Fiber.join(asking))._tag, "PromptWithdrawn")
      assert.deepStrictEqual([events, yield* session.entries], [[], []])
    })
  )
})

describe("messages for the queue", () => {
  const busy = (input: (event: Input) => Effect.Effect<InputDecision | void> | InputDecision | void) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const began = yield* Deferred.make<void>()
      const waits = tool("waits", () =>
        Deferred.succeed(began, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(output("done")))
      )
      const turns = [call(["c", "waits", {}]), say("1"), say("2"), say("3"), say("4")]
      const made = yield* TestAgent.make(
        { turns, tools: [waits] },
        { hooks: { input: (event) => (event.text === "go" ? undefined : input(event)) } }
      )
      yield* made.agent.prompt({ text: "go", requestId: "go" })
      yield* Deferred.await(began)
      return { ...made, agent: made.agent, session: made.session, go: Deferred.succeed(gate, undefined) }
    })

  it.scoped("are transformed or handled, too, and hooks are told which queue they join", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { agent, events, go, session } = yield* busy(({ text, whenBusy }) => {
        seen.push(`${text} ${whenBusy}`)
        return text === "drop" ? handled : transformed(`${text}!`)
      })
      assert.strictEqual((yield* agent.enqueue("steering", { text: "s" })).disposition, "queued")
      assert.strictEqual((yield* agent.enqueue("followUp", { text: "f" })).disposition, "queued")
      assert.strictEqual(
        (yield* agent.prompt({ text: "p", requestId: "p", whenBusy: "followUp" })).disposition,
        "queued"
      )
      assert.deepStrictEqual(yield* agent.enqueue("steering", { text: "drop" }), {
        disposition: "handled",
        agentInvoked: false
      })
      assert.deepStrictEqual(yield* agent.prompt({ text: "drop", requestId: "d", whenBusy: "steering" }), {
        disposition: "handled",
        agentInvoked: false
      })
      yield* go
      yield* agent.awaitIdle
      assert.deepStrictEqual(seen, ["s steering", "f followUp", "p followUp", "drop steering", "drop steering"])
      assert.deepStrictEqual(yield* said(session), ["go", "s!", "f!", "p!"])
      assert.deepStrictEqual(ends(events), ["go completed", "p completed"])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("are queued when their text is prepared, however long a hook takes", () =>
    Effect.gen(function* () {
      const decision = yield* Deferred.make<InputDecision>()
      const { agent, events, go, session } = yield* busy(() => Deferred.await(decision))
      const steering = yield* Effect.fork(agent.enqueue("steering", { text: "s" }))
      const prompting = yield* Effect.fork(agent.prompt({ text: "p", requestId: "p", whenBusy: "followUp" }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([steering.unsafePoll(), prompting.unsafePoll()], [null, null])
      yield* Deferred.succeed(decision, transformed("changed"))
      assert.strictEqual((yield* Fiber.join(steering)).disposition, "queued")
      assert.strictEqual((yield* Fiber.join(prompting)).disposition, "queued")
      yield* go
      yield* agent.awaitIdle
      assert.deepStrictEqual(yield* said(session), ["go", "changed", "changed"])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("are withdrawn by an abort while a hook looks at them: the hooks end", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const { agent, events, session } = yield* busy(({ text }) =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(text)))
      )
      const steering = yield* Effect.fork(Effect.flip(agent.enqueue("steering", { text: "s" })))
      const prompting = yield* Effect.fork(
        Effect.flip(agent.prompt({ text: "p", requestId: "p", whenBusy: "followUp" }))
      )
      yield* settle
      yield* agent.abort()
      assert.strictEqual((yield* Fiber.join(steering))._tag, "PromptWithdrawn")
      assert.strictEqual((yield* Fiber.join(prompting))._tag, "PromptWithdrawn")
      assert.deepStrictEqual(ended.toSorted(), ["p", "s"])
      assert.deepStrictEqual([yield* said(session), ends(events)], [["go"], ["go aborted"]])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("a command cannot be queued, with hooks as without", () =>
    Effect.gen(function* () {
      const { agent, go, slashCommands } = yield* busy(() => transformed("never"))
      yield* slashCommands.register(run("now", () => Effect.void))
      assert.strictEqual((yield* Effect.flip(agent.enqueue("steering", { text: "/now" })))._tag, "CommandNotQueueable")
      yield* Effect.zipRight(go, agent.awaitIdle)
    })
  )
})

describe("a prompt that a hook looks at for long", () => {
  const slow = (script: Parameters<typeof TestAgent.make>[0] = { turns: [say("1"), say("2")] }) =>
    Effect.gen(function* () {
      const { asked, decide, ended, hook } = yield* gatedHook
      const made = yield* TestAgent.make(script, { hooks: { input: hook } })
      const prompt = made.agent.prompt({ text: "go", requestId: "r", clientMessageId: "c" })
      const asking = yield* Effect.fork(prompt)
      yield* TestClock.adjust("1 hour")
      assert.isNull(asking.unsafePoll())
      assert.deepStrictEqual([made.events, yield* made.session.entries], [[], []])
      assert.isFalse((yield* made.agent.state).isStreaming)
      return { ...made, agent: made.agent, events: made.events, session: made.session, asked, decide, ended, asking }
    })

  it.scoped("is accepted when the hook is done", () =>
    Effect.gen(function* () {
      const { agent, asked, asking, decide, events, session } = yield* slow()
      yield* decide(transformed("changed"))
      assert.deepInclude(yield* Fiber.join(asking), { disposition: "started", runId: "run_1", clientMessageId: "c" })
      yield* agent.awaitIdle
      assert.deepStrictEqual([asked, yield* said(session), ends(events)], [["go"], ["changed"], ["r completed"]])
      assert.isTrue((yield* agent.prompt({ text: "go", clientMessageId: "c" })).duplicate)
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("is handled without a run if the hook deals with it", () =>
    Effect.gen(function* () {
      const { asking, decide, events, session } = yield* slow()
      yield* decide(handled)
      const receipt = { disposition: "handled", clientMessageId: "c", agentInvoked: false } as const
      assert.deepStrictEqual(yield* Fiber.join(asking), receipt)
      assert.deepStrictEqual([events, yield* session.entries], [[], []])
    })
  )

  it.scoped("is withdrawn when its sender goes away: the hook ends, and the same message may come again", () =>
    Effect.gen(function* () {
      const { agent, asking, ended, events, session } = yield* slow()
      yield* Fiber.interrupt(asking)
      yield* Deferred.await(ended)
      assert.deepStrictEqual([events, yield* session.entries], [[], []])
      const again = { text: "go", clientMessageId: "c", literal: true } as const
      assert.strictEqual((yield* agent.prompt(again)).disposition, "started")
      yield* agent.awaitIdle
    })
  )

  it.scoped("is refused then if nothing can run it", () =>
    Effect.gen(function* () {
      const { asking, decide, events, session } = yield* slow({ modelless: true })
      yield* decide(transformed("changed"))
      assert.strictEqual((yield* Effect.flip(Fiber.join(asking)))._tag, "NoModelSelected")
      assert.deepStrictEqual([events, yield* session.entries], [[], []])
    })
  )
})

describe("while contributors join", () => {
  const joining = Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const log: Array<string> = []
    const contributors = HookLayer.layer("own", { input: ({ text }) => transformed(`${text}!`) }).pipe(
      Layer.provideMerge(
        HookLayer.contributor({
          name: "slow",
          join: () =>
            Effect.zipRight(
              Effect.sync(() => log.push("joins")),
              Deferred.await(gate)
            )
        })
      )
    )
    const made = yield* TestAgent.make({ turns: [say("1"), say("2")] }, { contributors })
    return { ...made, agent: made.agent, log, join: Deferred.succeed(gate, undefined) }
  })

  it.scoped("a prompt waits, and what needs no contributor does not", () =>
    Effect.gen(function* () {
      const { agent, join, log, session, startup } = yield* joining
      const asking = yield* Effect.fork(agent.prompt({ text: "go" }))
      yield* settle
      assert.deepStrictEqual([log, asking.unsafePoll(), startup.isOver()], [["joins"], null, false])
      assert.isFalse((yield* agent.state).isStreaming)
      assert.deepStrictEqual(yield* session.messages, [])
      yield* join
      yield* Fiber.join(asking)
      yield* agent.awaitIdle
      assert.deepStrictEqual([yield* said(session), startup.isOver()], [["go!"], true])
    })
  )

  it.scoped("an abort withdraws a prompt that waits, and contributors go on", () =>
    Effect.gen(function* () {
      const { agent, join, log, startup } = yield* joining
      const asking = yield* Effect.fork(Effect.flip(agent.prompt({ text: "go" })))
      yield* settle
      yield* agent.abort()
      assert.strictEqual((yield* Fiber.join(asking))._tag, "PromptWithdrawn")
      yield* join
      yield* startup.started
      assert.deepStrictEqual(log, ["joins"])
    })
  )

  it.scoped("a prompt that names a command waits for them, too, and is handled then", () =>
    Effect.gen(function* () {
      const { agent, events, join, session, slashCommands } = yield* joining
      const given: Array<string> = []
      yield* slashCommands.register(run("now", (args) => Effect.sync(() => given.push(args))))
      const asking = yield* Effect.fork(agent.prompt({ text: "/now x", requestId: "r" }))
      yield* TestClock.adjust("1 hour")
      assert.isNull(asking.unsafePoll())
      yield* join
      assert.deepStrictEqual(yield* Fiber.join(asking), { disposition: "handled", agentInvoked: false })
      assert.deepStrictEqual([given, yield* said(session), ends(events)], [["x"], [], []])
    })
  )

  it.scoped("one that dies is reported, and the others join", () =>
    Effect.gen(function* () {
      const contributors = HookLayer.layer("own", { input: ({ text }) => transformed(`${text}!`) }).pipe(
        Layer.provideMerge(HookLayer.contributor({ name: "dead", join: () => Effect.dieMessage("cannot load") }))
      )
      const { agent, events, session } = yield* TestAgent.make({ turns: [say("1")] }, { contributors })
      yield* Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle)
      assert.deepStrictEqual(yield* said(session), ["go!"])
      assert.deepStrictEqual(events[0], {
        _tag: "ExtensionFailed",
        extensionPath: "dead",
        event: "load",
        error: "cannot load"
      })
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import * as Fibers from "../../../support/agent/Fibers.ts"
import { call, say } from "../../../support/agent/ScriptedModel.ts"
import { expand, failure, run } from "../../../support/agent/SlashFakes.ts"

const { output, summary, tool } = Harness

/** Failures of commands and ends of prompts, whole. */
const reports = (events: ReadonlyArray<AgentEvent>) =>
  events.filter(({ _tag }) => ["ExtensionFailed", "PromptFinished", "SessionSettled"].includes(_tag))

const finished = (
  status: "completed" | "aborted" | "error",
  requestId: string,
  more: Partial<Extract<AgentEvent, { _tag: "PromptFinished" }>> = {}
): AgentEvent => ({ _tag: "PromptFinished", requestId, status, sessionSettled: true, ...more })
const settled: AgentEvent = { _tag: "SessionSettled" }

/** A command that waits until it is let go. */
const gated = Effect.map(
  Effect.all([Deferred.make<void>(), Deferred.make<string>()]),
  ([gate, given]) =>
    ({
      open: Deferred.succeed(gate, undefined),
      given: Deferred.await(given),
      command: run("gated", (args) => Effect.zipRight(Deferred.succeed(given, args), Deferred.await(gate)))
    }) as const
)

it.scoped("a command gets what stands behind its name, and needs no model", () =>
  Harness.run({ turns: [], modelless: true }, ({ agent, events, session, slashCommands }) =>
    Effect.gen(function* () {
      const given: Array<string> = []
      yield* slashCommands.register(run("say", (args) => Effect.sync(() => given.push(args))))
      for (const text of ["/say", "/say a  b", "/say\nline\nline ", "/say "]) {
        assert.deepStrictEqual(yield* agent.prompt({ text, requestId: "r" }), {
          disposition: "handled",
          agentInvoked: false
        })
      }
      assert.deepStrictEqual(given, ["", "a  b", "line\nline ", ""])
      assert.deepStrictEqual(reports(events), [])
      assert.deepStrictEqual(yield* session.entries, [])
      for (const text of ["/sayso", " /say", "say", "/ say", "/say:1"]) {
        assert.strictEqual((yield* Effect.flip(agent.prompt({ text })))._tag, "NoModelSelected", text)
      }
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "/say x", literal: true })))._tag, "NoModelSelected")
      assert.strictEqual(given.length, 4)
    })
  )
)

it.scoped("a command that goes on is a node that can be cancelled, and is reported once when it ends", () =>
  Harness.run({ turns: [] }, ({ agent, events, slashCommands, supervision }) =>
    Effect.gen(function* () {
      const { command, given, open } = yield* gated
      yield* slashCommands.register(command)
      const answered: Array<object> = []
      const ask = (requestId: string) =>
        agent.prompt({ text: "/gated now", requestId }, (receipt) => Effect.sync(() => answered.push(receipt)))
      assert.deepStrictEqual(yield* ask("r1"), { disposition: "handled" })
      assert.strictEqual(yield* given, "now")
      const node = Fibers.find(supervision.root, "command")
      assert.deepStrictEqual([node?.spec.label, node?.spec.refs], ["/gated", { requestId: "r1" }])
      assert.isFalse((yield* agent.state).isSettled)
      yield* ask("r2")
      const outcome = yield* supervision.cancel(node?.id ?? "", 1000)
      assert.deepStrictEqual(outcome.outcome, "cancelled")
      yield* open
      yield* Effect.repeatN(EventLoop.nextTurn, 3)
      assert.deepStrictEqual(answered, [{ disposition: "handled" }, { disposition: "handled" }])
      assert.deepStrictEqual(reports(events), [
        finished("aborted", "r1", { sessionSettled: false }),
        finished("completed", "r2"),
        settled
      ])
      assert.isTrue((yield* agent.state).isSettled)
      assert.deepStrictEqual(Fibers.paths(supervision.root), ["session"])
    })
  )
)

it.scoped("a failure and a defect of a command are reported, and the prompt is handled all the same", () =>
  Harness.run({ turns: [] }, ({ agent, events, slashCommands }) =>
    Effect.gen(function* () {
      yield* slashCommands.register(run("bad", () => failure("bad", "went wrong")))
      yield* slashCommands.register(run("worse", () => Effect.dieMessage("x".repeat(10_000))))
      yield* slashCommands.register(
        run("later", () => Effect.zipRight(Effect.repeatN(EventLoop.nextTurn, 5), failure("later", "late")))
      )
      const failed = (name: string, error: string) =>
        ({ _tag: "ExtensionFailed", extensionPath: `command:${name}`, event: "command", error }) as const
      assert.isFalse((yield* agent.prompt({ text: "/bad" })).agentInvoked)
      assert.isFalse((yield* agent.prompt({ text: "/worse" })).agentInvoked)
      assert.notProperty(yield* agent.prompt({ text: "/later", requestId: "l" }), "agentInvoked")
      yield* Effect.repeatN(EventLoop.nextTurn, 10)
      assert.deepStrictEqual(reports(events), [
        failed("bad", "went wrong"),
        failed("worse", `${"x".repeat(4000)}…`),
        failed("later", "late"),
        finished("error", "l", { error: { message: "late", retryable: false } }),
        settled
      ])
    })
  )
)

it.scoped("a command may send prompts, and the session settles with whatever comes last", () =>
  Harness.run({ turns: [say("one"), say("two")] }, ({ agent, events, slashCommands }) =>
    Effect.gen(function* () {
      const ask = (text: string) => Effect.orDie(Effect.zipRight(agent.prompt({ text }), agent.awaitIdle))
      yield* slashCommands.register(run("twice", (text) => Effect.zipRight(ask(text), ask(text))))
      assert.deepStrictEqual(yield* agent.prompt({ text: "/twice go", requestId: "r" }), { disposition: "handled" })
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => events.at(-1)?._tag === "SessionSettled" })
      const run_ = ["RunEnded", "PromptFinished:completed", "RunSettled"]
      const of = (words: ReadonlyArray<string>) => words.filter((word) => !/^(Commands|Message|Turn)/.test(word))
      assert.deepStrictEqual(of(summary(events)), [
        "RunStarted",
        ...run_,
        "RunStarted",
        ...run_,
        "PromptFinished:completed",
        "SessionSettled"
      ])
    })
  )
)

it.scoped("during a run a command runs beside it, and templates are expanded for the queue", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const waits = tool("waits", () =>
      Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(output("done")))
    )
    yield* Harness.run(
      { turns: [call(["c1", "waits", {}]), say("steered")], tools: [waits] },
      ({ agent, events, session, slashCommands }) =>
        Effect.gen(function* () {
          yield* slashCommands.register(run("now", () => Effect.void))
          yield* slashCommands.register(expand("look", (args) => Effect.succeed(`Look at ${args}`)))
          yield* slashCommands.register(expand("lost", () => failure("lost", "no file")))
          yield* agent.prompt({ text: "go" })
          yield* Deferred.await(begun)
          assert.isFalse((yield* agent.prompt({ text: "/now" })).agentInvoked)
          const refused = yield* Effect.flip(agent.enqueue("steering", { text: "/now x" }))
          assert.deepStrictEqual(
            [refused._tag, refused.message],
            [
              "CommandNotQueueable",
              'Extension command "/now" cannot be queued. Use prompt() or execute the command when not streaming.'
            ]
          )
          assert.strictEqual((yield* Effect.flip(agent.enqueue("followUp", { text: "/lost" }))).message, "no file")
          assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "/lost" }))).message, "no file")
          yield* agent.enqueue("steering", { text: "/look here" })
          yield* agent.enqueue("steering", { text: "/now", literal: true })
          yield* Deferred.succeed(gate, undefined)
          yield* agent.awaitIdle
          const said = (yield* session.messages).flatMap((message) =>
            message.role === "user" ? message.content.map((block) => ("text" in block ? block.text : "")) : []
          )
          assert.deepStrictEqual(said, ["go", "Look at here", "/now"])
          assert.deepStrictEqual(reports(events).length, 2)
        })
    )
  })
)

it.scoped("the same client message does not carry out a command twice", () =>
  Harness.run({ turns: [] }, ({ agent, events, slashCommands }) =>
    Effect.gen(function* () {
      let count = 0
      const { command, open } = yield* gated
      yield* slashCommands.register(run("count", () => Effect.sync(() => count++)))
      yield* slashCommands.register(command)
      const once = { text: "/count", clientMessageId: "c1" }
      const receipt = { disposition: "handled", clientMessageId: "c1", agentInvoked: false } as const
      assert.deepStrictEqual(yield* agent.prompt(once), receipt)
      assert.deepStrictEqual(yield* agent.prompt(once), { ...receipt, duplicate: true })
      assert.strictEqual(count, 1)
      const other = yield* Effect.flip(agent.prompt({ ...once, text: "/count more" }))
      assert.strictEqual(other._tag, "ClientMessageConflict")
      const slow = { text: "/gated", clientMessageId: "c2" }
      yield* agent.prompt({ ...slow, requestId: "r1" })
      yield* agent.prompt({ ...slow, requestId: "r2" })
      yield* open
      yield* Effect.repeatN(EventLoop.nextTurn, 3)
      const again = yield* agent.prompt({ ...slow, requestId: "r3" })
      assert.deepStrictEqual(again, { disposition: "handled", clientMessageId: "c2", duplicate: true })
      const ends = [finished("completed", "r1"), finished("completed", "r2"), settled, finished("completed", "r3")]
      assert.deepStrictEqual(reports(events), ends)
    })
  )
)

it.scoped("a command that changes the session is not ended by it; others are", () =>
  Harness.run({ turns: [] }, (harness) =>
    Effect.gen(function* () {
      const { agent, events, sessions, slashCommands } = harness
      const { command } = yield* gated
      const changes = yield* sessions.changes
      const after = yield* Deferred.make<string>()
      yield* slashCommands.register(command)
      yield* slashCommands.register(
        run("fresh", () =>
          Effect.zipRight(
            Effect.orDie(changes.create({})),
            Effect.flatMap(
              Effect.suspend(() => harness.session.info),
              ({ sessionId }) => Deferred.succeed(after, sessionId)
            )
          )
        )
      )
      yield* agent.prompt({ text: "/gated", requestId: "other" })
      const asking = yield* Effect.fork(agent.prompt({ text: "/fresh", requestId: "own" }))
      assert.strictEqual(yield* Deferred.await(after), "session-2")
      // For its sender it has ended with the change of session.
      assert.deepStrictEqual(yield* Fiber.join(asking), { disposition: "handled", agentInvoked: false })
      yield* Effect.repeatN(EventLoop.nextTurn, 3)
      assert.deepStrictEqual(reports(events), [finished("aborted", "other"), settled])
      assert.deepStrictEqual(Fibers.paths(harness.supervision.root), ["session"])
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "/gated" })))._tag, "AgentClosing")
    })
  )
)

it.scoped("a prompt that is given up while its command begins takes the command along", () =>
  Harness.run({ turns: [] }, ({ agent, events, slashCommands }) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const never = Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
      yield* slashCommands.register(run("stuck", () => never))
      const asking = yield* Effect.fork(agent.prompt({ text: "/stuck", requestId: "r" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(asking)
      yield* Deferred.await(ended)
      assert.deepStrictEqual(reports(events), [])
      assert.isTrue((yield* agent.state).isSettled)
    })
  )
)

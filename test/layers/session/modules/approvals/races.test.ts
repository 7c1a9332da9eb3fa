/**
 * What may happen to a question, against what it may be about: at most one execution, never after a denial, and always one end of
 * the question.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber } from "effect"
import type { Decision } from "../../../../../src/domain/approvals/Question.ts"
import * as EventLoop from "../../../../../src/layers/machine/engine/EventLoop.ts"
import type { HookSet } from "../../../../../src/layers/session/modules/hooks/HookLayer.ts"
import { output, resultTexts, tool } from "../../../../support/agent/AgentHarness.ts"
import * as Delegating from "../../../../support/agent/Delegating.ts"
import { call, say } from "../../../../support/agent/ScriptedModel.ts"

const kinds = ["builtin", "host", "extension", "subagent", "user", "verification"] as const
type Kind = (typeof kinds)[number]

const command = "echo x >> runs"
const counted = { builtin: "bash", subagent: "bash", host: "count", extension: "count", user: "", verification: "" }

const until = (isSo: () => boolean) => Effect.repeat(EventLoop.nextTurn, { until: isSo })

/** An effect of this kind that has come to its question. */
const play = Effect.fnUntraced(function* (kind: Kind, timeoutMs = 60_000, hooks: HookSet = {}) {
  let count = 0
  const run = () =>
    Effect.sync(() => {
      count++
      return output("done")
    })
  const gone = yield* Deferred.make<void>()
  const name = counted[kind]
  const effect = call(["c1", name, name === "bash" ? { command } : {}])
  const harness = yield* Delegating.make({
    settings: { "approvals.mode": "ask", "approvals.timeoutMs": timeoutMs },
    approve: () => Effect.zipRight(Deferred.await(gone), Effect.dieMessage("the host is gone")),
    hooks,
    hostTools: kind === "host" ? [{ name: "count", description: "", parameters: { type: "object" }, call: run }] : [],
    answer: (request, nth) => {
      if (Delegating.assignmentOf(request).includes("count it")) return request.messages.length > 1 ? say("ok") : effect
      if (nth > 1) return say("ok")
      if (kind !== "subagent") return effect
      return call(["t1", "task", { agent: "task", tasks: [{ id: "Count", assignment: "count it" }] }])
    }
  })
  const { agent, approvals, events, folder, supervision, toolSet } = harness
  if (kind === "extension") yield* toolSet.register(tool("count", run, { origin: "extension" }))
  const isAlone = kind === "user" || kind === "verification"
  const judge = approvals.judge({
    tool: { name: "bash", source: isAlone ? kind : "user" },
    args: { command },
    refs: {}
  })
  const alone = Effect.flatMap(judge, (denial) => (denial === undefined ? run() : Effect.void))
  const prompted = Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle)
  const fiber = yield* Effect.fork(isAlone ? Effect.orDie(alone) : Effect.orDie(prompted))
  yield* until(() => approvals.open().length > 0)
  const [question] = approvals.open()
  const approvalId = question?.approvalId ?? ""
  const runs = () => {
    const file = join(folder, "runs")
    return count + (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0)
  }
  return {
    ...harness,
    question,
    approvalId,
    runs,
    answer: (decision: Decision) => Effect.either(approvals.answer({ approvalId, decision }, Effect.void)),
    abort: isAlone ? Effect.asVoid(Fiber.interrupt(fiber)) : Effect.asVoid(agent.abort()),
    cancel: Effect.asVoid(
      Effect.either(supervision.cancel(isAlone ? approvalId : kind === "subagent" ? "t1" : "c1", 5000))
    ),
    disconnect: Effect.asVoid(Deferred.succeed(gone, undefined)),
    ended: Effect.asVoid(Fiber.await(fiber)),
    resolutions: () =>
      events.flatMap((event) =>
        event._tag === "ApprovalResolved" && event.approvalId === approvalId ? [`${event.decision} ${event.by}`] : []
      ),
    stored: Effect.map(harness.session.entries, (entries) =>
      entries.filter((entry) => entry.type === "custom" && entry.customType === "heddle.approval")
    )
  }
})

type Played = Effect.Effect.Success<ReturnType<typeof play>>

const happenings = {
  "the deadline": () => Effect.void,
  "a denial": ({ answer }: Played) => Effect.asVoid(answer("deny")),
  "another answer": ({ answer }: Played) => Effect.asVoid(answer("allow_session")),
  "an abort": ({ abort }: Played) => abort,
  "a cancel": ({ cancel }: Played) => cancel,
  "the cancel of the question": ({ approvalId, supervision }: Played) =>
    Effect.asVoid(Effect.either(supervision.cancel(approvalId, 5000))),
  "a steering message": ({ agent }: Played) => Effect.ignore(agent.enqueue("steering", { text: "Also." })),
  "the loss of the host": ({ disconnect }: Played) => disconnect,
  "a stricter policy": ({ approvals }: Played) => Effect.ignore(approvals.change({ mode: "deny" }))
}
type Happening = keyof typeof happenings

const names: ReadonlyArray<Happening> = [
  "the deadline",
  "a denial",
  "another answer",
  "an abort",
  "a cancel",
  "the cancel of the question",
  "a steering message",
  "the loss of the host",
  "a stricter policy"
]

const check = Effect.fnUntraced(function* (played: Played) {
  yield* played.ended
  const [resolution = "", ...others] = played.resolutions()
  assert.deepStrictEqual(others, [], "one end")
  assert.isAtMost(played.runs(), 1)
  if (resolution.startsWith("deny")) assert.strictEqual(played.runs(), 0)
  assert.notStrictEqual(resolution, "")
  assert.strictEqual((yield* played.stored).length, 1)
  const late = yield* played.answer("allow_once")
  assert.strictEqual(Either.isLeft(late) ? late.left.reason : "taken", "already_resolved")
  assert.isAtMost(played.runs(), 1)
  assert.deepStrictEqual(played.approvals.open(), [])
  return resolution
})

const limitOf = (name: Happening) => (name === "the deadline" ? 40 : 60_000)

describe.each(kinds)("the question about an effect of kind %s", (kind) => {
  it.scopedLive.each(names)("and %s alone", (name) =>
    Effect.gen(function* () {
      const played = yield* play(kind, limitOf(name))
      yield* happenings[name](played)
      if (name === "a steering message") {
        // It changes nothing.
        assert.strictEqual(played.approvals.open().length, 1)
        yield* played.answer("allow_once")
      }
      const resolution = yield* check(played)
      const allows = name === "another answer" || name === "a steering message"
      assert.strictEqual(resolution.startsWith("allow"), allows)
      assert.strictEqual(played.runs(), allows ? 1 : 0)
    })
  )

  it.scopedLive.each(names)("and an answer together with %s, whichever comes first", (name) =>
    Effect.gen(function* () {
      for (const answerFirst of [true, false]) {
        const played = yield* play(kind, limitOf(name))
        const both = [played.answer("allow_once"), happenings[name](played)]
        yield* Effect.all(answerFirst ? both : both.toReversed(), { concurrency: "unbounded" })
        const resolution = yield* check(played)
        if (resolution.startsWith("allow") && !["an abort", "a cancel"].includes(name))
          assert.strictEqual(played.runs(), 1, `${resolution} and ${name}`)
      }
    })
  )
})

describe("what runs is what was shown", () => {
  it.scopedLive("whatever a hook does to its arguments later", () =>
    Effect.gen(function* () {
      const kept: Record<string, unknown> = { command }
      const played = yield* play("builtin", 60_000, { toolCall: () => ({ input: kept }) })
      kept["command"] = "echo other > other"
      assert.deepStrictEqual(played.question?.args, { command })
      yield* played.answer("allow_once")
      yield* check(played)
      assert.strictEqual(played.runs(), 1)
      assert.isFalse(existsSync(join(played.folder, "other")))
    })
  )

  it.scopedLive("a call that a hook blocks is no question", () =>
    Effect.gen(function* () {
      const { agent, approvals, events } = yield* Delegating.make({
        settings: { "approvals.mode": "ask" },
        hooks: { toolCall: () => ({ block: true, reason: "no" }) },
        answer: (_, nth) => (nth > 1 ? say("ok") : call(["c1", "bash", { command }]))
      })
      yield* Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle)
      assert.deepStrictEqual(approvals.open(), [])
      assert.isFalse(events.some(({ _tag }) => _tag === "ApprovalRequested"))
    })
  )

  it.scopedLive("an interrupt of the question is one of the effect", () =>
    Effect.gen(function* () {
      const played = yield* play("user")
      yield* played.abort
      assert.deepStrictEqual(played.resolutions(), ["deny abort"])
      const exit = yield* Effect.exit(played.ended)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(played.runs(), 0)
    })
  )
})

describe("immediate steering", () => {
  it.scopedLive("ends the question of a call that is skipped then, and one of a later call is not asked", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const { agent, approvals, events } = yield* Delegating.make({
        settings: { "approvals.mode": "ask", interruptMode: "immediate" },
        approve: () => Effect.never,
        hostTools: ["one", "two", "three"].map((name) => ({
          name,
          description: "",
          parameters: { type: "object" },
          call: () => Effect.sync(() => (done.push(name), output(name)))
        })),
        answer: (_, nth) => (nth > 1 ? say("ok") : call(["1", "one", {}], ["2", "two", {}], ["3", "three", {}]))
      })
      yield* agent.prompt({ text: "go" })
      yield* until(() => approvals.open().length > 0)
      yield* agent.enqueue("steering", { text: "Stop that." })
      // No call has ended: nothing is skipped.
      const [first] = approvals.open()
      yield* Effect.orDie(
        approvals.answer({ approvalId: first?.approvalId ?? "", decision: "allow_once" }, Effect.void)
      )
      yield* agent.awaitIdle
      assert.deepStrictEqual(done, ["one"])
      const ends = events.flatMap((event) =>
        event._tag === "ApprovalResolved" ? [`${event.decision} ${event.by}`] : []
      )
      assert.deepStrictEqual([ends[0], ...ends.slice(1).filter((end) => end !== "deny abort")], ["allow_once host"])
      assert.deepStrictEqual(resultTexts(events), [
        "one",
        "Skipped due to queued user message.",
        "Skipped due to queued user message."
      ])
    })
  )
})

/** What subagents get from their session, what comes back from them, and how they end. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Ref } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import type { ModelRequest } from "../../../../src/services/model/ModelClient.ts"
import * as Delegating from "../../../support/agent/Delegating.ts"
import { call, model, say } from "../../../support/agent/ScriptedModel.ts"

const { assignmentOf, submit } = Delegating

const task = (id: string, assignment = id) => ({ id, assignment })
const delegated = (id: string) => ({ agent: "task", tasks: [{ ...task(id), description: "d" }] })
const done = () => submit({ result: "done" })
const toolNames = ({ tools }: ModelRequest) => tools.map(({ name }) => name).toSorted()

const agentFile = (front: string, body = "You help.") => `---\n${front}\n---\n\n${body}\n`

/** What hosts are told of subagents, by id. */
const lives = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "SubagentStarted" || event._tag === "SubagentEnded" ? [`${event._tag} ${event.subagent.id}`] : []
  )

describe("a subagent", () => {
  it.scopedLive("gets its instructions, the task, the tools and the model that its agent names", () =>
    Effect.gen(function* () {
      const small = { ...model, id: "small", name: "Small" }
      const files = {
        ".heddle/agents/scribe.md": agentFile(
          "name: scribe\ndescription: Writes.\ntools: read, edit\nmodel: small\nthinking: high",
          "You write well."
        )
      }
      const { requests, subagentSet } = yield* Delegating.make({ files, models: [model, small], answer: done })
      const { results } = yield* subagentSet.run({
        agent: "scribe",
        context: "The novel is in novel.md.",
        tasks: [task("One", "Write a chapter.")]
      })
      const [request] = requests
      assert.isDefined(request)
      assert.strictEqual(assignmentOf(request), "The novel is in novel.md.\n\nWrite a chapter.")
      assert.include(request.systemPrompt, "You write well.")
      assert.include(request.systemPrompt, "submit_result")
      assert.deepStrictEqual(toolNames(request), ["edit", "read", "submit_result"])
      assert.strictEqual(request.model.id, "small")
      assert.deepInclude(results[0], {
        id: "0-One",
        agent: "scribe",
        agentSource: "project",
        exitCode: 0,
        output: "done",
        modelOverride: "small"
      })
    })
  )

  it.scopedLive("has neither a todo list nor anybody to ask, and starts others only if its agent may", () =>
    Effect.gen(function* () {
      const { requests, subagentSet } = yield* Delegating.make({ answer: done })
      yield* subagentSet.run({ agent: "task", tasks: [task("May")] })
      yield* subagentSet.run({ agent: "quick_task", tasks: [task("MayNot")] })
      const files = ["bash", "edit", "find", "grep", "ls", "read", "submit_result", "write"]
      assert.deepStrictEqual(requests.map(toolNames), [[...files, "task"].toSorted(), files])
    })
  )

  it.scopedLive("has no todo list, even if its agent names the tool", () =>
    Effect.gen(function* () {
      const front = "name: planner\ndescription: Plans.\ntools: read, todo_write"
      const files = { ".heddle/agents/planner.md": agentFile(front) }
      const settings = { "todo.enabled": true, "todo.eager": true }
      const { requests, subagentSet } = yield* Delegating.make({ files, settings, answer: done })
      yield* subagentSet.run({ agent: "planner", tasks: [task("One", "Plan.")] })
      const [request] = requests
      assert.isDefined(request)
      assert.deepStrictEqual(toolNames(request), ["read", "submit_result"])
      assert.deepStrictEqual([request.messages.length, assignmentOf(request)], [1, "Plan."])
    })
  )

  it.scopedLive("may use a tool of the program if its agent names it", () =>
    Effect.gen(function* () {
      const called = yield* Ref.make(0)
      const { subagentSet } = yield* Delegating.make({
        files: { "agent/agents/caller.md": agentFile("name: caller\ndescription: Calls.\ntools: [weather]") },
        hostTools: [
          {
            name: "weather",
            description: "Says how it is.",
            parameters: { type: "object" },
            call: () =>
              Effect.as(
                Ref.update(called, (n) => n + 1),
                { content: [{ type: "text" as const, text: "Rain." }] }
              )
          }
        ],
        answer: (_, nth) => (nth === 1 ? call(["w", "weather", {}]) : done())
      })
      yield* subagentSet.run({ agent: "caller", tasks: [task("Ask")] })
      assert.strictEqual(yield* Ref.get(called), 1)
    })
  )

  it.scopedLive("asks the hooks of its parent about its calls", () =>
    Effect.gen(function* () {
      const { requests, subagentSet } = yield* Delegating.make({
        hooks: { toolCall: ({ toolName }) => Effect.succeed({ block: toolName === "ls", reason: "not today" }) },
        answer: (_, nth) => (nth === 1 ? call(["l", "ls", {}]) : done())
      })
      yield* subagentSet.run({ agent: "task", tasks: [task("Look")] })
      assert.include(JSON.stringify(requests[1]?.messages), "not today")
    })
  )

  it.scopedLive("hears what it is steered with before its next model call", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const steered = yield* Deferred.make<void>()
      const { requests, subagentSet } = yield* Delegating.make({
        answer: (_, nth) =>
          nth === 1
            ? {
                ...call(["l", "ls", {}]),
                before: Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(steered)), [])
              }
            : done()
      })
      const running = yield* Effect.fork(subagentSet.run({ agent: "task", tasks: [task("Look")] }))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* Effect.flip(subagentSet.steer("9-Gone", "x"))).message, "Unknown subagent: 9-Gone")
      yield* subagentSet.steer("0-Look", "Look into src, too.")
      yield* Deferred.succeed(steered, undefined)
      yield* Fiber.join(running)
      assert.include(JSON.stringify(requests[1]?.messages), "Look into src, too.")
    })
  )

  it.scopedLive("whose output is long gives the model a part of it, and keeps the whole in a file", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 6000 }, (_, at) => `line ${at}`).join("\n")
      const { subagentSet } = yield* Delegating.make({ answer: () => submit({ result: long }) })
      const { results } = yield* subagentSet.run({ agent: "task", tasks: [task("Long")] })
      const [result] = results
      assert.strictEqual(result?.truncated, true)
      assert.notInclude(result?.output, "line 5999")
      assert.strictEqual(readFileSync(result?.outputPath ?? "", "utf8"), long)
      assert.deepStrictEqual(result?.outputMeta, { lineCount: 6000, charCount: long.length })
    })
  )

  it.scopedLive("that fails says why, and the others go on", () =>
    Effect.gen(function* () {
      const { subagentSet } = yield* Delegating.make({
        answer: (request) => (assignmentOf(request) === "Bad" ? submit({ error: "There is no parser." }) : done())
      })
      const { results } = yield* subagentSet.run({ agent: "task", tasks: [task("Bad"), task("Good")] })
      assert.deepStrictEqual(
        results.map(({ error, exitCode, output }) => ({ error, exitCode, output })),
        [
          { error: "There is no parser.", exitCode: 1, output: "" },
          { error: undefined, exitCode: 0, output: "done" }
        ]
      )
    })
  )
})

describe("the tasks of a call", () => {
  it.scopedLive("run side by side, as many as the settings allow", () =>
    Effect.gen(function* () {
      const [running, most] = [yield* Ref.make(0), yield* Ref.make(0)]
      const enough = yield* Deferred.make<void>()
      const enter = Effect.gen(function* () {
        const now = yield* Ref.updateAndGet(running, (n) => n + 1)
        yield* Ref.update(most, (n) => Math.max(n, now))
        if (now === 3) yield* Deferred.succeed(enough, undefined)
        yield* Deferred.await(enough)
        yield* Ref.update(running, (n) => n - 1)
        return []
      })
      const { subagentSet } = yield* Delegating.make({
        settings: { "task.maxConcurrency": 3 },
        answer: () => ({ ...done(), before: enter })
      })
      const ids = Array.from({ length: 10 }, (_, at) => `T${at}`)
      const { results } = yield* subagentSet.run({ agent: "task", tasks: ids.map((id) => task(id)) })
      assert.strictEqual(yield* Ref.get(most), 3)
      assert.deepStrictEqual(
        results.map(({ id }) => id),
        ids.map((id, at) => `${at}-${id}`)
      )
    })
  )

  it.scopedLive("that had not started when the call was interrupted are cancelled, and every start has its end", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const { events, subagentSet } = yield* Delegating.make({
        settings: { "task.maxConcurrency": 1 },
        answer: () => ({ events: [], before: Effect.as(Deferred.succeed(begun, undefined), []), after: "hang" })
      })
      const last = yield* Deferred.make<ReadonlyArray<string | undefined>>()
      const batch = { agent: "task", tasks: [task("First"), task("Second")] }
      const running = yield* Effect.fork(
        subagentSet.run(batch, {
          orInterrupted: (soFar) =>
            Effect.onInterrupt(() =>
              Effect.flatMap(soFar, ({ report }) =>
                Deferred.succeed(
                  last,
                  report.results.map(({ error }) => error)
                )
              )
            )
        })
      )
      yield* Deferred.await(begun)
      const exit = yield* Fiber.interrupt(running)
      assert.isTrue(Exit.isInterrupted(exit))
      assert.deepStrictEqual(yield* Deferred.await(last), ["Aborted", "Cancelled before start"])
      assert.deepStrictEqual(lives(events), ["SubagentStarted 0-First", "SubagentEnded 0-First"])
      assert.deepStrictEqual(yield* subagentSet.live, [])
    })
  )

  it.scopedLive("end with the session that they belong to, at every depth", () =>
    Effect.gen(function* () {
      const below = yield* Deferred.make<void>()
      const { open } = yield* Effect.scoped(
        Effect.gen(function* () {
          const made = yield* Delegating.make({
            answer: (request) =>
              assignmentOf(request) === "Below"
                ? { events: [], before: Effect.as(Deferred.succeed(below, undefined), []), after: "hang" }
                : call(["t", "task", delegated(assignmentOf(request) === "Top" ? "Middle" : "Below")])
          })
          yield* made.agent.prompt({ text: "Top" })
          yield* Deferred.await(below)
          assert.deepStrictEqual(
            (yield* made.subagentSet.live).map(({ id }) => id),
            ["0-Middle", "0-Middle.0-Below"]
          )
          assert.strictEqual(made.open(), 1)
          return made
        })
      )
      assert.strictEqual(open(), 0)
    })
  )
})

describe("what is spent", () => {
  it.scopedLive("by subagents is in the result of the call, and in the ledger of the session", () =>
    Effect.gen(function* () {
      const spent = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 }
      const costly = (turn: ReturnType<typeof say>) => ({
        ...turn,
        events: [{ _tag: "UsageReported" as const, tokens: spent }, ...turn.events]
      })
      const cost = { input: 1_000_000, output: 2_000_000, cacheRead: 0, cacheWrite: 0 }
      const { agent, allowance, events } = yield* Delegating.make({
        budget: { maxTotalTokens: 10_000 },
        models: [{ ...model, cost }],
        answer: (request, nth) => {
          if (assignmentOf(request) !== "Top") return costly(nth === 2 ? call(["l", "ls", {}]) : done())
          return costly(nth === 1 ? call(["t", "task", delegated("One")]) : say("ok"))
        }
      })
      yield* agent.prompt({ text: "Top" })
      yield* agent.awaitIdle
      const counted = { totalTokens: 40, toolCalls: 3, subagents: 1, turns: 4 }
      assert.deepInclude(yield* allowance.snapshot, { ...counted, costUsd: 4 * 13 })
      const details = events.flatMap((event) =>
        event._tag === "ToolEnded" && event.toolName === "task" ? [Object(event.result.details)] : []
      )
      const usage = {
        ...Usage.zero,
        input: 14,
        output: 6,
        totalTokens: 20,
        cost: { input: 14, output: 12, cacheRead: 0, cacheWrite: 0, total: 26 }
      }
      assert.deepStrictEqual(
        details.map(({ results, usage }) => [usage, results[0].usage]),
        [[usage, usage]]
      )
    })
  )
})

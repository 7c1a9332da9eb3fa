/** A model that stops with open tasks is reminded of them inside its run (protocol.md 4.16, 12). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import { summary } from "../../support/agent/AgentHarness.ts"
import { withUsage } from "../../support/agent/CompactionHarness.ts"
import { violations } from "../../support/agent/EventGrammar.ts"
import { call, failure, say } from "../../support/agent/ScriptedModel.ts"
import * as TodoAgent from "../../support/todo/TodoAgent.ts"
import { list, plan, task, update } from "../../support/todo/Lists.ts"
import { hidden, reminders, write } from "../../support/todo/TodoAgent.ts"

const question = { id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }
const ask = call(["q", "ask", { questions: [question] }])

it.scoped("it goes on in the same run, and the run ends once", () =>
  Effect.gen(function* () {
    const turns = [
      write("a", plan("one", "two"), update(1, "completed")),
      say("Half."),
      write("b", update(2, "completed")),
      say("All.")
    ]
    const { ask, events, phases } = yield* TodoAgent.make({ turns })
    yield* ask("Weave")
    assert.deepStrictEqual(reminders(events), ["1/3 task-2"])
    const words = summary(events)
    assert.deepStrictEqual(words.slice(words.indexOf("TodoReminder") - 1).slice(0, 4), [
      "TurnEnded",
      "TodoReminder",
      "TurnStarted",
      "MessageEnded:custom"
    ])
    assert.deepStrictEqual(violations(events), [])
    const ended = events.filter(({ _tag }) => _tag === "RunEnded" || _tag === "PromptFinished")
    assert.strictEqual(ended.length, 2)
    assert.deepStrictEqual(yield* phases, list(task(1, "one", "completed"), task(2, "two", "completed")))
  })
)

it.scoped("it is reminded as often as the setting says, then it may stop; a prompt counts anew", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), ...Array.from({ length: 6 }, () => say("No."))]
    const { ask, events, script } = yield* TodoAgent.make({ turns, settings: { "todo.reminders.max": 2 } })
    yield* ask("Weave")
    assert.deepStrictEqual(reminders(events), ["1/2 task-1", "2/2 task-1"])
    yield* ask("Go on")
    assert.deepStrictEqual(reminders(events), ["1/2 task-1", "2/2 task-1", "1/2 task-1", "2/2 task-1"])
    assert.strictEqual((yield* script.requests).length, 7)
    assert.deepStrictEqual(violations(events), [])
  })
)

it.scoped("a list on which everything open is blocked brings no reminder", () =>
  Effect.gen(function* () {
    const { ask, events, phases } = yield* TodoAgent.make({
      turns: [write("a", plan("one"), { ...update(1, "blocked"), blocker: "the key" }), say("I need the key.")]
    })
    yield* ask("Weave")
    assert.deepStrictEqual(yield* phases, list({ ...task(1, "one", "blocked"), blocker: "the key" }))
    assert.deepStrictEqual(reminders(events), [])
  })
)

it.scoped("the model reads the open items", () =>
  Effect.gen(function* () {
    const { ask, script, session } = yield* TodoAgent.make({
      turns: [write("a", plan("one")), say("No."), say("No."), say("No."), say("No.")]
    })
    yield* ask("Weave")
    const last = (yield* script.requests)[2]?.messages.at(-1)
    assert.include(JSON.stringify(last), "→ task-1: one")
    assert.include(JSON.stringify(last), "(Reminder 1/3)")
    const stored = (yield* session().branch).flatMap((entry) =>
      entry.type === "custom_message" ? [entry.customType] : []
    )
    assert.deepStrictEqual(stored, ["todo-reminder", "todo-reminder", "todo-reminder"])
  })
)

it.scoped("a message that waits goes first, and the count starts again with it", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("No."), say("Still no."), say("Never."), say("Really.")]
    const { agent, events } = yield* TodoAgent.make({ turns, settings: { "todo.reminders.max": 1 } })
    yield* agent().prompt({ text: "Weave" })
    yield* agent().enqueue("followUp", { text: "That, too" })
    yield* agent().awaitIdle
    const said = events.flatMap((event) => {
      if (event._tag === "TodoReminder") return ["(reminder)"]
      if (event._tag !== "MessageEnded" || (event.message.role !== "user" && event.message.role !== "assistant"))
        return []
      return [plainText(event.message.content)]
    })
    assert.deepStrictEqual(said, ["Weave", "", "No.", "That, too", "Still no.", "(reminder)", "Never."])
  })
)

it.scoped("a custom message that starts a run does not count anew", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("No."), say("No."), say("No.")]
    const { agent, ask, events } = yield* TodoAgent.make({ turns, settings: { "todo.reminders.max": 1 } })
    yield* ask("Weave")
    yield* agent().send({ customType: "x", content: "y", display: true }, { triggerTurn: true })
    yield* agent().awaitIdle
    assert.deepStrictEqual(reminders(events), ["1/1 task-1"])
  })
)

it.scoped("it is not reminded on the answer to a question to the user, but after further work it is", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), ask, say("I wait."), ask, write("b", plan("two")), say("No."), say("No.")]
    const made = yield* TodoAgent.make({ turns, isUserThere: true, settings: { "todo.reminders.max": 1 } })
    yield* made.ask("Weave")
    assert.deepStrictEqual(reminders(made.events), [])
    yield* made.ask("Go on")
    assert.deepStrictEqual(reminders(made.events), ["1/1 task-1"])
  })
)

it.scoped("a question that nobody could be asked does not count", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), ask, say("I decide."), say("No.")]
    const made = yield* TodoAgent.make({ turns, settings: { "todo.reminders.max": 1 } })
    yield* made.ask("Weave")
    assert.deepStrictEqual(reminders(made.events), ["1/1 task-1"])
  })
)

describe("no reminder where", () => {
  const open = [write("a", plan("one")), say("No.")]
  const rows: Record<string, TodoAgent.Options> = {
    "everything is done": { turns: [write("a", plan("one"), update(1, "completed")), say("Done.")] },
    "there is no list": { turns: [say("Done.")] },
    "reminders are switched off": { turns: open, settings: { "todo.reminders": false } },
    "none are allowed": { turns: open, settings: { "todo.reminders.max": 0 } },
    "the run failed": {
      turns: [write("a", plan("one")), { events: [], after: failure("configuration", "no") }],
      settings: { "retry.enabled": false }
    },
    "the budget is spent": {
      turns: [write("a", plan("one")), withUsage(say("No."), 900)],
      budget: { maxInputTokens: 800 }
    },
    "the limit of turns is reached": { turns: open, settings: { maxTurns: 2 } }
  }
  for (const [why, options] of Object.entries(rows)) {
    it.scoped(why, () =>
      Effect.gen(function* () {
        const { ask, events } = yield* TodoAgent.make(options)
        yield* ask("Weave")
        assert.deepStrictEqual([reminders(events), hidden(events)], [[], []])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  }
})

it.scoped("no reminder where the model has no tool to say that a task is done", () =>
  Effect.gen(function* () {
    const { ask, events, set } = yield* TodoAgent.make({
      turns: [say("No.")],
      selection: { excludedTools: ["todo_write"] }
    })
    yield* set([{ name: "P", tasks: [{ content: "one" }] }])
    yield* ask("Weave")
    assert.deepStrictEqual([reminders(events), hidden(events)], [[], ["todo-update"]])
  })
)

it.effect("aborted at any point, the run ends properly, and once; the list is that of the log", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("No."), write("b", update(1, "completed")), say("Done."), say("Hm.")]
    const abortAt = Effect.fnUntraced(function* (at: number) {
      const { agent, events, phases, set, stored } = yield* TodoAgent.make({ turns })
      yield* set([{ name: "P", tasks: [{ content: "first" }] }])
      let [count, aborting]: [number, Fiber.RuntimeFiber<unknown> | undefined] = [0, undefined]
      const point = () => {
        if (count++ === at) aborting = Effect.runFork(agent().abort())
      }
      yield* agent().events.attach({ offer: () => queueMicrotask(point), ready: Effect.void })
      yield* Effect.ignore(agent().prompt({ text: "Weave" }))
      yield* agent().awaitIdle
      const begun: Fiber.RuntimeFiber<unknown> | undefined = aborting
      if (begun !== undefined) yield* Fiber.join(begun)
      assert.deepStrictEqual(violations(events), [], `at ${at}`)
      assert.strictEqual(events.filter(({ _tag }) => _tag === "PromptFinished").length, 1, `at ${at}`)
      assert.deepStrictEqual(yield* phases, (yield* stored).phases, `at ${at}`)
      return begun !== undefined
    }, Effect.scoped)
    let at = 0
    while (yield* abortAt(at)) assert.isBelow(at++, 200)
    assert.isAbove(at, 30)
  })
)

describe("todo.eager", () => {
  const settings = { "todo.eager": true }
  it.scoped("asks for a list with the first prompt of a session only", () =>
    Effect.gen(function* () {
      const { ask, events, script } = yield* TodoAgent.make({ turns: [say("One."), say("Two.")], settings })
      yield* ask("Weave")
      yield* ask("Again")
      assert.deepStrictEqual(hidden(events), ["todo-eager"])
      assert.include(JSON.stringify((yield* script.requests)[0]?.messages), "with todo_write first")
    })
  )
  const rows: Record<string, TodoAgent.Options> = {
    "without the tool": { settings, selection: { noTools: true } },
    "while todos are switched off": { settings: { ...settings, "todo.enabled": false } },
    "by default": {}
  }
  for (const [why, options] of Object.entries(rows)) {
    it.scoped(`does not ${why}`, () =>
      Effect.gen(function* () {
        const { ask, events } = yield* TodoAgent.make({ turns: [say("One.")], ...options })
        yield* ask("Weave")
        assert.deepStrictEqual(hidden(events), [])
      })
    )
  }
})

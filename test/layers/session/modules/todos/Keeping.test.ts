/** The list follows the active branch: through compaction, handoff, resumption, branches and moves (protocol.md 9.3, 12). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as JsonlSessionStore from "../../../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as Harness from "../../../../support/agent/CompactionHarness.ts"
import { say } from "../../../../support/agent/ScriptedModel.ts"
import * as TodoAgent from "../../../../support/todo/TodoAgent.ts"
import { list, plan, task, update } from "../../../../support/todo/Lists.ts"
import { clears, hidden, write } from "../../../../support/todo/TodoAgent.ts"
import { tempFolder } from "../../../tools/TempFolder.ts"

const settings = { "todo.reminders": false, "compaction.keepRecentTokens": 5, "retry.enabled": false }
const hooks = Harness.supplied
const { story, withUsage } = Harness

const remarked = { ...task(1, "one", "in_progress"), notes: "n", details: "d" }

const sessionOf = (made: TodoAgent.TodoAgent) => Effect.map(made.session().info, ({ sessionId }) => sessionId)

it.scoped("a list of the host survives a compaction, and the model reads it again after it", () =>
  Effect.gen(function* () {
    const made = yield* TodoAgent.make({ turns: [story, story, say("One."), say("Two.")], settings, parts: { hooks } })
    const { agent, ask, events, phases, script, set } = made
    yield* set(list(remarked))
    yield* ask("Tell me")
    yield* ask("And more")
    yield* agent().compact({})
    assert.deepStrictEqual(yield* phases, list(remarked))
    yield* ask("Weave")
    yield* ask("Again")
    assert.deepStrictEqual(hidden(events), ["todo-update", "todo-update"])
    const read = JSON.stringify((yield* script.requests)[2]?.messages.at(-1))
    assert.include(read, "→ task-1: one\\n      n\\n      d")
  })
)

it.scoped("after a compaction the model is not told of a list on which nothing is open", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one"), update(1, "completed")), story, story, say("One.")]
    const { agent, ask, events } = yield* TodoAgent.make({ turns, settings, parts: { hooks } })
    yield* ask("Tell me")
    yield* ask("And more")
    yield* agent().compact({})
    yield* ask("Weave")
    assert.deepStrictEqual(hidden(events), [])
  })
)

it.scoped("a run that goes on in another session takes the list along", () =>
  Effect.gen(function* () {
    const turns = [
      write("a", plan("one", "two"), update(1, "completed")),
      story,
      withUsage(write("b", { op: "add_phase", name: "Later" }), 900),
      withUsage(say("done"), 60)
    ]
    const handoff = { ...settings, "compaction.strategy": "handoff" } as const
    const made = yield* TodoAgent.make({ turns, settings: handoff, parts: { hooks } })
    yield* made.ask("Tell me")
    const before = yield* sessionOf(made)
    yield* made.ask("Look")
    const after = yield* sessionOf(made)
    assert.notStrictEqual(after, before)
    const kept = [
      ...list(task(1, "one", "completed"), task(2, "two", "in_progress")),
      { id: "phase-2", name: "Later", tasks: [] }
    ]
    assert.deepStrictEqual(yield* made.phases, kept)
    assert.deepStrictEqual((yield* made.stored).phases, kept)
    yield* made.sessions.open(before)
    yield* made.sessions.open(after)
    assert.deepStrictEqual(yield* made.phases, list(task(2, "two", "in_progress")))
  })
)

describe("a session that is opened again", () => {
  const reopened = (turns: TodoAgent.Options["turns"] & {}, body: (made: TodoAgent.TodoAgent) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const made = yield* TodoAgent.make({ turns, settings })
      yield* body(made)
      const id = yield* sessionOf(made)
      yield* made.sessions.create({})
      assert.deepStrictEqual(yield* made.phases, [], "a new session has no list")
      yield* made.sessions.open(id)
      return made
    })

  it.scoped("has the open tasks of todo_write, without those that are done and phases without tasks", () =>
    Effect.gen(function* () {
      const turns = [
        write("a", plan("one", "two"), { op: "add_phase", name: "Empty" }, update(1, "completed")),
        say("One."),
        say("Two.")
      ]
      const { ask, events, phases } = yield* reopened(turns, ({ ask }) => ask("Weave"))
      assert.deepStrictEqual(yield* phases, list(task(2, "two", "in_progress")))
      yield* ask("Go on")
      assert.deepStrictEqual(hidden(events), [], "the model has read it")
      yield* TestClock.adjust("1 days")
      assert.strictEqual(clears(events), 0)
    })
  )

  it.scoped("has the list of the host with its details; a model that was not told is told", () =>
    Effect.gen(function* () {
      const turns = [say("One."), say("Two."), say("Three.")]
      const { ask, events, phases } = yield* reopened(turns, ({ ask, set }) =>
        Effect.orDie(Effect.zipRight(ask("Weave"), set(list(remarked, task(2, "two", "abandoned")))))
      )
      assert.deepStrictEqual(yield* phases, list(remarked))
      yield* ask("Go on")
      yield* ask("Again")
      assert.deepStrictEqual(hidden(events), ["todo-update"])
    })
  )
})

it.scoped("a move to another branch, or a branch of it, has the list of that place", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("One."), write("b", plan("two", "three")), say("Two.")]
    const { ask, events, phases, session, sessions } = yield* TodoAgent.make({ turns, settings })
    yield* ask("First")
    yield* ask("Second")
    assert.deepStrictEqual(yield* phases, list(task(1, "two", "in_progress"), task(2, "three")))
    const branch = yield* session().branch
    const prompts = branch.filter((entry) => entry.type === "message" && entry.message.role === "user")
    const [first, second] = [prompts[0]?.id ?? "", prompts[1]?.id ?? ""]
    yield* sessions.navigate({ entryId: second })
    assert.deepStrictEqual(yield* phases, list(task(1, "one", "in_progress")))
    yield* sessions.navigate({ entryId: first })
    assert.deepStrictEqual(yield* phases, [])
    yield* sessions.navigate({ entryId: branch.at(-1)?.id ?? "" })
    assert.deepStrictEqual(yield* phases, list(task(1, "two", "in_progress"), task(2, "three")))
    yield* sessions.branch(second)
    assert.deepStrictEqual(yield* phases, list(task(1, "one", "in_progress")))
    assert.deepStrictEqual(hidden(events), [])
  })
)

it.scopedLive("in a file, the entry has the list", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const store = JsonlSessionStore.layer({ agentDir: folder, cwd: folder, home: folder })
    const turns = [write("a", plan("one")), say("One."), say("Two.")]
    const made = yield* TodoAgent.make({ turns, settings, parts: { store } })
    yield* made.ask("Weave")
    const results = (yield* made.session().branch).flatMap((entry) =>
      entry.type === "message" && entry.message.role === "toolResult" ? [entry.message.details] : []
    )
    assert.deepStrictEqual(results, [{ phases: list(task(1, "one", "in_progress")), storage: "session" }])
    yield* made.set(list(remarked))
    const id = yield* sessionOf(made)
    yield* made.sessions.create({})
    yield* made.sessions.open(id)
    assert.deepStrictEqual((yield* made.agent().state).todoPhases, list(remarked))
    assert.deepStrictEqual((yield* made.session().entries).at(-1)?.type, "todo_state")
  })
)

it.scoped("finished tasks leave the list a minute later, also while nothing else happens", () =>
  Effect.gen(function* () {
    const turns = [
      write("a", plan("one", "two"), update(1, "completed"), update(2, "abandoned")),
      say("One."),
      write("b", update(1, "pending")),
      say("Two.")
    ]
    const { ask, events, phases, session, sessions } = yield* TodoAgent.make({ turns, settings })
    yield* ask("Weave")
    const entries = (yield* session().entries).length
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(clears(events), 0)
    yield* TestClock.adjust("1 seconds")
    assert.strictEqual(clears(events), 1)
    assert.deepStrictEqual(yield* phases, [])
    assert.strictEqual((yield* session().entries).length, entries)
    yield* ask("Open it again")
    assert.include(JSON.stringify((yield* session().messages).at(-2)), "Errors: update: there is no task")
    yield* sessions.create({})
    yield* TestClock.adjust("1 days")
    assert.strictEqual(clears(events), 1)
  })
)

it.scoped("the times of one branch do not pass on another, nor in another session", () =>
  Effect.gen(function* () {
    const { ask, events, phases, session, sessions, set, todos } = yield* TodoAgent.make({
      turns: [say("One.")],
      settings
    })
    yield* ask("Weave")
    const leaf = (yield* session().leafId) ?? ""
    yield* set(list(task(1, "one", "completed"), task(2, "two")))
    yield* sessions.navigate({ entryId: leaf })
    yield* TestClock.adjust("1 days")
    assert.deepStrictEqual([clears(events), yield* phases], [0, []])
    yield* set(list(task(1, "one", "completed")))
    const left = yield* todos
    yield* sessions.create({})
    yield* TestClock.adjust("1 days")
    assert.strictEqual(clears(events), 0)
    assert.deepStrictEqual(yield* left.phases, list(task(1, "one", "completed")))
  })
)

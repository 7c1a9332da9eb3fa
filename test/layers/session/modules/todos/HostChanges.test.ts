/** A list that the host sets: the model is told of it once, before its next call (protocol.md 12). */
import { assert, it } from "@effect/vitest"
import { ToolSet } from "../../../../../src/services/Tools.ts"
import { Deferred, Effect } from "effect"
import { call, say } from "../../../../support/agent/ScriptedModel.ts"
import * as TodoAgent from "../../../../support/todo/TodoAgent.ts"
import { list, plan, task, update } from "../../../../support/todo/Lists.ts"
import { hidden, write } from "../../../../support/todo/TodoAgent.ts"

const settings = { "todo.reminders": false }
const wanted = (...contents: ReadonlyArray<string>) => [
  { name: "Work", tasks: contents.map((content) => ({ content })) }
]

it.scoped("of several lists the model reads the latest, in the next turn, once", () =>
  Effect.gen(function* () {
    const { ask, events, script, session, set } = yield* TodoAgent.make({ turns: [say("One."), say("Two.")], settings })
    yield* set(wanted("old"))
    assert.deepStrictEqual(yield* set(wanted("one", "two")), list(task(1, "one"), task(2, "two")))
    assert.deepStrictEqual(hidden(events), [])
    yield* ask("Weave")
    yield* ask("Again")
    assert.deepStrictEqual(hidden(events), ["todo-update"])
    const read = JSON.stringify((yield* script.requests)[0]?.messages.at(-1))
    assert.include(read, "○ task-1: one")
    assert.notInclude(read, "old")
    assert.deepStrictEqual(
      (yield* session().branch).map(({ type }) => type),
      ["todo_state", "todo_state", "message", "custom_message", "message", "message", "message"]
    )
  })
)

it.scoped("in the middle of a run it is told before the next model call", () =>
  Effect.gen(function* () {
    const isAsked = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const wait = Effect.zipRight(Deferred.succeed(isAsked, undefined), Effect.as(Deferred.await(goOn), []))
    const turns = [{ ...call(["a", "nope", {}]), before: wait }, say("Done.")]
    const { agent, events, script, set } = yield* TodoAgent.make({ turns, settings })
    yield* agent().prompt({ text: "Weave" })
    yield* Deferred.await(isAsked)
    yield* set(wanted("one"))
    yield* Deferred.succeed(goOn, undefined)
    yield* agent().awaitIdle
    const requests = yield* script.requests
    assert.notInclude(JSON.stringify(requests[0]?.messages), "current todo list")
    assert.include(JSON.stringify(requests[1]?.messages.at(-1)), "○ task-1: one")
    assert.deepStrictEqual(hidden(events), ["todo-update"])
  })
)

it.scoped("todo_write starts from the list of the host, and its result tells the model", () =>
  Effect.gen(function* () {
    const isAsked = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const wait = Effect.zipRight(Deferred.succeed(isAsked, undefined), Effect.as(Deferred.await(goOn), []))
    const turns = [{ ...write("a", update(2, "completed")), before: wait }, say("Done.")]
    const { agent, events, phases, set } = yield* TodoAgent.make({ turns, settings })
    yield* agent().prompt({ text: "Weave" })
    yield* Deferred.await(isAsked)
    yield* set(wanted("one", "two"))
    yield* Deferred.succeed(goOn, undefined)
    yield* agent().awaitIdle
    assert.deepStrictEqual(yield* phases, list(task(1, "one", "in_progress"), task(2, "two", "completed")))
    assert.deepStrictEqual(hidden(events), [])
  })
)

it.scoped("a host that sets a list while a call is on its way has the last word", () =>
  Effect.gen(function* () {
    const isCalled = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const toolResult = () =>
      Effect.as(Effect.zipRight(Deferred.succeed(isCalled, undefined), Deferred.await(goOn)), undefined)
    const turns = [write("a", plan("mine")), say("Done."), write("b", plan("mine again")), say("Done.")]
    const made = yield* TodoAgent.make({ turns, settings, parts: { hooks: { toolResult } } })
    const { agent, events, phases, set } = made
    yield* agent().prompt({ text: "Weave" })
    yield* Deferred.await(isCalled)
    yield* set(wanted("theirs"))
    yield* Deferred.succeed(goOn, undefined)
    yield* agent().awaitIdle
    assert.deepStrictEqual(yield* phases, list(task(1, "theirs")))
    assert.deepStrictEqual(yield* made.stored, { phases: list(task(1, "theirs")), isTold: true })
    assert.deepStrictEqual(hidden(events), ["todo-update"])
    yield* made.ask("Go on")
    assert.deepStrictEqual(yield* phases, list(task(1, "mine again", "in_progress")))
  })
)

it.scoped("a host that sends the list back that it was shown is not news; one that clears it is", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("One."), say("Two."), say("Three.")]
    const { ask, events, phases, script, set } = yield* TodoAgent.make({ turns, settings })
    yield* ask("Weave")
    yield* set(yield* phases)
    yield* ask("Again")
    assert.deepStrictEqual(hidden(events), [])
    yield* set([])
    yield* ask("And again")
    assert.deepStrictEqual(hidden(events), ["todo-update"])
    assert.include(JSON.stringify((yield* script.requests).at(-1)?.messages), "The user has cleared the todo list")
  })
)

it.scoped("a list that is too long is refused, and the old one stays", () =>
  Effect.gen(function* () {
    const { phases, session, set } = yield* TodoAgent.make({})
    yield* set(wanted("one"))
    const { message } = yield* Effect.flip(set(wanted(...Array.from({ length: 1001 }, (_, n) => `${n}`))))
    assert.strictEqual(message, "at most 1000 tasks are allowed, and there would be 1001")
    assert.deepStrictEqual(yield* phases, list(task(1, "one")))
    assert.strictEqual((yield* session().entries).length, 1)
  })
)

it.scoped("while todos are switched off the host keeps its list, and the model hears nothing of it", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), say("No.")]
    const { agent, ask, events, phases, service, set } = yield* TodoAgent.make({
      turns,
      settings: { "todo.enabled": false }
    })
    yield* set(wanted("one"))
    yield* ask("Weave")
    assert.deepStrictEqual(hidden(events), [])
    assert.deepStrictEqual(yield* phases, list(task(1, "one")))
    assert.notInclude(yield* service(ToolSet).activeNames, "todo_write")
    assert.deepStrictEqual((yield* agent().state).todoPhases, list(task(1, "one")))
  })
)

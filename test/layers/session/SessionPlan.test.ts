/** Modules of sessions: one more, one in the place of another, and lists without one. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Option, Schema } from "effect"
import * as SessionPlan from "../../../src/layers/session/SessionPlan.ts"
import * as Modules from "../../../src/layers/session/standard.ts"
import * as Tool from "../../../src/layers/tools/Tool.ts"
import * as SessionModule from "../../../src/services/session/SessionModule.ts"
import { SessionCore } from "../../../src/services/session/SessionCore.ts"
import { Todos } from "../../../src/services/session/modules/Todos.ts"
import { Tools } from "../../../src/services/Tools.ts"
import * as SessionToolSet from "../../../src/layers/tools/SessionToolSet.ts"
import { Layer } from "effect"
import { call, say } from "../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../support/agent/TestAgent.ts"

class Notes extends Context.Tag("acme/Notes")<
  Notes,
  { readonly kept: Array<string>; readonly asked: Array<string> }
>() {}

/** Uses each member of a contribution. */
const notes = SessionModule.make(
  "acme.notes",
  Notes,
  Effect.gen(function* () {
    const { cwd } = (yield* SessionCore).options
    const kept: Array<string> = []
    const asked: Array<string> = []
    const note = Tool.make({
      name: "note",
      description: "Keeps a note.",
      parameters: Schema.Struct({ text: Schema.String }),
      run: ({ text }) => Effect.sync(() => Tool.textOutput(`${kept.push(text)} kept`))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => asked.push(`closed in ${cwd}`)))
    return {
      service: Notes.of({ kept, asked }),
      state: Effect.sync(() => ({ notes: kept.length })),
      tools: Effect.succeed([note]),
      carry: (left: Context.Context<never>) =>
        Effect.sync(() => {
          for (const before of Option.toArray(Context.getOption(left, Notes))) kept.push(...before.kept)
        }),
      run: ({ runId }) => {
        let goesOn = true
        return {
          prompted: () => void asked.push(`${runId} prompted`),
          opening: (add) => add({ customType: "acme.notes", content: `${kept.length} notes`, display: false }),
          answered: () => void asked.push("answered"),
          afterTurn: (outcome) =>
            Effect.as(
              Effect.sync(() => asked.push(outcome._tag)),
              outcome
            ),
          stopping: Effect.sync(() => {
            if (!goesOn) return undefined
            goesOn = false
            return { customType: "acme.more", content: "Anything else?", display: false }
          }),
          recorded: ({ toolName }) => Effect.sync(() => void asked.push(`${toolName} recorded`)),
          failed: (why) => void asked.push(`failed: ${why}`)
        }
      }
    }
  })
)

const contributed = Layer.succeed(Tools, {
  open: (own) => Effect.succeed(SessionToolSet.make({ own, offered: Effect.succeed([]) }))
})

it.scoped("a module of an embedder is one line: its tool, its steps, its state and what it carries over", () =>
  Effect.gen(function* () {
    const turns = [call(["a", "note", { text: "the weft is red" }]), say("Kept."), say("No.")]
    const parts = { plan: Modules.standard.add(notes), tools: contributed }
    const made = yield* TestAgent.make({ turns }, parts)
    const { agent, events, sessions } = made
    yield* Effect.zipRight(agent.prompt({ text: "Remember" }), agent.awaitIdle)
    const { asked } = yield* Effect.flatMap(sessions.current, Context.getOption(Notes))
    assert.deepStrictEqual(asked, [
      "run_1 prompted",
      "answered",
      "note recorded",
      "Continue",
      "answered",
      "Settled",
      "answered",
      "Settled"
    ])
    const said = events.flatMap((event) =>
      event._tag === "MessageEnded" && event.message.role === "custom" ? [event.message.content] : []
    )
    assert.deepStrictEqual(said, ["0 notes", "1 notes", "Anything else?", "1 notes"])
    assert.strictEqual((yield* agent.state)["notes"], 1)

    const changes = yield* sessions.changes
    yield* changes.create({})
    assert.strictEqual(asked.at(-1), "closed in /")
    assert.strictEqual((yield* made.agent.state)["notes"], 1)
  })
)

it.scoped("a run that fails tells each module why", () =>
  Effect.gen(function* () {
    const parts = { plan: Modules.standard.add(notes), tools: contributed }
    const { agent, sessions } = yield* TestAgent.make({ turns: [] }, parts)
    yield* Effect.zipRight(agent.prompt({ text: "Remember" }), agent.awaitIdle)
    const { asked } = yield* Effect.flatMap(sessions.current, Context.getOption(Notes))
    assert.strictEqual(asked[0], "run_1 prompted")
    assert.match(asked.at(-1) ?? "", /^failed: /)
  })
)

const board = (list: ReadonlyArray<string>) =>
  SessionModule.make(
    "acme.board",
    Todos,
    Effect.succeed({
      service: Todos.of({
        isEnabled: true,
        phases: Effect.succeed([]),
        set: () => Effect.succeed([]),
        draft: Effect.succeed([])
      }),
      state: Effect.succeed({ board: list })
    })
  )

it.scoped("a module in the place of another: nothing of that one is left", () =>
  Effect.gen(function* () {
    const plan = Modules.standard.replace(Modules.todos, board(["from the board"]))
    const { agent, toolSet } = yield* TestAgent.make({}, { plan, tools: contributed })
    assert.deepStrictEqual((yield* agent.state)["board"], ["from the board"])
    assert.isUndefined((yield* agent.state).todoPhases)
    const names = (yield* toolSet.all).map(({ definition }) => definition.name)
    assert.deepStrictEqual(names, ["ask"])
    // The list that it was made from is as it was.
    const standard = yield* TestAgent.make({}, { plan: Modules.standard, tools: contributed })
    assert.deepStrictEqual((yield* standard.agent.state).todoPhases, [])
  })
)

it.scoped("two sessions never share a module, and a session without modules of a kind lacks their members", () =>
  Effect.gen(function* () {
    const made = yield* TestAgent.make({}, { plan: Modules.standard.add(notes) })
    const other = yield* made.sessions.open(made.store.create({}))
    const [one, two] = [yield* made.sessions.current, other].map((services) => Context.getOption(services, Notes))
    assert.notStrictEqual(Option.getOrThrow(one ?? Option.none()), Option.getOrThrow(two ?? Option.none()))
    const bare = yield* TestAgent.make(
      {},
      {
        plan: SessionPlan.core
          .add(Modules.controls)
          .add(Modules.budget)
          .add(Modules.tools)
          .add(Modules.retries)
          .add(Modules.compaction)
      }
    )
    const state = yield* bare.agent.state
    assert.isUndefined(state.todoPhases)
    assert.isTrue(state.autoRetryEnabled)
    assert.isTrue(Option.isNone(Context.getOption(yield* bare.sessions.current, Todos)))
  })
)

/** Whether nothing that a module of the plan needs is missing. */
type IsComplete<Plan> =
  Plan extends SessionPlan.Plan<infer _Out, infer _E, infer In> ? ([In] extends [never] ? true : false) : never

it("what does not fit does not compile", () => {
  const needsTodos = SessionModule.contributing(
    "acme.more",
    Effect.map(Todos, () => ({}))
  )
  const without = SessionPlan.core.add(needsTodos)
  // @ts-expect-error: nothing in this plan provides Todos
  const isComplete: IsComplete<typeof without> = true
  const whole = SessionPlan.core.add(board([])).add(needsTodos)
  const isWhole: IsComplete<typeof whole> = true
  // @ts-expect-error: Notes are no Todos
  const other = Modules.standard.replace(Modules.todos, notes)
  const demanding = SessionModule.make(
    "acme.todos",
    Todos,
    Effect.map(Notes, () => ({
      service: Todos.of({
        isEnabled: true,
        phases: Effect.succeed([]),
        set: () => Effect.succeed([]),
        draft: Effect.succeed([])
      })
    }))
  )
  // @ts-expect-error: the place of the todos has no Notes
  const poor = Modules.standard.replace(Modules.todos, demanding)
  for (const plan of [without, whole, other, poor]) assert.isFunction(plan.build)
  assert.deepStrictEqual([isComplete, isWhole], [true, true])
})

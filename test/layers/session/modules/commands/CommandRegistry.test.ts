import { assert, it } from "@effect/vitest"
import { Effect, Exit, Option, Scope } from "effect"
import type { AgentEvent } from "../../../../../src/domain/conversation/AgentEvent.ts"
import * as CommandRegistry from "../../../../../src/layers/session/modules/commands/CommandRegistry.ts"
import * as EventLoop from "../../../../../src/layers/machine/engine/EventLoop.ts"
import type { SlashCommand } from "../../../../../src/services/session/modules/Commands.ts"
import { run, sourceInfo } from "../../../../support/agent/SlashFakes.ts"

const command = (name: string, description: string, source: SlashCommand["source"] = "extension"): SlashCommand => ({
  ...run(name, () => Effect.void),
  description,
  source,
  sourceInfo
})

/** A registry whose announcements run in the scope of the test, and what it has published. */
const make = Effect.gen(function* () {
  const events: Array<AgentEvent> = []
  const scope = yield* Effect.scope
  const commands = CommandRegistry.make({
    publish: (event) => events.push(event),
    detach: (effect) => void Effect.runFork(Effect.forkIn(effect, scope))
  })
  return { commands, events }
})

const told = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event._tag === "CommandsChanged" ? event.commands.map(({ name }) => name) : event._tag))

const listed = (commands: CommandRegistryOf) =>
  Effect.map(commands.list, (all) => all.map(({ description, name }) => `${name}: ${description}`))
type CommandRegistryOf = ReturnType<typeof CommandRegistry.make>

it.scoped("extensions come first, then templates, then skills, each in the order of registration", () =>
  Effect.gen(function* () {
    const { commands } = yield* make
    for (const [name, source] of [
      ["skill:b", "skill"],
      ["fix", "prompt"],
      ["two", "extension"],
      ["skill:a", "skill"],
      ["one", "extension"]
    ] as const) {
      assert.strictEqual(yield* commands.register(command(name, "d", source)), name)
    }
    assert.deepStrictEqual(yield* listed(commands), ["two: d", "one: d", "fix: d", "skill:b: d", "skill:a: d"])
    assert.strictEqual(yield* commands.list, yield* commands.list)
  })
)

it.scoped("two of the same name are numbered, and the one that is left has its name back", () =>
  Effect.gen(function* () {
    const { commands } = yield* make
    const [first, second] = [yield* Scope.make(), yield* Scope.make()]
    const registered = (described: string, scope: Scope.Scope) =>
      Scope.extend(commands.register(command("go", described)), scope)
    assert.strictEqual(yield* registered("first", first), "go")
    assert.strictEqual(yield* registered("second", second), "go:2")
    assert.deepStrictEqual(yield* listed(commands), ["go:1: first", "go:2: second"])
    assert.isTrue(Option.isNone(yield* commands.find("go")))
    assert.strictEqual((yield* Effect.flatten(commands.find("go:2"))).description, "second")
    yield* Scope.close(first, Exit.void)
    assert.deepStrictEqual(yield* listed(commands), ["go: second"])
    yield* Scope.close(second, Exit.void)
    assert.deepStrictEqual(yield* listed(commands), [])
  })
)

it.scoped(
  "a command of an extension takes the place of a template of its name while it is there, whichever came first",
  () =>
    Effect.gen(function* () {
      const { commands } = yield* make
      const gone = yield* Scope.make()
      yield* commands.register(command("fix", "template", "prompt"))
      assert.strictEqual(yield* Scope.extend(commands.register(command("fix", "extension")), gone), "fix")
      yield* commands.register(command("fix", "later template", "prompt"))
      assert.deepStrictEqual(yield* listed(commands), ["fix: extension"])
      assert.strictEqual((yield* Effect.flatten(commands.find("fix"))).description, "extension")
      yield* Scope.close(gone, Exit.void)
      assert.deepStrictEqual(yield* listed(commands), ["fix:1: template", "fix:2: later template"])
    })
)

it.scoped("a number that an author has chosen is left to it", () =>
  Effect.gen(function* () {
    const { commands } = yield* make
    yield* commands.register(command("go:1", "of its author"))
    yield* commands.register(command("go", "first"))
    assert.strictEqual(yield* commands.register(command("go", "second")), "go:3")
    assert.deepStrictEqual(yield* listed(commands), ["go:1: of its author", "go:2: first", "go:3: second"])
  })
)

it.scoped("changes that come together are told once, with what is there then", () =>
  Effect.gen(function* () {
    const { commands, events } = yield* make
    const gone = yield* Scope.make()
    yield* commands.register(command("a", "d"))
    yield* Scope.extend(commands.register(command("b", "d")), gone)
    yield* Scope.close(gone, Exit.void)
    assert.deepStrictEqual(told(events), [])
    yield* Effect.repeatN(EventLoop.nextTurn, 3)
    assert.deepStrictEqual(told(events), [["a"]])
    yield* commands.register(command("c", "d"))
    yield* Effect.repeatN(EventLoop.nextTurn, 3)
    assert.deepStrictEqual(told(events), [["a"], ["a", "c"]])
  })
)

it.scoped("a description without end is cut", () =>
  Effect.gen(function* () {
    const { commands } = yield* make
    yield* commands.register(command("long", "x".repeat(100_000)))
    const [only] = yield* commands.list
    assert.strictEqual(only?.description, `${"x".repeat(2000)}…`)
  })
)

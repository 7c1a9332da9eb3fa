import { assert, it } from "@effect/vitest"
import { Effect, Exit, Option, Ref, Scope } from "effect"
import * as SessionToolSet from "../../../src/layers/tools/SessionToolSet.ts"
import type { SessionTools, Tool } from "../../../src/services/Tools.ts"
import { output, tool } from "../../support/agent/AgentHarness.ts"

const named = (name: string, description = name): Tool =>
  tool(name, () => Effect.succeed(output(description)), {
    definition: { name, description, parameters: { type: "object" } }
  })

const own = [named("read"), named("bash"), named("edit")]

/** A set over three own tools, and the tools of a host that the test changes. */
const make = Effect.gen(function* () {
  const hosts = yield* Ref.make<ReadonlyArray<Tool>>([])
  const tools = SessionToolSet.make({ own: Effect.succeed(own), offered: Ref.get(hosts) })
  return { tools, hosts }
})

const words = (tools: ReadonlyArray<Tool>) => tools.map(({ definition }) => definition.description)
const active = ({ active }: SessionTools) => Effect.map(active, words)
const all = ({ all }: SessionTools) => Effect.map(all, words)
const refusal = (name: string) => `Tool "${name}" is already registered; the first one stays`

it.scoped("a registered tool stands in the place of an own one, others behind; the end of its scope restores", () =>
  Effect.gen(function* () {
    const { hosts, tools } = yield* make
    yield* Ref.set(hosts, [named("deploy")])
    const scope = yield* Scope.make()
    yield* Scope.extend(tools.register(named("todo")), scope)
    yield* Scope.extend(tools.register(named("bash", "another bash")), scope)
    assert.deepStrictEqual(yield* active(tools), ["read", "another bash", "edit", "todo", "deploy"])
    assert.deepStrictEqual(yield* tools.activeNames, ["read", "bash", "edit", "todo", "deploy"])
    assert.strictEqual((yield* Effect.flatten(tools.find("bash"))).definition.description, "another bash")
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* active(tools), ["read", "bash", "edit", "deploy"])
    assert.deepStrictEqual(yield* tools.find("bash"), Option.fromNullable(own[1]))
    assert.isTrue(Option.isNone(yield* tools.find("todo")))
  })
)

it.scoped("the list is the same array until something changes", () =>
  Effect.gen(function* () {
    const { hosts, tools } = yield* make
    const first = yield* tools.active
    assert.strictEqual(yield* tools.active, first)
    const deploy = named("deploy")
    yield* Ref.set(hosts, [deploy])
    const second = yield* tools.active
    yield* Ref.set(hosts, [deploy])
    assert.strictEqual(yield* tools.active, second)
    yield* tools.register(named("todo"))
    const third = yield* tools.active
    assert.deepStrictEqual([first.length, second.length, third.length], [3, 4, 5])
    assert.strictEqual(yield* tools.active, third)
  })
)

it.scoped("of two registrations the first keeps the name, unless the second is to replace it", () =>
  Effect.gen(function* () {
    const { hosts, tools } = yield* make
    yield* Ref.set(hosts, [named("deploy")])
    yield* tools.register(named("todo", "first"))
    const refused = yield* Effect.flip(tools.register(named("todo", "second")))
    assert.deepStrictEqual([refused.reason, refused.name, refused.message], ["taken", "todo", refusal("todo")])
    assert.strictEqual((yield* Effect.flip(tools.register(named("deploy")))).message, refusal("deploy"))
    const scope = yield* Scope.make()
    yield* Scope.extend(tools.register(named("todo", "better"), { replaces: true }), scope)
    assert.deepStrictEqual(yield* active(tools), ["read", "bash", "edit", "better", "deploy"])
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* active(tools), ["read", "bash", "edit", "first", "deploy"])
  })
)

it.scoped("setActive chooses among own and registered tools, ignores other names, and leaves those of the host", () =>
  Effect.gen(function* () {
    const { hosts, tools } = yield* make
    yield* Ref.set(hosts, [named("deploy")])
    yield* tools.register(named("todo"))
    yield* tools.register(named("secret"), { hidden: true })
    assert.deepStrictEqual(yield* active(tools), ["read", "bash", "edit", "todo", "deploy"])
    const everything = ["read", "bash", "edit", "todo", "secret", "deploy"]
    assert.deepStrictEqual(yield* all(tools), everything)
    yield* tools.setActive(["secret", "read", "unknown", "later"])
    assert.deepStrictEqual(yield* active(tools), ["read", "secret", "deploy"])
    assert.isTrue(Option.isNone(yield* tools.find("bash")))
    assert.deepStrictEqual(yield* all(tools), everything)
    // A name that meant nothing when it was chosen means nothing later.
    yield* tools.register(named("later"), { hidden: true })
    assert.deepStrictEqual(yield* active(tools), ["read", "secret", "deploy"])
    yield* tools.setActive([])
    assert.deepStrictEqual(yield* active(tools), ["deploy"])
  })
)

it.scoped("a tool registered after a choice is active, and leaves the choice as it was", () =>
  Effect.gen(function* () {
    const { tools } = yield* make
    yield* tools.setActive(["read"])
    const scope = yield* Scope.make()
    yield* Scope.extend(tools.register(named("bash", "another bash")), scope)
    yield* Scope.extend(tools.register(named("todo")), scope)
    assert.deepStrictEqual(yield* active(tools), ["read", "another bash", "todo"])
    yield* Scope.extend(tools.register(named("todo", "better"), { replaces: true }), scope)
    assert.deepStrictEqual(yield* active(tools), ["read", "another bash", "better"])
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* active(tools), ["read"])
  })
)

it.scoped("a choice that is made after a registration outlives it", () =>
  Effect.gen(function* () {
    const { tools } = yield* make
    yield* tools.setActive([])
    const scope = yield* Scope.make()
    yield* Scope.extend(tools.register(named("bash", "another bash")), scope)
    yield* tools.setActive(["bash"])
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* active(tools), ["bash"])
  })
)

it.scoped("a set that allows nothing keeps registered tools out", () =>
  Effect.gen(function* () {
    const none = Effect.succeed([])
    const tools = SessionToolSet.make({ own: none, offered: none, allows: (name) => name !== "bash" })
    yield* tools.register(named("bash"))
    yield* tools.register(named("todo"))
    yield* tools.setActive(["bash", "todo"])
    assert.deepStrictEqual([yield* active(tools), yield* all(tools)], [["todo"], ["todo"]])
  })
)

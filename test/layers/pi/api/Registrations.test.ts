import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { isHandler } from "../../../../src/layers/pi/instance/Values.ts"
import type { SlashCommand } from "../../../../src/services/session/modules/Commands.ts"
import { SlashCommandFailed } from "../../../../src/services/session/modules/Commands.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const source = Loaded.extension("/x/one.ts").sourceInfo

const run = (command: SlashCommand | undefined, args: string) =>
  command?.action._tag === "Run" ? command.action.run(args) : Effect.dieMessage("no such command")

describe("commands", () => {
  it.scoped("are listed with where they come from, and run with their arguments and a context", () =>
    Effect.gen(function* () {
      const { commands, pi } = yield* Loaded.make()
      const seen: Array<unknown> = []
      pi.registerCommand("/deploy", {
        description: "Deploys.",
        argumentHint: "<where>",
        handler: async (args: string, ctx: { readonly cwd: string; readonly newSession: unknown }) => {
          seen.push([args, ctx.cwd, typeof ctx.newSession])
        }
      })
      assert.deepStrictEqual(pi.getCommands(), [
        { name: "deploy", description: "Deploys.", source: "extension", sourceInfo: source }
      ])
      assert.strictEqual(commands[0]?.argumentHint, "<where>")
      yield* run(commands[0], "to prod")
      assert.deepStrictEqual(seen, [["to prod", "/project", "function"]])
    })
  )

  it.scoped("a handler that throws fails the command; an interrupt does not wait for it", () =>
    Effect.gen(function* () {
      const { commands, pi } = yield* Loaded.make()
      const started = yield* Deferred.make<void>()
      pi.registerCommand("bad", {
        handler: () => {
          throw new Error("broken")
        }
      })
      pi.registerCommand("hang", {
        handler: () => {
          Deferred.unsafeDone(started, Effect.void)
          return new Promise(() => {})
        }
      })
      const failure = yield* Effect.flip(run(commands[0], ""))
      assert.deepStrictEqual(failure, new SlashCommandFailed({ command: "bad", message: "broken" }))
      const fiber = yield* Effect.fork(run(commands[1], ""))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.scoped("complete their arguments, in any of the forms that pi takes", () =>
    Effect.gen(function* () {
      const { commands, hooks, pi } = yield* Loaded.make()
      const handler = () => undefined
      const answers: ReadonlyArray<unknown> = [
        [{ value: "prod", label: "Production", description: "Live" }, { value: "test" }, "dev", { label: "x" }, 5],
        null,
        Promise.resolve([{ value: "later", label: "Later" }])
      ]
      answers.forEach((answer, index) =>
        pi.registerCommand(`c${index}`, { handler, getArgumentCompletions: () => answer })
      )
      pi.registerCommand("bad", {
        handler,
        getArgumentCompletions: () => {
          throw new Error("no list")
        }
      })
      pi.registerCommand("none", { handler })
      const complete = (command: SlashCommand): Effect.Effect<unknown> =>
        command.complete?.("p") ?? Effect.succeed("absent")
      assert.deepStrictEqual(yield* Effect.forEach(commands, complete), [
        [
          { value: "prod", label: "Production", description: "Live" },
          { value: "test", label: "test" },
          { value: "dev", label: "dev" }
        ],
        [],
        [{ value: "later", label: "Later" }],
        [],
        "absent"
      ])
      assert.deepStrictEqual(hooks.reports, [
        { name: "/x/one.ts", event: "getArgumentCompletions", message: "no list" }
      ])
    })
  )

  it.scoped("registered again, a command takes the place of the extension's own", () =>
    Effect.gen(function* () {
      const { commands, pi } = yield* Loaded.make()
      pi.registerCommand("c", { description: "old", handler: () => undefined })
      pi.registerCommand("c", { description: "newer", handler: () => undefined })
      assert.deepStrictEqual(
        commands.map(({ description }) => description),
        ["newer"]
      )
    })
  )
})

describe("providers", () => {
  it.scoped("pass as they were given, and take each other's place", () =>
    Effect.gen(function* () {
      const { notes, pi, providers } = yield* Loaded.make()
      const config = { baseUrl: "http://127.0.0.1:1", api: "openai-completions", headers: { "x-b": 2 }, models: 5 }
      pi.registerProvider("local", config)
      assert.deepStrictEqual(providers, [["local", config]])
      pi.registerProvider("local", { baseUrl: "http://127.0.0.1:2" })
      assert.deepStrictEqual(providers, [["local", { baseUrl: "http://127.0.0.1:2" }]])
      pi.unregisterProvider("local")
      assert.deepStrictEqual([providers, notes], [[], [["unregister", "local"]]])
    })
  )

  it.scoped("the object form has an id, a function for its models, and code of its own", () =>
    Effect.gen(function* () {
      const { ctx, providers } = yield* Loaded.make()
      class Own {
        readonly id = "own"
        readonly name = "Own"
        readonly list = [{ id: "m" }]
        readonly getModels = () => this.list
        readonly streamSimple = (model: unknown) => [this.id, model]
      }
      ctx.modelRegistry.registerProvider({ ...new Own() })
      const [name, provider] = providers[0] ?? []
      assert.deepStrictEqual([name, provider?.["name"], provider?.["models"]], ["own", "Own", [{ id: "m" }]])
      const stream = provider?.["streamSimple"]
      assert.deepStrictEqual(isHandler(stream) ? stream("m") : undefined, ["own", "m"])
      ctx.modelRegistry.unregisterProvider("own")
      assert.deepStrictEqual(providers, [])
    })
  )
})

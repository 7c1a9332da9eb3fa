/** The services of the process, each replaced alone: the row of docs/embedding.md with another Layer in one place. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Effect, Layer, Mailbox } from "effect"
import type { AgentEvent } from "../../src/domain/conversation/AgentEvent.ts"
import type { ModelEvent } from "../../src/domain/model/ModelEvent.ts"
import * as AgentLive from "../../src/layers/Process.ts"
import * as Delegation from "../../src/layers/delegation/subagents/Delegation.ts"
import * as MemorySessionStore from "../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as ToolRegistry from "../../src/layers/tools/ToolRegistry.ts"
import * as Server from "../../src/rpc/Server.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Budget, BudgetExceeded } from "../../src/services/session/modules/Budget.ts"
import { Transport } from "../../src/services/host/Transport.ts"
import { Credentials, KeyUnavailable } from "../../src/services/model/Credentials.ts"
import type { ModelCatalog } from "../../src/services/model/ModelCatalog.ts"
import type { ModelClient, ModelFailure } from "../../src/services/model/ModelClient.ts"
import { ProviderRegistrations } from "../../src/services/model/ProviderRegistrations.ts"
import { Controls } from "../../src/services/session/modules/Controls.ts"
import { Sessions } from "../../src/services/session/Sessions.ts"
import { SessionStore } from "../../src/services/storage/SessionStore.ts"
import { Shell, type ShellResult } from "../../src/services/Shell.ts"
import type { Tools } from "../../src/services/Tools.ts"
import { output, resultTexts, tool } from "../support/agent/AgentHarness.ts"
import * as Budgets from "../support/agent/Budgets.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import { tempFolder } from "./tools/TempFolder.ts"

/** The parts of the process that stand in one place each. */
const ownParts = (options: AgentLive.AgentOptions) => ({
  tools: AgentLive.tools(options),
  store: AgentLive.store(options),
  budget: AgentLive.budget(options),
  shell: AgentLive.shell(options),
  models: AgentLive.models(options),
  credentials: AgentLive.credentials(options)
})

type Parts = ReturnType<typeof ownParts>

/** What subagents need, too. */
const ground = (options: AgentLive.AgentOptions) =>
  Layer.provideMerge(Layer.merge(Delegation.worktrees(options), Delegation.verification), AgentLive.base(options))

const row = (options: AgentLive.AgentOptions, { budget, credentials, models, shell, store, tools }: Parts) =>
  AgentLive.agent(options).pipe(
    Layer.provideMerge(Layer.mergeAll(tools, store, budget)),
    Layer.provideMerge(shell),
    Layer.provideMerge(models),
    Layer.provideMerge(credentials),
    Layer.provideMerge(AgentLive.catalog(options)),
    Layer.provideMerge(ground(options))
  )

/** What the model `offline/script` does: a shell command, then an answer. */
const scenario = {
  turns: [
    { steps: [{ toolCall: { name: "bash", arguments: { command: "echo from the machine" } } }] },
    { steps: [{ text: "done" }] }
  ]
}

/** A provider with keys that nobody can reach. */
const modelsFile = {
  providers: { vault: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", models: [{ id: "locked" }] } }
}

const makeOptions = (more: Partial<AgentLive.AgentOptions> = {}) =>
  Effect.map(tempFolder, (folder): AgentLive.AgentOptions => {
    writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario))
    writeFileSync(join(folder, "models.json"), JSON.stringify(modelsFile))
    return {
      agentDir: folder,
      cwd: folder,
      overrides: { "offline.scenario": join(folder, "scenario.json") },
      provider: "offline",
      model: "script",
      models: [],
      session: { inMemory: true },
      ...more
    }
  })

/** Sends a prompt to the agent of the current session; answers its events up to the end of the run. */
const ask = Effect.gen(function* () {
  const sessions = yield* Sessions
  const events: Array<AgentEvent> = []
  yield* sessions.attach({ offer: (event) => events.push(event), ready: Effect.void })
  const agent = Context.get(yield* sessions.current, Agent)
  yield* agent.prompt({ text: "Hi" })
  yield* agent.awaitIdle
  return events
}).pipe(Effect.scoped)

const askWith = (replacement: Partial<Parts>, more: Partial<AgentLive.AgentOptions> = {}) =>
  Effect.flatMap(makeOptions(more), (options) =>
    Effect.provide(ask, row(options, { ...ownParts(options), ...replacement }))
  )

const said = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "MessageEnded" && event.message.role === "assistant"
      ? event.message.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
      : []
  )

const failures = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [event.error?.message] : []))

const shellResult: ShellResult = {
  output: "from another shell",
  exitCode: 0,
  cancelled: false,
  timedOut: false,
  truncated: false,
  truncatedBy: null,
  lastLinePartial: false,
  totalLines: 1,
  totalBytes: 18,
  outputLines: 1,
  outputBytes: 18,
  maxLines: 100,
  maxBytes: 1000,
  durationMs: 1
}

describe("a part that is replaced alone is used", () => {
  it.scoped("none", () =>
    Effect.gen(function* () {
      const events = yield* askWith({})
      assert.deepStrictEqual(said(events), ["done"])
      assert.include(resultTexts(events).join(), "from the machine")
    })
  )

  it.scoped("provider", () =>
    Effect.gen(function* () {
      const script = yield* ScriptedModel.make([ScriptedModel.say("from the script")])
      const { id: model, provider } = ScriptedModel.model
      assert.deepStrictEqual(said(yield* askWith({ models: script.layer }, { provider, model })), ["from the script"])
    })
  )

  it.scoped("tools", () =>
    Effect.gen(function* () {
      const tools = ToolRegistry.layerOf([tool("bash", () => Effect.succeed(output("from another tool")))])
      assert.deepStrictEqual(resultTexts(yield* askWith({ tools })), ["from another tool"])
    })
  )

  it.scoped("store", () =>
    Effect.gen(function* () {
      const stored: Array<string> = []
      const store = Layer.map(MemorySessionStore.layer({ cwd: "/" }), (context) => {
        const service = Context.get(context, SessionStore)
        const create: typeof service.create = (given) =>
          Effect.map(service.create(given), (log) => ({
            ...log,
            append: (entries) => {
              for (const entry of entries) stored.push(entry.type === "message" ? entry.message.role : entry.type)
              return log.append(entries)
            }
          }))
        return Context.make(SessionStore, { ...service, create })
      })
      yield* askWith({ store })
      assert.deepStrictEqual(stored, ["user", "assistant", "toolResult", "assistant"])
    })
  )

  it.scoped("budget", () =>
    Effect.gen(function* () {
      const budget = Layer.succeed(Budget, { open: () => Effect.succeed(Budgets.spent("cost")) })
      const refused = new BudgetExceeded({ reason: "cost", limit: 1, spent: 2 })
      assert.deepStrictEqual(yield* Effect.flip(askWith({ budget })), refused)
    })
  )

  it.scoped("shell", () =>
    Effect.gen(function* () {
      const shell = Layer.mock(Shell, { run: () => Effect.succeed(shellResult) })
      const texts = resultTexts(yield* askWith({ shell })).join()
      assert.include(texts, "from another shell")
    })
  )

  it.scoped("credentials", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const credentials = Layer.succeed(Credentials, {
        has: () => Effect.succeed(true),
        find: (provider) => {
          asked.push(provider)
          return new KeyUnavailable({ provider, message: "the vault is locked" })
        }
      })
      const events = yield* askWith({ credentials }, { provider: "vault", model: "locked" })
      assert.deepStrictEqual(failures(events), ["the vault is locked"])
      assert.deepStrictEqual(asked, ["vault"])
    })
  )

  it.scoped("transport", () =>
    Effect.gen(function* () {
      const options = yield* makeOptions()
      const input = yield* Mailbox.make<Uint8Array>()
      const written: Array<string> = []
      const transport = Layer.succeed(Transport, {
        input,
        write: (text) => Effect.sync(() => void written.push(text)),
        gather: Effect.yieldNow()
      })
      yield* input.offer(new TextEncoder().encode('{"id":"p","type":"prompt","message":"Hi"}\n'))
      yield* input.end
      yield* Server.serve({
        version: "1.0.0",
        updates: "delta",
        drain: true,
        uptime: Effect.succeed(0)
      }).pipe(Effect.provide(Layer.merge(AgentLive.layer(options), transport)))
      const types = written
        .join("")
        .split("\n")
        .slice(0, -1)
        .map((line): string => JSON.parse(line).type)
      assert.deepStrictEqual([types[0], types.at(-1)], ["ready", "session_settled"])
    })
  )
})

/** The row with one part left out, for each of the parts. */
const leftOut = (options: AgentLive.AgentOptions) => {
  const { budget, credentials, models, shell, store, tools } = ownParts(options)
  const agent = AgentLive.agent(options)
  const known = Layer.provideMerge(AgentLive.catalog(options), ground(options))
  const keys = Layer.provideMerge(credentials, known)
  const called = Layer.provideMerge(models, keys)
  const machine = Layer.provideMerge(shell, called)
  return {
    tools: Layer.provide(agent, Layer.provideMerge(Layer.merge(store, budget), machine)),
    store: Layer.provide(agent, Layer.provideMerge(Layer.merge(tools, budget), machine)),
    budget: Layer.provide(agent, Layer.provideMerge(Layer.merge(tools, store), machine)),
    shell: Layer.provide(agent, Layer.provideMerge(Layer.mergeAll(tools, store, budget), called)),
    models: Layer.provide(
      agent,
      Layer.provideMerge(Layer.mergeAll(tools, store, budget), Layer.provideMerge(shell, keys))
    ),
    credentials: Layer.provide(
      agent,
      Layer.provideMerge(
        Layer.mergeAll(tools, store, budget),
        Layer.provideMerge(shell, Layer.provideMerge(models, known))
      )
    )
  }
}

/** A Layer can be built only when it needs nothing more. */
type Needs<Part extends keyof Parts> = Layer.Layer.Context<ReturnType<typeof leftOut>[Part]>

it("a row without one of its parts does not compile: the type names what is missing", () => {
  expectTypeOf<Layer.Layer.Context<ReturnType<typeof row>>>().toEqualTypeOf<never>()
  expectTypeOf<Needs<"tools">>().toEqualTypeOf<Tools>()
  expectTypeOf<Needs<"store">>().toEqualTypeOf<SessionStore>()
  expectTypeOf<Needs<"budget">>().toEqualTypeOf<Budget>()
  expectTypeOf<Needs<"shell">>().toEqualTypeOf<Shell>()
  expectTypeOf<Needs<"models">>().toEqualTypeOf<ModelCatalog | ModelClient>()
  expectTypeOf<Needs<"credentials">>().toEqualTypeOf<Credentials>()
  expectTypeOf<Transport>().toExtend<Effect.Effect.Context<ReturnType<typeof Server.serve>>>()
})

describe("a provider that is registered while a session is open", () => {
  it.scoped("answers the next prompt of it", () =>
    Effect.gen(function* () {
      const options = yield* makeOptions()
      const context = yield* Layer.build(AgentLive.layer(options))
      const { register } = Context.get(context, ProviderRegistrations)
      const answer: ReadonlyArray<ModelEvent> = [
        { _tag: "TextStarted" },
        { _tag: "Delta", delta: "from the extension" },
        { _tag: "BlockEnded" },
        { _tag: "Finished", stopReason: "stop" }
      ]
      yield* register("acme", {
        models: [{ id: "loom" }],
        stream: () =>
          Effect.tap(Mailbox.make<ModelEvent, ModelFailure>(), (mailbox) =>
            Effect.zipRight(mailbox.offerAll(answer), mailbox.end)
          )
      })
      const sessions = Context.get(context, Sessions)
      const controls = Context.get(yield* sessions.current, Controls)
      yield* controls.setModel("acme", "loom")
      const events = yield* Effect.provide(ask, context)
      assert.deepStrictEqual(said(events), ["from the extension"])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mostRegistrations } from "../../../../src/layers/pi/instance/Instance.ts"
import * as ScriptedModel from "../../../support/agent/ScriptedModel.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"
import * as TestPorts from "../../../support/extensions/TestPorts.ts"

const { rejected, thrown } = Loaded

describe("actions", () => {
  it.scoped("reach the agent, the session and the log, also when they are taken off the object", () =>
    Effect.gen(function* () {
      const { agent, notes, pi } = yield* Loaded.make()
      const { getSessionName, getThinkingLevel, logger, sendMessage, setModel, setSessionName } = pi
      sendMessage({ customType: "note", content: "hi", display: true }, { deliverAs: "nextTurn", triggerTurn: true })
      pi.sendUserMessage("go on", { deliverAs: "followUp", expandPromptTemplates: false })
      pi.sendUserMessage([{ type: "text", text: "and this" }])
      pi.setLabel("e1", "here")
      pi.setLabel("e1", undefined)
      pi.setLabel("My extension")
      setSessionName("Work")
      pi.setThinkingLevel("off")
      logger.warn("low", 5)
      assert.deepStrictEqual(notes, [
        ["send", { customType: "note", content: "hi", display: true }, { deliverAs: "nextTurn", triggerTurn: true }],
        ["sendUser", "go on", { deliverAs: "followUp", expandPromptTemplates: false }],
        ["sendUser", [{ type: "text", text: "and this" }], {}],
        ["setLabel", "e1", "here"],
        ["setLabel", "e1", undefined],
        ["rename", "Work"],
        ["log", "warn", "/x/one.ts: low 5"]
      ])
      assert.strictEqual(getSessionName(), undefined)
      assert.strictEqual(getThinkingLevel(), "off")
      assert.strictEqual(yield* Effect.promise(() => setModel(ScriptedModel.model)), true)
      assert.strictEqual(yield* Effect.promise(() => setModel({ provider: "none", id: "x" })), false)
      assert.strictEqual((yield* agent.state).model?.id, "test-model")
    })
  )

  it.scoped("appendEntry is in the session at once", () =>
    Effect.gen(function* () {
      const { ctx, pi } = yield* Loaded.make()
      pi.appendEntry("todo", { done: 1 })
      const [entry] = ctx.sessionManager.getEntries()
      assert.deepInclude(entry, { type: "custom", customType: "todo", data: { done: 1 }, parentId: null })
    })
  )

  it.scoped("what cannot be sent is reported, because nobody waits for it", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* Loaded.make({
        ports: ({ messages }) => ({
          messages: { ...messages, sendUser: () => Effect.fail({ message: "Agent is already processing." }) }
        })
      })
      pi.sendMessage("text")
      pi.sendMessage({ content: "x" })
      pi.sendMessage({ customType: "t", content: [{ type: "video" }] })
      pi.sendUserMessage(5)
      pi.sendUserMessage("x")
      const told = (event: string, message: string) => ({ name: "/x/one.ts", event, message })
      assert.deepStrictEqual(hooks.reports, [
        told("extension_send", "sendMessage: message must be an object"),
        told("extension_send", "sendMessage: message customType must be a text"),
        told("extension_send", "sendMessage: message content must be a text or an array of texts and images"),
        told("extension_send_user", "sendUserMessage: content must be a text or an array of texts and images"),
        told("extension_send_user", "Agent is already processing.")
      ])
    })
  )

  it.scoped("bad arguments throw a text that says what is wrong", () =>
    Effect.gen(function* () {
      const { pi } = yield* Loaded.make()
      const calls: ReadonlyArray<readonly [() => unknown, string]> = [
        [() => pi.on("", () => {}), "on: event must be a text that is not empty"],
        [() => pi.on("input", "x"), "on: the handler of input must be a function"],
        [() => pi.appendEntry(5), "customType must be a text that is not empty"],
        [() => pi.setThinkingLevel("enormous"), "setThinkingLevel: there is no level enormous"],
        [() => pi.setActiveTools("read"), "setActiveTools: names must be an array of texts"],
        [() => pi.registerTool(5), "registerTool: the tool must be an object"],
        [() => pi.registerTool({ name: "x" }), "registerTool: x needs a function execute"],
        [() => pi.registerCommand("x", {}), "registerCommand: x needs a function handler"],
        [() => pi.registerFlag("x", { type: "number" }), 'registerFlag: the type of x must be "boolean" or "string"'],
        [() => pi.registerProvider("x"), "registerProvider: the provider must be an object"],
        [() => pi.events.on("x", 5), "events.on: the handler must be a function"]
      ]
      assert.deepStrictEqual(
        calls.map(([call]) => thrown(call)),
        calls.map(([, text]) => text)
      )
      assert.strictEqual(yield* rejected(pi.exec("ls", "x")), "exec: args must be an array of texts")
      assert.strictEqual(yield* rejected(pi.setModel(undefined)), "setModel: provider must be a text that is not empty")
    })
  )
})

describe("phases", () => {
  it.scoped("while the factory runs, registrations work and actions throw", () =>
    Effect.gen(function* () {
      const { pi, tools } = yield* Loaded.add(yield* TestPorts.make())
      pi.registerTool({ name: "t", execute: () => undefined })
      pi.on("session_start", () => {})
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["t"]
      )
      const advice = "() cannot be called while the extension is loading. Call it in a session_start handler."
      const actions: ReadonlyArray<readonly [string, () => unknown]> = [
        ["sendMessage", () => pi.sendMessage({})],
        ["sendUserMessage", () => pi.sendUserMessage("x")],
        ["appendEntry", () => pi.appendEntry("x")],
        ["setLabel", () => pi.setLabel("x", "y")],
        ["setSessionName", () => pi.setSessionName("x")],
        ["getSessionName", () => pi.getSessionName()],
        ["getActiveTools", () => pi.getActiveTools()],
        ["getAllTools", () => pi.getAllTools()],
        ["setActiveTools", () => pi.setActiveTools([])],
        ["getCommands", () => pi.getCommands()],
        ["getThinkingLevel", () => pi.getThinkingLevel()],
        ["setThinkingLevel", () => pi.setThinkingLevel("off")]
      ]
      assert.deepStrictEqual(
        actions.map(([, call]) => thrown(call)),
        actions.map(([name]) => `${name}${advice}`)
      )
      assert.strictEqual(yield* rejected(pi.exec("ls")), `exec${advice}`)
      assert.strictEqual(yield* rejected(pi.setModel({})), `setModel${advice}`)
    })
  )

  it.scoped("after the session every method says that it is stale, and what was registered is gone", () =>
    Effect.gen(function* () {
      const { close, commandCtx, commands, ctx, hooks, pi, tools } = yield* Loaded.make()
      pi.registerTool({ name: "t", execute: () => undefined })
      pi.registerCommand("c", { handler: () => undefined })
      pi.on("input", () => {})
      pi.events.on("x", () => {})
      const { sessionManager, ui } = ctx
      yield* close
      assert.deepStrictEqual([tools, commands, hooks.registrations()], [[], [], []])
      const calls: ReadonlyArray<() => unknown> = [
        () => pi.on("input", () => {}),
        () => pi.registerTool({ name: "t", execute: () => undefined }),
        () => pi.registerCommand("c", { handler: () => undefined }),
        () => pi.registerShortcut(),
        () => pi.sendMessage({}),
        () => pi.events.emit("x"),
        () => pi.getFlag("x"),
        () => ctx.ui,
        () => ctx.model,
        () => ctx.isIdle(),
        () => ctx.abort(),
        () => ctx.compact(),
        () => ctx.shutdown(),
        () => sessionManager.getEntries(),
        () => ui.notify("late")
      ]
      for (const call of calls) assert.match(thrown(call), /stale after a session change or reload/)
      for (const promise of [ui.confirm("a", "b"), commandCtx.newSession(), commandCtx.reload(), pi.exec("ls")]) {
        assert.match(yield* rejected(promise), /stale/)
      }
    })
  )
})

describe("registrations", () => {
  it.scoped("for terminals are accepted, and so are events that heddle does not have", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* Loaded.make()
      pi.registerShortcut()
      pi.registerMessageRenderer()
      pi.registerEntryRenderer()
      pi.registerToolRenderer()
      pi.registerMarkdownTransformer()
      pi.registerVirtualModel()
      pi.registerMcpServer()
      assert.deepStrictEqual(pi.getMcpServers(), [])
      pi.on("project_trust", () => assert.fail("called"))()
      assert.deepStrictEqual(hooks.reports, [])
    })
  )

  it.scoped("are limited for each kind", () =>
    Effect.gen(function* () {
      const { pi } = yield* Loaded.make()
      for (let count = 0; count < mostRegistrations; count++) pi.registerShortcut()
      assert.strictEqual(thrown(pi.registerShortcut), "An extension may have at most 10000 shortcuts.")
      pi.registerMessageRenderer()
    })
  )

  it.scoped("the settings are a copy", () =>
    Effect.gen(function* () {
      const { ctx, pi, ports } = yield* Loaded.make()
      assert.deepStrictEqual(pi.getSettings(), { ...ports.settings })
      assert.notStrictEqual(pi.getSettings(), ports.settings)
      assert.deepStrictEqual(ctx.settings, pi.getSettings())
    })
  )
})

describe("flags", () => {
  const flags = new Map<string, string | true>([
    ["plan", true],
    ["quiet", "false"],
    ["level", "high"],
    ["empty", true]
  ])

  it.scoped("have the value of the command line, else their default; those of others are not seen", () =>
    Effect.gen(function* () {
      const { instance, pi } = yield* Loaded.make({ flags })
      pi.registerFlag("plan", { type: "boolean", default: false, description: "Plans." })
      pi.registerFlag("--quiet", { type: "boolean" })
      pi.registerFlag("level", { type: "string", default: "low" })
      pi.registerFlag("empty", { type: "string", default: "preset" })
      pi.registerFlag("absent", { type: "string" })
      pi.registerFlag("wrong", { type: "boolean", default: "yes" })
      assert.deepStrictEqual(["plan", "quiet", "level", "empty", "absent", "wrong", "unknown"].map(pi.getFlag), [
        true,
        false,
        "high",
        "preset",
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual([...instance.flags].slice(0, 3), [
        ["plan", { type: "boolean", description: "Plans.", default: false }],
        ["quiet", { type: "boolean" }],
        ["level", { type: "string", default: "low" }]
      ])
    })
  )
})

describe("events", () => {
  it.scoped("pass between the extensions of a session; a listener that fails is reported", () =>
    Effect.gen(function* () {
      const one = yield* Loaded.make()
      const other = yield* Loaded.add(one, { shared: one.shared, path: "/x/two.ts" })
      const seen: Array<unknown> = []
      const listener = (data: unknown) => void seen.push(data)
      const remove = one.pi.events.on("a", listener)
      one.pi.events.on("a", () => {
        throw new Error("bad listener")
      })
      one.pi.events.on("a", async () => {
        throw new Error("bad promise")
      })
      other.pi.events.emit("a", 1)
      other.pi.events.emit("b", 2)
      remove()
      other.pi.events.emit("a", 3)
      one.pi.events.on("a", listener)
      one.pi.events.off("a", listener)
      yield* one.close
      other.pi.events.emit("a", 4)
      assert.deepStrictEqual(seen, [1])
      assert.deepStrictEqual(one.hooks.reports.map(({ event, message, name }) => [name, event, message]).slice(0, 2), [
        ["/x/one.ts", "events:a", "bad listener"],
        ["/x/one.ts", "events:a", "bad listener"]
      ])
    })
  )

  it.scoped("a listener that adds listeners to its own channel does not go on for ever", () =>
    Effect.gen(function* () {
      const { pi } = yield* Loaded.make()
      let calls = 0
      const again = () => {
        calls++
        pi.events.on("a", again)
      }
      pi.events.on("a", again)
      pi.events.emit("a")
      assert.strictEqual(calls, 1)
    })
  )
})

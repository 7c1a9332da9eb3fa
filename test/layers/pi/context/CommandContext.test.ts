import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Bridge from "../../../../src/layers/machine/foreign/Bridge.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

it.scoped("changes of the session take pi's options", () =>
  Effect.gen(function* () {
    const { commandCtx, notes } = yield* Loaded.make()
    const { branch, fork, navigateTree, newSession, switchSession } = commandCtx
    const changes = [
      newSession({ parentSession: "/a.jsonl" }),
      newSession(),
      fork("e1"),
      branch("e2", { position: "at" }),
      switchSession("/b.jsonl"),
      navigateTree("e3", { summarize: true, customInstructions: "short", label: "L" }),
      navigateTree("e4")
    ]
    const done = yield* Effect.promise(() => Promise.all(changes))
    assert.deepStrictEqual(
      done,
      changes.map(() => ({ cancelled: false }))
    )
    assert.deepStrictEqual(notes, [
      ["create", { parentSession: "/a.jsonl" }],
      ["create", {}],
      ["fork", "e1", "before"],
      ["fork", "e2", "at"],
      ["open", "/b.jsonl"],
      ["navigate", { entryId: "e3", summarize: true, customInstructions: "short", label: "L" }],
      ["navigate", { entryId: "e4", summarize: false }]
    ])
    assert.strictEqual(yield* Loaded.rejected(fork(5)), "entryId must be a text that is not empty")
  })
)

it.scoped("waitForIdle and reload are promises", () =>
  Effect.gen(function* () {
    let reloads = 0
    const reload = async () => void reloads++
    const { commandCtx } = yield* Loaded.make({}, { outside: { reload } })
    yield* Effect.promise(() => commandCtx.waitForIdle())
    yield* Effect.promise(() => commandCtx.reload())
    assert.strictEqual(reloads, 1)
  })
)

it.scoped("a change outlives the session that asked for it, and goes on in the next one", () =>
  Effect.gen(function* () {
    const next = yield* Loaded.make({}, { path: "/x/one.ts" })
    const bridge = yield* Bridge.make
    const left = yield* Deferred.make<void>()
    const old = yield* Loaded.make(
      {
        ports: ({ changes }) => ({
          changes: { ...changes, create: () => Effect.as(Deferred.await(left), { cancelled: false }) }
        })
      },
      { outside: { bridge, successor: () => next.instance } }
    )
    const steps: Array<unknown> = []
    const changing = old.commandCtx.newSession({
      setup: async (manager: {
        readonly appendMessage: (message: unknown) => void
        readonly appendCustomEntry: (type: string, data: unknown) => void
        readonly appendCustomMessageEntry: (type: string, content: string, display: boolean) => void
        readonly appendSessionInfo: (name: string) => void
        readonly appendLabelChange: (id: string, label: string) => void
      }) => {
        manager.appendMessage({ role: "user", content: "start here", timestamp: 1 })
        manager.appendCustomEntry("state", { n: 1 })
        manager.appendCustomMessageEntry("note", "seen", true)
        manager.appendSessionInfo("Second")
        manager.appendLabelChange("e1", "L")
        steps.push(
          "setup",
          Loaded.thrown(() => manager.appendMessage(5))
        )
      },
      withSession: async (ctx: {
        readonly sendUserMessage: (text: string) => Promise<void>
        readonly sendMessage: (message: unknown) => Promise<void>
        readonly sessionManager: { readonly getEntries: () => ReadonlyArray<object> }
      }) => {
        await ctx.sendUserMessage("go")
        await ctx.sendMessage({ customType: "c", content: "x", display: true })
        steps.push(ctx.sessionManager.getEntries().length)
      }
    })
    yield* old.close
    yield* Deferred.succeed(left, undefined)
    assert.deepStrictEqual(yield* Effect.promise(() => changing), { cancelled: false })
    assert.deepStrictEqual(steps, ["setup", "appendMessage: this is no message", 2])
    assert.deepStrictEqual(next.notes, [
      ["send", { customType: "note", content: "seen", display: true }, {}],
      ["rename", "Second"],
      ["setLabel", "e1", "L"],
      ["sendUser", "go", {}],
      ["send", { customType: "c", content: "x", display: true }, {}]
    ])
  })
)

it.scoped("withSession is not called after a change that a hook cancelled, and not without a next session", () =>
  Effect.gen(function* () {
    const cancelled = yield* Loaded.make({
      ports: ({ changes }) => ({ changes: { ...changes, create: () => Effect.succeed({ cancelled: true }) } })
    })
    const withSession = () => assert.fail("called")
    const stayed = yield* Effect.promise(() => cancelled.commandCtx.newSession({ withSession }))
    assert.deepStrictEqual(stayed, { cancelled: true })
    const alone = yield* Loaded.make()
    assert.strictEqual(
      yield* Loaded.rejected(alone.commandCtx.newSession({ withSession })),
      "/x/one.ts did not load in the session that newSession() opened."
    )
    const failing = yield* Loaded.make({
      ports: ({ changes }) => ({ changes: { ...changes, open: () => Effect.fail({ message: "Session not found" }) } })
    })
    assert.strictEqual(yield* Loaded.rejected(failing.commandCtx.switchSession("/x")), "Session not found")
  })
)

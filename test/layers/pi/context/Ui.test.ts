import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Option } from "effect"
import * as Loaded from "../../../support/extensions/Loaded.ts"

describe("dialogs", () => {
  it.scoped("ask the host with what they were given", () =>
    Effect.gen(function* () {
      const { ctx, notes } = yield* Loaded.make()
      const { ui } = ctx
      const ask = <A>(question: () => Promise<A>) => Effect.promise(question)
      assert.deepStrictEqual(
        [
          yield* ask(() => ui.select("Which?", ["a", "b"], { timeout: 50 })),
          yield* ask(() => ui.select("Which?", [{ label: "c", description: "the third" }, { value: 4 }])),
          yield* ask(() => ui.confirm("Sure?", "Really?")),
          yield* ask(() => ui.input("Name", "your name")),
          yield* ask(() => ui.editor("Text", "draft", {}, { promptStyle: true }))
        ],
        ["a", "c", true, "typed", "edited"]
      )
      assert.deepStrictEqual(notes, [
        ["select", { title: "Which?", timeoutMs: 50, options: ["a", "b"] }],
        ["select", { title: "Which?", options: ["c", "4"], details: [{ description: "the third" }, {}] }],
        ["confirm", { title: "Sure?", message: "Really?" }],
        ["input", { title: "Name", placeholder: "your name" }],
        ["editor", { title: "Text", prefill: "draft", promptStyle: true }]
      ])
      const wrong = yield* Loaded.rejected(ui.select("Which?", "a"))
      assert.strictEqual(wrong, "ui.select: options must be an array of texts")
    })
  )

  it.scoped("have their defaults when nobody answers, and when a signal withdraws them", () =>
    Effect.gen(function* () {
      const none = yield* Loaded.make({
        ui: {
          select: () => Effect.succeed(Option.none()),
          input: () => Effect.never,
          confirm: () => Effect.never,
          editor: () => Effect.never
        }
      })
      const { ui } = none.ctx
      const controller = new AbortController()
      const { signal } = controller
      const all = [
        ui.select("a", ["b"]),
        ui.input("a", "b", { signal }),
        ui.confirm("a", "b", { signal }),
        ui.editor("a", "b", { signal })
      ]
      controller.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => Promise.all(all)), [undefined, undefined, false, undefined])
    })
  )

  it.scoped("end with the call that opened them, and not with another one", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<boolean>()
      const { call, commandCtx, ctx, instance } = yield* Loaded.make({ ui: { confirm: () => Deferred.await(answer) } })
      const other = yield* Loaded.add(yield* Loaded.make({ ui: { confirm: () => Deferred.await(answer) } }))
      const mine = [ctx.ui.confirm("a", "b"), commandCtx.ui.confirm("a", "b")]
      const theirs = other.ctx.ui.confirm("a", "b")
      call.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => Promise.all(mine)), [false, false])
      yield* Deferred.succeed(answer, true)
      assert.strictEqual(yield* Effect.promise(() => theirs), true)
      assert.strictEqual(instance.bridge.isOpen(), true)
    })
  )
})

describe("notices", () => {
  it.scoped("reach the host as text", () =>
    Effect.gen(function* () {
      const { ctx, notes } = yield* Loaded.make()
      const { notify, pasteToEditor, setEditorText, setStatus, setTitle, setWidget, theme } = ctx.ui
      notify("one")
      notify({ toString: () => "two" }, "warning")
      setStatus("s", theme.fg("accent", theme.bold("on")))
      setStatus("s", undefined)
      setWidget("w", ["a", 5], { placement: "belowEditor" })
      setWidget("w", undefined)
      setWidget("w", () => assert.fail("called"))
      setTitle("T")
      setEditorText("e")
      pasteToEditor("p")
      assert.deepStrictEqual(notes, [
        ["notify", { message: "one", level: "info" }],
        ["notify", { message: "two", level: "warning" }],
        ["setStatus", "s", "on"],
        ["setStatus", "s"],
        ["setWidget", { key: "w", lines: ["a", "5"], placement: "belowEditor" }],
        ["setWidget", { key: "w" }],
        ["setTitle", "T"],
        ["setEditorText", "e"],
        ["setEditorText", "p"]
      ])
    })
  )

  it.scoped("what only a terminal shows does nothing, and says so where pi has an answer", () =>
    Effect.gen(function* () {
      const { ctx, notes } = yield* Loaded.make()
      const { ui } = ctx
      assert.strictEqual(yield* Effect.promise(() => ui.custom()), undefined)
      for (const method of [
        ui.setWorkingMessage,
        ui.setWorkingVisible,
        ui.setWorkingIndicator,
        ui.setHiddenThinkingLabel,
        ui.setFooter,
        ui.setHeader,
        ui.setEditorComponent,
        ui.getEditorComponent,
        ui.addAutocompleteProvider,
        ui.setToolsExpanded,
        ui.getTheme,
        ui.onTerminalInput()
      ]) {
        assert.strictEqual(method(), undefined)
      }
      assert.deepStrictEqual(
        [ui.getAllThemes(), ui.setTheme(), ui.getEditorText(), ui.getToolsExpanded()],
        [[], { success: false, error: "Themes are not available in rpc mode" }, "", false]
      )
      const { theme } = ui
      assert.deepStrictEqual(
        [theme.bg("b", "t"), theme.italic("t"), theme.underline("t"), theme.inverse("t"), theme.strikethrough("t")],
        ["t", "t", "t", "t", "t"]
      )
      assert.deepStrictEqual([theme.getFgAnsi(), theme.getThinkingBorderColor()("x"), theme.name], ["", "x", "plain"])
      assert.deepStrictEqual(notes, [])
    })
  )
})

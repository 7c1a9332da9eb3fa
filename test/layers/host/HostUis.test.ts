/** The HostUi layers without a wire: nobody to ask, whoever has connected, and functions of a program. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Option, Scope, TestClock } from "effect"
import * as HeadlessUi from "../../../src/layers/host/HeadlessUi.ts"
import * as InProcessUi from "../../../src/layers/host/InProcessUi.ts"
import * as SwitchedUi from "../../../src/layers/host/SwitchedUi.ts"
import { HostUi, type Ui } from "../../../src/services/host/HostUi.ts"
import { UiSwitch } from "../../../src/services/host/HostUi.ts"
import * as Supervision from "../../../src/services/supervision/Supervision.ts"
import * as FixedIds from "../../support/agent/FixedIds.ts"

const none = Option.none<string>()
const askAll = (ui: Ui) =>
  Effect.all([
    ui.select({ title: "Which?", options: ["a"] }),
    ui.confirm({ title: "Sure?", message: "" }),
    ui.input({ title: "Name?" }),
    ui.editor({ title: "Text?" })
  ])
const defaults = [none, false, none, none]

const tellAll = (ui: Ui) =>
  Effect.all([
    ui.notify({ message: "hello" }),
    ui.setStatus("k", "t"),
    ui.setWidget({ key: "k" }),
    ui.setTitle("t"),
    ui.setEditorText("t")
  ])

const logged = (into: Array<unknown>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void into.push(...[message].flat()))
  )

it.effect("without a host every question gets its default at once, which the log says once", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    yield* Effect.gen(function* () {
      const ui = yield* HostUi
      assert.isFalse(yield* ui.isPresent)
      assert.deepStrictEqual([yield* askAll(ui), yield* askAll(ui)], [defaults, defaults])
      yield* tellAll(ui)
    }).pipe(Effect.provide(Layer.merge(HeadlessUi.layer, logged(lines))))
    assert.deepStrictEqual(lines, [
      "Nobody can be asked here, so questions get their default answers at once.",
      "hello"
    ])
  })
)

/** Answers everything with its name, and keeps what it is told. */
const answering = (name: string, told: Array<unknown>): Ui => {
  const note =
    (method: string) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.sync(() => void told.push([name, method, ...args]))
  const answer = () => Effect.succeedSome(name)
  return {
    isPresent: Effect.succeed(true),
    select: answer,
    confirm: () => Effect.succeed(true),
    input: answer,
    editor: answer,
    notify: note("notify"),
    setStatus: note("setStatus"),
    setWidget: note("setWidget"),
    setTitle: note("setTitle"),
    setEditorText: note("setEditorText")
  }
}
const answersOf = (name: string) => [Option.some(name), true, Option.some(name), Option.some(name)]

it.effect("the host that has connected last is asked, for as long as it is connected", () =>
  Effect.gen(function* () {
    const [ui, { connect }] = [yield* HostUi, yield* UiSwitch]
    const told: Array<unknown> = []
    const join = Effect.fnUntraced(function* (name: string) {
      const scope = yield* Scope.make()
      yield* Scope.extend(connect(answering(name, told)), scope)
      return Scope.close(scope, Exit.void)
    })
    assert.deepStrictEqual([yield* ui.isPresent, yield* askAll(ui)], [false, defaults])
    const leaveA = yield* join("A")
    assert.deepStrictEqual([yield* ui.isPresent, yield* askAll(ui)], [true, answersOf("A")])
    const leaveB = yield* join("B")
    assert.deepStrictEqual(yield* askAll(ui), answersOf("B"))
    yield* leaveA
    yield* tellAll(ui)
    assert.deepStrictEqual(told, [
      ["B", "notify", { message: "hello" }],
      ["B", "setStatus", "k", "t"],
      ["B", "setWidget", { key: "k" }],
      ["B", "setTitle", "t"],
      ["B", "setEditorText", "t"]
    ])
    yield* leaveB
    assert.deepStrictEqual([yield* ui.isPresent, yield* askAll(ui)], [false, defaults])
  }).pipe(Effect.provide(SwitchedUi.layer))
)

const inProcess = (functions: InProcessUi.UiFunctions) => Layer.provide(InProcessUi.layer(functions), FixedIds.layer)

it.effect("functions of a program answer; what it has no function for gets its default", () =>
  Effect.gen(function* () {
    const ui = yield* HostUi
    assert.isTrue(yield* ui.isPresent)
    assert.deepStrictEqual(yield* askAll(ui), [Option.some("a"), false, none, none])
  }).pipe(Effect.provide(inProcess({ select: ({ options }) => Effect.succeed(Option.fromNullable(options[0])) })))
)

it.effect("a program without a function for questions is no user interface, unless it says so", () =>
  Effect.gen(function* () {
    const isPresent = Effect.flatMap(HostUi, (ui) => ui.isPresent)
    assert.isFalse(yield* Effect.provide(isPresent, inProcess({ notify: () => Effect.void })))
    assert.isTrue(yield* Effect.provide(isPresent, inProcess({ isPresent: Effect.succeed(true) })))
  })
)

it.effect("the time of a question holds for functions, too, and each open one is a node that can be ended", () =>
  Effect.gen(function* () {
    const interrupted: Array<string> = []
    const opened = yield* Deferred.make<void>()
    const never = (title: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(title)))
    const root = Supervision.makeRoot({ kind: "session", label: "session" }, 0, () => "fb_1")
    yield* Effect.gen(function* () {
      const ui = yield* HostUi
      const late = yield* Effect.fork(ui.confirm({ title: "late", message: "", timeoutMs: 50 }))
      yield* TestClock.adjust("50 millis")
      assert.isFalse(yield* Fiber.join(late))
      const open = yield* Effect.fork(Supervision.under(root)(ui.input({ title: "ended" })))
      yield* Deferred.await(opened)
      const [node] = [...root.children]
      assert.deepStrictEqual([node?.spec.kind, node?.spec.label], ["dialog", "ended"])
      yield* node?.spec.end ?? Effect.dieMessage("no node")
      assert.deepStrictEqual(yield* Fiber.join(open), none)
      assert.deepStrictEqual(interrupted, ["late", "ended"])
    }).pipe(
      Effect.provide(
        inProcess({
          confirm: ({ title }) => never(title),
          input: ({ title }) => Effect.zipRight(Deferred.succeed(opened, undefined), never(title))
        })
      )
    )
  })
)

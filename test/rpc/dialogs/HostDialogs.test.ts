import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as HostDialogs from "../../../src/rpc/dialogs/HostDialogs.ts"
import type { DialogMethod, Ui } from "../../../src/services/host/HostUi.ts"
import { Ids } from "../../../src/services/Ids.ts"
import * as Supervision from "../../../src/services/supervision/Supervision.ts"
import { prefer } from "../../../src/rpc/connection/Connection.ts"
import * as Connections from "../../support/Connections.ts"
import * as FixedIds from "../../support/agent/FixedIds.ts"

const setUp = Effect.gen(function* () {
  const ids = yield* Ids
  const sent: Array<object> = []
  const notices: Array<AgentEvent> = []
  const root = Supervision.makeRoot({ kind: "session", label: "session" }, 0, () => ids.next("fiber"))
  const connection = Connections.make("delta")
  const host = HostDialogs.make({
    ids,
    connection,
    outbox: {
      record: (frame) => sent.push(frame),
      offer: (event) => notices.push(event),
      ready: Effect.void
    },
    root: Effect.succeed(root),
    emitTitle: false
  })
  const reply = (id: unknown, more: object) =>
    host.receive("extension_ui_response", { type: "extension_ui_response", id, ...more })
  const begin = <A>(ask: (ui: Ui) => Effect.Effect<A>) =>
    Effect.tap(Effect.fork(ask(host.ui)), () => Effect.repeatN(Effect.yieldNow(), 20))
  return { host, ui: host.ui, sent, notices, root, connection, reply, begin }
}).pipe(Effect.provide(FixedIds.layer))

const request = (id: string, method: string, more: object) => ({ type: "extension_ui_request", id, method, ...more })
const withdrawal = (id: string, targetId: string) => request(id, "cancel", { targetId })

const select = (ui: Ui) => ui.select({ title: "Which?", options: ["a", "b"] })
const confirm = (ui: Ui) => ui.confirm({ title: "Sure?", message: "Really?" })
const input = (ui: Ui) => ui.input({ title: "Name?" })
const editor = (ui: Ui) => ui.editor({ title: "Text?" })
const none = Option.none<string>()

it.effect("each question is a frame of its own, and answers count once, in any order", () =>
  Effect.gen(function* () {
    const { begin, reply, sent, ui } = yield* setUp
    const first = yield* begin(() =>
      ui.select({
        title: "Which?",
        options: ["a", "b"],
        details: [{ description: "the first" }, {}],
        timeoutMs: 1500.2
      })
    )
    const second = yield* begin(() => ui.confirm({ title: "Sure?", message: "Really?", timeoutMs: 30_000 }))
    const third = yield* begin(() => ui.input({ title: "Name?", placeholder: "yours" }))
    const fourth = yield* begin(() => ui.editor({ title: "Text?", prefill: "so far", promptStyle: true }))
    const frames = [
      request("ui_1", "select", {
        title: "Which?",
        options: ["a", "b"],
        optionDetails: [{ description: "the first" }, {}],
        timeout: 1501
      }),
      request("ui_2", "confirm", { title: "Sure?", message: "Really?", timeout: 30_000 }),
      request("ui_3", "input", { title: "Name?", placeholder: "yours" }),
      request("ui_4", "editor", { title: "Text?", prefill: "so far", promptStyle: true })
    ]
    assert.deepStrictEqual(sent, frames)
    assert.isTrue(reply("ui_4", { value: "all of it" }))
    assert.isTrue(reply("ui_4", { value: "late" }))
    for (const id of ["ui_9", 4, undefined]) assert.isTrue(reply(id, { value: "nobody asked" }))
    reply("ui_3", { value: "" })
    reply("ui_2", { confirmed: true })
    assert.isNull(first.unsafePoll())
    reply("ui_1", { value: "none of them" })
    assert.deepStrictEqual(yield* Fiber.join(first), Option.some("none of them"))
    assert.isTrue(yield* Fiber.join(second))
    assert.deepStrictEqual(yield* Fiber.join(third), Option.some(""))
    assert.deepStrictEqual(yield* Fiber.join(fourth), Option.some("all of it"))
    assert.deepStrictEqual(sent, frames)
  })
)

const asked: ReadonlyArray<readonly [DialogMethod, (ui: Ui) => Effect.Effect<unknown>, fallback: unknown]> = [
  ["select", select, none],
  ["confirm", confirm, false],
  ["input", input, none],
  ["editor", editor, none]
]

const refusals: ReadonlyArray<readonly [string, object]> = [
  ["cancelled", { cancelled: true }],
  ["cancelled beside an answer", { cancelled: true, value: "a", confirmed: true }],
  ["nothing at all", {}],
  ["values of the wrong type", { value: 1, confirmed: "yes" }],
  ["null", { value: null, confirmed: null }]
]

describe.each(asked)("%s gets its default", (method, ask, fallback) => {
  it.effect.each(refusals)("when the reply is %s", ([, more]) =>
    Effect.gen(function* () {
      const { begin, reply, sent } = yield* setUp
      const dialog = yield* begin(ask)
      reply("ui_1", more)
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("when the reply is of another kind", () =>
    Effect.gen(function* () {
      const { begin, reply } = yield* setUp
      const dialog = yield* begin(ask)
      reply("ui_1", method === "confirm" ? { value: "true" } : { confirmed: true })
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
    })
  )

  it.effect("when the reply cannot be taken at all", () =>
    Effect.gen(function* () {
      const { begin, host, sent } = yield* setUp
      const dialog = yield* begin(ask)
      host.refuse("host_tool_result", { id: "ui_1" })
      assert.isNull(dialog.unsafePoll())
      host.refuse("extension_ui_response", { id: "ui_1" })
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("when the host goes, without a frame, and at once from then on", () =>
    Effect.gen(function* () {
      const { begin, host, sent, ui } = yield* setUp
      const dialog = yield* begin(ask)
      assert.isTrue(yield* ui.isPresent)
      host.disconnect()
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
      assert.deepStrictEqual(yield* ask(ui), fallback)
      yield* ui.notify({ message: "nobody hears this" })
      assert.isFalse(yield* ui.isPresent)
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("when the process ends, and the host is told once", () =>
    Effect.gen(function* () {
      const { begin, host, sent, ui } = yield* setUp
      const dialog = yield* begin(ask)
      host.withdraw()
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
      assert.deepStrictEqual(yield* ask(ui), fallback)
      assert.deepStrictEqual(sent.slice(1), [withdrawal("ui_2", "ui_1")])
    })
  )

  it.effect("when the host cancels its node, and the asking fiber goes on", () =>
    Effect.gen(function* () {
      const { begin, root, sent } = yield* setUp
      const dialog = yield* begin(ask)
      yield* root.registry.named.get("ui_1")?.spec.end ?? Effect.dieMessage("no node")
      assert.deepStrictEqual(yield* Fiber.join(dialog), fallback)
      assert.deepStrictEqual(sent.slice(1), [withdrawal("ui_2", "ui_1")])
      assert.strictEqual(root.children.size, 0)
    })
  )

  it.effect("when the host has said that it cannot answer such questions, with one notice", () =>
    Effect.gen(function* () {
      const { connection, notices, sent, ui } = yield* setUp
      const able = new Set(asked.map(([other]) => other).filter((other) => other !== method))
      yield* prefer(connection, (now) => ({ ...now, ui: able }))
      assert.isTrue(yield* ui.isPresent)
      assert.deepStrictEqual([yield* ask(ui), yield* ask(ui)], [fallback, fallback])
      const message = `The host cannot answer ${method} questions. They get their default answers.`
      assert.deepStrictEqual(notices, [{ _tag: "Notice", level: "warning", message, source: "ui" }])
      assert.deepStrictEqual(sent, [])
    })
  )
})

it.effect("a host that can answer nothing is no user interface", () =>
  Effect.gen(function* () {
    const { connection, ui } = yield* setUp
    yield* prefer(connection, (now) => ({ ...now, ui: new Set<DialogMethod>() }))
    assert.isFalse(yield* ui.isPresent)
  })
)

it.effect("the time is over: the default, a withdrawal, and a word to who asked; a late reply is ignored", () =>
  Effect.gen(function* () {
    const { begin, reply, root, sent } = yield* setUp
    let late = 0
    const onTimeout = Effect.sync(() => void late++)
    const dialog = yield* begin((ui) => ui.confirm({ title: "Sure?", message: "", timeoutMs: 30_000, onTimeout }))
    yield* TestClock.adjust("29999 millis")
    assert.isNull(dialog.unsafePoll())
    yield* TestClock.adjust("1 millis")
    assert.isFalse(yield* Fiber.join(dialog))
    reply("ui_1", { confirmed: true })
    assert.deepStrictEqual(sent.slice(1), [withdrawal("ui_2", "ui_1")])
    assert.strictEqual(late, 1)
    assert.strictEqual(root.children.size, 0)
  })
)

it.effect("a question in a masked region gets its default, too: in time, and when its node is cancelled", () =>
  Effect.gen(function* () {
    const { begin, root, sent } = yield* setUp
    const masked = (timeoutMs?: number) => (ui: Ui) =>
      Effect.uninterruptible(ui.input({ title: "Name?", ...(timeoutMs === undefined ? {} : { timeoutMs }) }))
    const [late, open] = [yield* begin(masked(1000)), yield* begin(masked())]
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(yield* Fiber.join(late), none)
    yield* root.registry.named.get("ui_2")?.spec.end ?? Effect.dieMessage("no node")
    assert.deepStrictEqual(yield* Fiber.join(open), none)
    assert.deepStrictEqual(sent.slice(2), [withdrawal("ui_3", "ui_1"), withdrawal("ui_4", "ui_2")])
  })
)

it.effect("members that do not fit are left out, and the rest of the reply counts", () =>
  Effect.gen(function* () {
    const { begin, reply } = yield* setUp
    const first = yield* begin(select)
    const second = yield* begin(confirm)
    reply("ui_1", { value: "a", confirmed: "yes", cancelled: "true", timedOut: 1 })
    reply("ui_2", { value: 7, confirmed: true, cancelled: null })
    assert.deepStrictEqual(yield* Fiber.join(first), Option.some("a"))
    assert.isTrue(yield* Fiber.join(second))
  })
)

it.effect("a host that says that the time is over is believed", () =>
  Effect.gen(function* () {
    const { begin, reply, sent } = yield* setUp
    let late = 0
    const onTimeout = Effect.sync(() => void late++)
    const dialog = yield* begin((ui) => ui.input({ title: "Name?", timeoutMs: 30_000, onTimeout }))
    reply("ui_1", { cancelled: true, timedOut: true })
    assert.deepStrictEqual(yield* Fiber.join(dialog), none)
    assert.deepStrictEqual([late, sent.length], [1, 1])
  })
)

it.effect.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("a timeout of %d is none", (timeoutMs) =>
  Effect.gen(function* () {
    const { begin, reply, sent } = yield* setUp
    const dialog = yield* begin((ui) => ui.confirm({ title: "Sure?", message: "", timeoutMs }))
    yield* TestClock.adjust("365 days")
    reply("ui_1", { confirmed: true })
    assert.isTrue(yield* Fiber.join(dialog))
    assert.deepStrictEqual(sent, [request("ui_1", "confirm", { title: "Sure?", message: "" })])
  })
)

it.effect("an interrupt withdraws the question once, and not one that was answered", () =>
  Effect.gen(function* () {
    const { begin, reply, sent } = yield* setUp
    const [open, answered] = [yield* begin(select), yield* begin(input)]
    reply("ui_2", { value: "just now" })
    yield* Fiber.interruptAll([open, answered])
    yield* Fiber.interruptAll([open, answered])
    reply("ui_1", { value: "late" })
    assert.deepStrictEqual(sent.slice(2), [withdrawal("ui_3", "ui_1")])
  })
)

it.effect("an open question is a node, under the node that asks or under the session", () =>
  Effect.gen(function* () {
    const { begin, root } = yield* setUp
    yield* TestClock.setTime(1000)
    const title = `${"long ".repeat(30)}\nsecond line`
    const outside = yield* begin((ui) => ui.confirm({ title, message: "", timeoutMs: 500 }))
    const spec = { kind: "tool_call", label: "ask" } as const
    const inside = yield* begin((ui) => Supervision.nodeUnder(root, spec, () => select(ui)))
    const [first, call] = [...root.children]
    const { end: _, ...shown } = first?.spec ?? {}
    assert.deepStrictEqual(shown, {
      kind: "dialog",
      label: `${title.slice(0, 79)}…`,
      refs: { dialogId: "ui_1" },
      names: ["ui_1"],
      waitingOn: { kind: "dialog", id: "ui_1", until: 1500 }
    })
    const [second] = [...(call?.children ?? [])]
    assert.deepStrictEqual([call?.spec.kind, second?.spec.refs], ["tool_call", { dialogId: "ui_2" }])
    yield* Fiber.interruptAll([outside, inside])
    assert.strictEqual(root.children.size, 0)
  })
)

it.effect("256 questions may be open, and more get their defaults, which is said once", () =>
  Effect.gen(function* () {
    const { begin, notices, reply, sent, ui } = yield* setUp
    const open = yield* Effect.forEach(Array.from({ length: 256 }), () => begin(select))
    assert.deepStrictEqual([yield* confirm(ui), yield* input(ui)], [false, none])
    const message = "More than 256 questions are open. Further ones get their default answers."
    assert.deepStrictEqual(notices, [{ _tag: "Notice", level: "warning", message, source: "ui" }])
    reply("ui_1", { value: "a" })
    const next = yield* begin(confirm)
    assert.strictEqual(sent.length, 257)
    yield* Fiber.interruptAll([...open, next])
  })
)

it.effect("of very many options the first thousand are shown, which is said once", () =>
  Effect.gen(function* () {
    const { begin, notices, reply, sent } = yield* setUp
    const options = Array.from({ length: 1001 }, (_, at) => `option ${at}`)
    for (const id of ["ui_1", "ui_2"]) {
      const dialog = yield* begin((ui) => ui.select({ title: "Which?", options }))
      reply(id, { value: "option 7" })
      assert.deepStrictEqual(yield* Fiber.join(dialog), Option.some("option 7"))
    }
    assert.deepStrictEqual(sent[1], request("ui_2", "select", { title: "Which?", options: options.slice(0, 1000) }))
    const message = "Only the first 1000 options of a question are shown."
    assert.deepStrictEqual(notices, [{ _tag: "Notice", level: "warning", message, source: "ui" }])
  })
)

it.effect("what needs no answer: a state is not repeated, and titles are for hosts that want them", () =>
  Effect.gen(function* () {
    const { sent, ui } = yield* setUp
    yield* ui.notify({ message: "hello", level: "warning" })
    for (const text of ["one", "one", "two", undefined, undefined, "two"]) yield* ui.setStatus("build", text)
    yield* ui.setWidget({ key: "todo", lines: ["a"], placement: "belowEditor" })
    yield* ui.setWidget({ key: "todo" })
    yield* ui.setTitle("heddle")
    yield* ui.setEditorText("draft")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(sent)), [
      request("ui_1", "notify", { message: "hello", notifyType: "warning" }),
      request("ui_2", "setStatus", { statusKey: "build", statusText: "one" }),
      request("ui_3", "setStatus", { statusKey: "build", statusText: "two" }),
      request("ui_4", "setStatus", { statusKey: "build" }),
      request("ui_5", "setStatus", { statusKey: "build", statusText: "two" }),
      request("ui_6", "setWidget", { widgetKey: "todo", widgetLines: ["a"], widgetPlacement: "belowEditor" }),
      request("ui_7", "setWidget", { widgetKey: "todo" }),
      request("ui_8", "set_editor_text", { text: "draft" })
    ])
  })
)

it.effect("frames of other types are left to others", () =>
  Effect.gen(function* () {
    const { host } = yield* setUp
    assert.isFalse(host.receive("prompt", { type: "prompt", id: "ui_1" }))
    assert.isTrue(host.receive("extension_ui_response", { type: "extension_ui_response" }))
  })
)

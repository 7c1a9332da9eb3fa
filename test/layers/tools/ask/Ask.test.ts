import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import * as HeadlessUi from "../../../../src/layers/host/HeadlessUi.ts"
import * as Ask from "../../../../src/layers/tools/ask/Ask.ts"
import type { EditorQuestion, SelectQuestion, Ui } from "../../../../src/services/host/HostUi.ts"
import { run, said } from "../RunTool.ts"

/** What the user does with a question. */
type Act = string | "cancel" | "wait" | "hang"

/** A user who acts as told, question by question, and what the user was shown. */
const makeUser = (...acts: ReadonlyArray<Act>) => {
  const shown: Array<unknown> = []
  const left = [...acts]
  const answer = ({ onTimeout = Effect.void }: { readonly onTimeout?: Effect.Effect<void> }) =>
    Effect.suspend(() => {
      const act = left.shift()
      if (act === undefined) return Effect.dieMessage("asked more often than expected")
      if (act === "hang") return Effect.never
      if (act === "wait") return Effect.as(onTimeout, Option.none<string>())
      return Effect.succeed(act === "cancel" ? Option.none<string>() : Option.some(act))
    })
  const show =
    <Q extends SelectQuestion | EditorQuestion>(method: string) =>
    (question: Q) => {
      const { onTimeout: _, ...rest } = question
      shown.push({ method, ...rest })
      return answer(question)
    }
  const ui: Ui = {
    ...HeadlessUi.make(),
    isPresent: Effect.succeed(true),
    select: show("select"),
    editor: show("editor")
  }
  return { ui, shown, left, tool: Ask.make({ ui, askTimeoutSeconds: 30 }) }
}

const other = "Other (type your own)"
const options = [{ label: "npm" }, { label: "bun" }]
const manager = { id: "manager", question: "Which package manager?", options }
const several = {
  id: "checks",
  question: "Which checks?",
  options: [{ label: "types" }, { label: "lint" }],
  multi: true
}
const shownSelect = (title: string, ...labels: ReadonlyArray<string>) => ({
  method: "select",
  title,
  options: labels,
  timeoutMs: 30_000
})
const details = { question: manager.question, options: ["npm", "bun"], multi: false }
const checks = { question: several.question, options: ["types", "lint"], multi: true }

it.effect("one question: the options, a way to type, and the recommended one marked", () =>
  Effect.gen(function* () {
    const user = makeUser("bun (Recommended)")
    const output = yield* run(user.tool, { questions: [{ ...manager, recommended: 1 }] })
    assert.deepStrictEqual(output, said("The user selected: bun", { ...details, selectedOptions: ["bun"] }))
    assert.deepStrictEqual(user.shown, [shownSelect(manager.question, "npm", "bun (Recommended)", other)])
  })
)

it.effect("an answer that is none of the options is the answer", () =>
  Effect.gen(function* () {
    const output = yield* run(makeUser("yarn").tool, { questions: [manager] })
    assert.deepStrictEqual(output, said("The user selected: yarn", { ...details, selectedOptions: ["yarn"] }))
  })
)

it.effect("what the user types instead, without a deadline", () =>
  Effect.gen(function* () {
    const user = makeUser(other, "pnpm,\nbut not yet")
    const output = yield* run(user.tool, { questions: [manager] })
    assert.deepStrictEqual(
      output,
      said("The user wrote: pnpm,\nbut not yet", {
        ...details,
        selectedOptions: [],
        customInput: "pnpm,\nbut not yet"
      })
    )
    assert.deepStrictEqual(user.shown.slice(1), [{ method: "editor", title: manager.question, promptStyle: true }])
  })
)

const unanswered: ReadonlyArray<readonly [string, ReadonlyArray<Act>]> = [
  ["the question", ["cancel"]],
  ["typing", [other, "cancel"]]
]

it.effect.each(unanswered)("the user cancels %s: no error, and the model is told", ([, acts]) =>
  Effect.gen(function* () {
    const output = yield* run(makeUser(...acts).tool, { questions: [manager] })
    assert.deepStrictEqual(
      output,
      said("The user gave no answer: the question was cancelled", { ...details, selectedOptions: [] })
    )
  })
)

const presumed: ReadonlyArray<readonly [recommended: number | undefined, label: string]> = [
  [undefined, "npm"],
  [1, "bun"],
  [7, "npm"]
]

it.effect.each(presumed)("no answer in time, and option %s was recommended: %s", ([recommended, label]) =>
  Effect.gen(function* () {
    const question = { ...manager, ...(recommended === undefined ? {} : { recommended }) }
    const output = yield* run(makeUser("wait").tool, { questions: [question] })
    assert.deepStrictEqual(
      output,
      said(`The user did not answer within 30 seconds. Go on with: ${label}`, { ...details, selectedOptions: [label] })
    )
  })
)

it.effect("several answers: each choice is toggled until the user is done", () =>
  Effect.gen(function* () {
    const user = makeUser("[ ] lint", "[ ] types", "[x] lint", "[ ] lint", "Done")
    const output = yield* run(user.tool, { questions: [several] })
    assert.deepStrictEqual(
      output,
      said("The user selected: types, lint", { ...checks, selectedOptions: ["types", "lint"] })
    )
    assert.deepStrictEqual(user.shown, [
      shownSelect(several.question, "[ ] types", "[ ] lint", "Done", other),
      shownSelect(several.question, "[ ] types", "[x] lint", "Done", other),
      shownSelect(several.question, "[x] types", "[x] lint", "Done", other),
      shownSelect(several.question, "[x] types", "[ ] lint", "Done", other),
      shownSelect(several.question, "[x] types", "[x] lint", "Done", other)
    ])
  })
)

const endings: ReadonlyArray<readonly [ReadonlyArray<Act>, text: string, more: object]> = [
  [["Done"], "The user selected none of the options", { selectedOptions: [] }],
  [["tests"], "The user selected: tests", { selectedOptions: ["tests"] }],
  [["[ ] lint", "cancel"], "The user gave no answer: the question was cancelled", { selectedOptions: [] }],
  [["wait"], "The user did not answer within 30 seconds. Go on with: types", { selectedOptions: ["types"] }],
  [["[ ] lint", "wait"], "The user did not answer within 30 seconds. Go on with: lint", { selectedOptions: ["lint"] }],
  [
    ["[ ] lint", other, "and tests"],
    "The user wrote: and tests\nand selected: lint",
    { selectedOptions: ["lint"], customInput: "and tests" }
  ]
]

it.effect.each(endings)("several answers end with %j", ([acts, text, more]) =>
  Effect.gen(function* () {
    const output = yield* run(makeUser(...acts).tool, { questions: [several] })
    assert.deepStrictEqual(output, said(text, { ...checks, ...more }))
  })
)

it.effect("several questions have results by id; after one that is cancelled the others are not asked", () =>
  Effect.gen(function* () {
    const user = makeUser("bun", "cancel")
    const output = yield* run(user.tool, { questions: [manager, several, { ...manager, id: "again" }] })
    const silent = "The user gave no answer: the question was cancelled"
    assert.deepStrictEqual(
      output,
      said(`manager: The user selected: bun\nchecks: ${silent}\nagain: ${silent}`, {
        results: [
          { id: "manager", ...details, selectedOptions: ["bun"] },
          { id: "checks", ...checks, selectedOptions: [] },
          { id: "again", ...details, selectedOptions: [] }
        ]
      })
    )
    assert.deepStrictEqual([user.shown.length, user.left], [2, []])
  })
)

it.effect("without a limit the question has no deadline", () =>
  Effect.gen(function* () {
    const { shown, ui } = makeUser("bun")
    yield* run(Ask.make({ ui, askTimeoutSeconds: 0 }), { questions: [manager] })
    assert.deepStrictEqual(shown, [{ method: "select", title: manager.question, options: ["npm", "bun", other] }])
  })
)

it.effect("an interrupt passes through to the question", () =>
  Effect.gen(function* () {
    const [open, withdrawn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hanging = Effect.zipRight(Deferred.succeed(open, undefined), Effect.never)
    const ui: Ui = {
      ...makeUser().ui,
      select: () => Effect.onInterrupt(hanging, () => Deferred.succeed(withdrawn, undefined))
    }
    const call = yield* Effect.fork(run(Ask.make({ ui, askTimeoutSeconds: 30 }), { questions: [manager] }))
    yield* Deferred.await(open)
    yield* Fiber.interrupt(call)
    yield* Deferred.await(withdrawn)
  })
)

it.effect("nobody can be asked: the tool is not offered, and a call says what to do instead", () =>
  Effect.gen(function* () {
    const tool = Ask.make({ ui: HeadlessUi.make(), askTimeoutSeconds: 30 })
    assert.isFalse(yield* tool.isOffered ?? Effect.succeed(true))
    assert.isTrue(yield* makeUser().tool.isOffered ?? Effect.succeed(false))
    assert.strictEqual(
      (yield* Effect.flip(run(tool, { questions: [manager] }))).message,
      "Nobody can be asked: the host has no user interface. Decide yourself, and say in your answer what you assumed."
    )
  })
)

const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
  [undefined, /^Invalid arguments for ask: questions: is missing$/],
  [[], /^Invalid arguments for ask: questions: /],
  [[{ ...manager, options: [] }], /^Invalid arguments for ask: questions\.0\.options: /],
  [[{ ...manager, recommended: -1 }], /^Invalid arguments for ask: questions\.0\.recommended: /],
  [[{ ...manager, options: [{ label: "" }] }], /^Invalid arguments for ask: questions\.0\.options\.0\.label: /],
  [Array.from({ length: 21 }, () => manager), /^Invalid arguments for ask: questions: /]
]

it.effect.each(wrong)("refuses the questions %j before anybody is asked", ([questions, text]) =>
  Effect.gen(function* () {
    const user = makeUser()
    assert.match((yield* Effect.flip(run(user.tool, questions === undefined ? {} : { questions }))).message, text)
    assert.deepStrictEqual(user.shown, [])
  })
)

it("is exclusive, and says what it takes without references", () => {
  const { abortedText, concurrency, definition } = makeUser().tool
  assert.deepStrictEqual([abortedText, concurrency, definition.name], ["Operation aborted", "exclusive", "ask"])
  assert.notInclude(JSON.stringify(definition.parameters), "$")
  assert.deepStrictEqual(definition.parameters["required"], ["questions"])
})

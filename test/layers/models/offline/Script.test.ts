import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import { collect, request, temporaryFolder } from "./support.ts"

const call = { toolCall: { name: "ls", arguments: {} } }
const turns = [{ steps: [{ text: "one" }] }, { steps: [call] }]

/** A provider that plays `scenario.json` in a folder of its own; `calls` answers text, tool call ids or the failure. */
const scripted = Effect.fnUntraced(function* (content: unknown) {
  const cwd = yield* temporaryFolder
  const path = join(cwd, "scenario.json")
  const save = (value: unknown) =>
    Effect.promise(() => writeFile(path, typeof value === "string" ? value : JSON.stringify(value)))
  if (content !== undefined) yield* save(content)
  const provider = yield* Offline.make({ scenario: Option.some("scenario.json"), cwd })
  const next = Effect.gen(function* () {
    const { events, failure } = yield* collect(provider.stream(request({ model: Offline.script })))
    if (failure !== undefined) return failure.message
    return events
      .map((event) => (event._tag === "Delta" ? event.delta : event._tag === "ToolCallStarted" ? `${event.id} ` : ""))
      .join("")
  })
  const calls = (n: number) => Effect.replicateEffect(Effect.merge(next), n)
  const failure = Effect.flip(Effect.scoped(provider.stream(request({ model: Offline.script }))))
  return { path, save, calls, failure }
})

it.scoped("call n gets turn n, and then the scenario is used up", () =>
  Effect.gen(function* () {
    const { calls, failure } = yield* scripted({ turns })
    assert.deepStrictEqual(yield* calls(2), ["one", "call_2_1 {}"])
    const { message, reason, retryable } = yield* failure
    assert.deepStrictEqual(
      { message, reason, retryable },
      {
        reason: "configuration",
        retryable: false,
        message:
          'The scenario has only 2 turns and all of them were played. Add turns, or set "atEnd" to "repeat" or "stay".'
      }
    )
  })
)

it.scoped("repeat starts over with tool call ids that were not used yet", () =>
  Effect.gen(function* () {
    const { calls } = yield* scripted({ atEnd: "repeat", turns })
    assert.deepStrictEqual(yield* calls(4), ["one", "call_2_1 {}", "one", "call_4_1 {}"])
  })
)

it.scoped("stay plays the last turn again", () =>
  Effect.gen(function* () {
    const { calls } = yield* scripted({ atEnd: "stay", turns })
    assert.deepStrictEqual(yield* calls(4), ["one", "call_2_1 {}", "call_3_1 {}", "call_4_1 {}"])
  })
)

it.scoped("a changed file is played from its start once the old one is used up", () =>
  Effect.gen(function* () {
    const { calls, save } = yield* scripted({ turns })
    assert.deepStrictEqual(yield* calls(1), ["one"])
    yield* save({ turns: [{ steps: [{ text: "new" }] }] })
    assert.deepStrictEqual(yield* calls(2), ["call_2_1 {}", "new"])
  })
)

it.scoped("a call that failed because of the file does not count", () =>
  Effect.gen(function* () {
    const { calls, failure, path, save } = yield* scripted(undefined)
    assert.strictEqual((yield* failure).message, `Cannot read the scenario file ${path}: no such file`)
    yield* save({ turn: [] })
    const { message, model, provider, reason } = yield* failure
    assert.deepStrictEqual([provider, model, reason], ["offline", "script", "configuration"])
    assert.strictEqual(
      message,
      `Invalid scenario file ${path}: turn: is unexpected, expected: "$schema" | "description" | "atEnd" | "turns"; ` +
        "turns: is missing"
    )
    yield* save("\uFEFF" + JSON.stringify({ turns }))
    assert.deepStrictEqual(yield* calls(2), ["one", "call_2_1 {}"])
  })
)

it.scoped("without a file the failure says how to name one", () =>
  Effect.gen(function* () {
    const provider = yield* Offline.make({ scenario: Option.none(), cwd: "." })
    const { message, reason } = yield* Effect.flip(provider.stream(request({ model: Offline.script })))
    assert.strictEqual(reason, "configuration")
    assert.include(message, "--set offline.scenario=<path>")
    assert.include(message, "docs/hosts/offline-models.md")
  })
)

it.scoped("a folder in place of the file is named as one", () =>
  Effect.gen(function* () {
    const cwd = yield* temporaryFolder
    const provider = yield* Offline.make({ scenario: Option.some("."), cwd })
    const { message } = yield* Effect.flip(provider.stream(request({ model: Offline.script })))
    assert.strictEqual(message, `Cannot read the scenario file ${cwd}: is a folder, not a file`)
  })
)

it.scoped("a model that the provider does not have is not found", () =>
  Effect.gen(function* () {
    const provider = yield* Offline.make({ scenario: Option.none(), cwd: "." })
    const model = { ...Offline.guide, id: "oracle" }
    assert.strictEqual((yield* Effect.flip(provider.stream(request({ model })))).reason, "not_found")
    assert.deepStrictEqual(
      provider.models.map(({ api, id }) => `${api}/${id}`),
      ["offline/guide", "offline/script"]
    )
  })
)

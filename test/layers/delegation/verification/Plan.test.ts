/** What every shape of `verify` means, under every kind of settings. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import type { SettingsValues } from "../../../../src/services/Settings.ts"
import { type VerificationPlan, VerificationRefused } from "../../../../src/services/delegation/Verification.ts"
import * as Checks from "./Checks.ts"

const types = { name: "types", command: "tsc" }
const tests = { name: "tests", command: "npm test", timeoutMs: 5000, optional: true }

const settings: Partial<SettingsValues> = {
  "task.verification.defaultProfile": "ci",
  "task.verification.maxRetries": 2,
  "task.verification.failureContextLineLimit": 30,
  "task.verification.profiles": {
    ci: { commands: [types], onFailure: "retry_once", maxRetries: 3 },
    full: { mode: "command", commands: [types, tests] },
    off: { mode: "none", commands: [types] },
    lsp: { mode: "lsp" },
    empty: { commands: [] },
    bare: {}
  }
}
const required = { "task.verification.enabled": true, "task.verification.requireForIsolated": true }

const texts = {
  notIsolated: "Verification requires isolated task execution. Pass isolated: true or disable verify.",
  nothing: "Verification requested but no verification profile or commands were provided.",
  unknown: (profile: string) => `Unknown or invalid verification profile "${profile}".`,
  noCommands:
    "Verification requires at least one command. Pass commands in verify, or name a profile that has some in task.verification.profiles.",
  lsp: 'LSP-based task verification is not implemented yet. Use mode "command" with commands, or disable verify.',
  shape: "Invalid verify: expected true, false, the name of a profile, or an object."
}

const resolve = (verify: unknown, values: Partial<SettingsValues>, isolated = true) =>
  Effect.gen(function* () {
    const { plan } = yield* Checks.verifier(values)
    return yield* Effect.match(plan(verify, { isolated }), {
      onFailure: ({ message }) => message,
      onSuccess: (found) => found
    })
  })

const ci: VerificationPlan = {
  profile: "ci",
  commands: [types],
  maxRetries: 3,
  onFailure: "retry_once",
  failureContextLineLimit: 30
}
const full: VerificationPlan = {
  profile: "full",
  commands: [types, tests],
  maxRetries: 2,
  onFailure: "return_failure",
  failureContextLineLimit: 30
}
const inline: VerificationPlan = {
  commands: [types],
  maxRetries: 1,
  onFailure: "return_failure",
  failureContextLineLimit: 200
}

type Row = readonly [verify: unknown, expected: VerificationPlan | string | undefined]

const withProfiles: ReadonlyArray<Row> = [
  [undefined, undefined],
  [null, undefined],
  [false, undefined],
  [true, ci],
  ["", ci],
  ["ci", ci],
  ["full", full],
  ["off", undefined],
  ["lsp", texts.lsp],
  ["empty", texts.noCommands],
  ["bare", texts.noCommands],
  ["nope", texts.unknown("nope")],
  ["constructor", texts.unknown("constructor")],
  ["__proto__", texts.unknown("__proto__")],
  [{}, texts.nothing],
  [{ profile: "" }, ci],
  [{ profile: "full" }, full],
  [{ profile: "nope" }, texts.unknown("nope")],
  // Without a profile it stands alone; nothing is inherited from the default one.
  [
    { commands: [tests] },
    { commands: [tests], maxRetries: 2, onFailure: "return_failure", failureContextLineLimit: 30 }
  ],
  [{ onFailure: "discard_patch" }, texts.nothing],
  // G5: field by field; commands replace.
  [
    { profile: "ci", commands: [tests] },
    { ...ci, commands: [tests] }
  ],
  [
    { profile: "full", commands: [types] },
    { ...full, commands: [types] }
  ],
  [
    { profile: "full", maxRetries: 0 },
    { ...full, maxRetries: 0 }
  ],
  [
    { profile: "", onFailure: "discard_patch" },
    { ...ci, onFailure: "discard_patch" }
  ],
  [
    { profile: "bare", commands: [types] },
    { ...full, profile: "bare", commands: [types] }
  ],
  [{ commands: [] }, texts.noCommands],
  [{ mode: "none" }, undefined],
  [{ mode: "lsp" }, texts.lsp],
  [
    { profile: "off", mode: "command" },
    { ...full, profile: "off", commands: [types] }
  ],
  [{ profile: "lsp", mode: "command" }, texts.noCommands],
  [{ other: 1 }, texts.nothing],
  [3, texts.shape],
  [["ci"], texts.shape],
  [{ profile: 3 }, "Invalid verify: profile: Expected string, actual 3"],
  [
    { mode: "fast" },
    'Invalid verify: mode: Expected "none", actual "fast"; mode: Expected "command", actual "fast"; mode: Expected "lsp", actual "fast"'
  ],
  [{ maxRetries: -1 }, "Invalid verify: maxRetries: Expected a non-negative number, actual -1"],
  [
    { commands: [{ name: "a" }, { name: "", command: "x" }] },
    'Invalid verify: commands.0.command: is missing; commands.1.name: Expected a non empty string, actual ""'
  ]
]

const withoutProfiles: ReadonlyArray<Row> = [
  [undefined, undefined],
  [true, texts.nothing],
  ["", texts.nothing],
  [{}, texts.nothing],
  ["ci", texts.unknown("ci")],
  [{ commands: [] }, texts.noCommands],
  [{ commands: [types] }, inline],
  [
    { commands: [types], maxRetries: 0, onFailure: "retry_once" },
    { ...inline, maxRetries: 0, onFailure: "retry_once" }
  ]
]

/** Only what runs nothing is accepted. */
const notIsolated: ReadonlyArray<Row> = [
  [undefined, undefined],
  [false, undefined],
  [true, texts.notIsolated],
  ["", texts.notIsolated],
  ["nope", texts.notIsolated],
  [{ commands: [types] }, texts.notIsolated],
  [{ mode: "lsp" }, texts.notIsolated],
  [{ mode: "none" }, undefined],
  ["off", undefined]
]

const named = (rows: ReadonlyArray<Row>) =>
  rows.map(([verify, expected]) => ({ name: JSON.stringify(verify) ?? "absent", verify, expected }))

describe("verify", () => {
  it.effect.each(named(withProfiles))("with profiles: $name", ({ expected, verify }) =>
    Effect.map(resolve(verify, settings), (found) => assert.deepStrictEqual(found, expected))
  )
  it.effect.each(named(withoutProfiles))("without profiles: $name", ({ expected, verify }) =>
    Effect.map(resolve(verify, {}), (found) => assert.deepStrictEqual(found, expected))
  )
  it.effect.each(named(notIsolated))("not isolated: $name", ({ expected, verify }) =>
    Effect.map(resolve(verify, { ...settings, ...required }, false), (found) => assert.deepStrictEqual(found, expected))
  )

  it.effect("that is absent means true where the settings require it of isolated tasks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resolve(undefined, { ...settings, ...required }), ci)
      assert.isUndefined(yield* resolve(false, { ...settings, ...required }))
      assert.strictEqual(yield* resolve(undefined, required), texts.nothing)
      for (const name of Object.keys(required)) {
        assert.isUndefined(yield* resolve(undefined, { ...settings, ...required, [name]: false }))
      }
    })
  )

  it.effect("is refused where the default profile is asked for and does not exist", () =>
    Effect.gen(function* () {
      const gone = { "task.verification.defaultProfile": "gone" }
      for (const verify of [true, "", { profile: "", commands: [types] }])
        assert.strictEqual(yield* resolve(verify, gone), texts.unknown("gone"))
      assert.deepStrictEqual(yield* resolve({ commands: [types] }, gone), inline)
    })
  )

  const command = fc.record({ name: fc.anything(), command: fc.anything(), timeoutMs: fc.jsonValue() })
  const almost = fc.record(
    {
      profile: fc.oneof(fc.constantFrom("ci", "full", "off"), fc.jsonValue()),
      mode: fc.oneof(fc.constantFrom("none", "command", "lsp"), fc.jsonValue()),
      commands: fc.oneof(fc.array(command), fc.constant([types]), fc.jsonValue()),
      maxRetries: fc.oneof(fc.nat(), fc.jsonValue()),
      onFailure: fc.oneof(fc.constantFrom("retry_once", "discard_patch"), fc.jsonValue())
    },
    { requiredKeys: [] }
  )

  it.effect.prop(
    "of any kind gives a plan with commands, nothing, or a refusal",
    [fc.oneof(fc.jsonValue(), almost), fc.boolean(), fc.boolean()],
    ([verify, isolated, isRequired]) =>
      Effect.gen(function* () {
        const { plan } = yield* Checks.verifier(isRequired ? { ...settings, ...required } : settings)
        const found = yield* Effect.merge(plan(verify, { isolated }))
        if (found === undefined) return
        if (found instanceof VerificationRefused) {
          assert.isAbove(found.message.length, 0)
          return
        }
        assert.isTrue(isolated)
        assert.isAbove(found.commands.length, 0)
        for (const one of found.commands) assert.isAbove(one.command.length, 0)
      })
  )
})

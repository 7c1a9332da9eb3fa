import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as FileSettings from "../../../src/layers/settings/FileSettings.ts"
import { defaults, Settings } from "../../../src/services/Settings.ts"

/** Settings as read from two files with these texts, and what was logged about them. */
const read = (user: string | undefined, project: string | undefined, overrides = {}) =>
  Effect.gen(function* () {
    const root = mkdtempSync(join(tmpdir(), "heddle-settings-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(root, { recursive: true })))
    mkdirSync(join(root, ".heddle"))
    if (user !== undefined) writeFileSync(join(root, "settings.json"), user)
    if (project !== undefined) writeFileSync(join(root, ".heddle/settings.json"), project)
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message).replaceAll(root, "")))
    const values = yield* Settings.pipe(
      Effect.provide(FileSettings.layer({ agentDir: root, cwd: root, overrides })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return { values, logged }
  }).pipe(Effect.scoped)

it.effect("no files mean the defaults, silently", () =>
  Effect.map(read(undefined, undefined), (found) => assert.deepStrictEqual(found, { values: defaults, logged: [] }))
)

it.effect("the project is above the user, the command line above both; comments are allowed", () =>
  Effect.gen(function* () {
    const { logged, values } = yield* read(
      '{ // mine\n "steeringMode": "all", "followUpMode": "all", }',
      '{"followUpMode":"one-at-a-time","interruptMode":"immediate"}',
      { interruptMode: "wait" }
    )
    assert.deepStrictEqual(values, { ...defaults, steeringMode: "all" })
    assert.deepStrictEqual(logged, [])
  })
)

it.effect("a file that is not JSON is ignored with a warning that names it; the rest counts", () =>
  Effect.gen(function* () {
    const { logged, values } = yield* read("{ nonsense", '{"steeringMode":"all","retry":{"enabled":"yes"}}')
    assert.strictEqual(values.steeringMode, "all")
    assert.match(logged[0] ?? "", /^ignored settings in \/settings.json: /)
    assert.match(logged[1] ?? "", /\/.heddle\/settings.json: retry.enabled has a value that does not fit: "yes"/)
  })
)

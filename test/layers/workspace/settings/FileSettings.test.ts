import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as FileSettings from "../../../../src/layers/workspace/settings/FileSettings.ts"
import { defaults, Settings, type SettingsValues } from "../../../../src/services/Settings.ts"

type More = Pick<FileSettings.FileSettingsOptions, "dialect">

/** Settings as read from two files with these texts, and what was logged about them. */
const read = (user: string | undefined, project: string | undefined, overrides = {}, more: More = {}) =>
  Effect.gen(function* () {
    const root = mkdtempSync(join(tmpdir(), "heddle-settings-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(root, { recursive: true })))
    mkdirSync(join(root, ".heddle"))
    if (user !== undefined) writeFileSync(join(root, "settings.json"), user)
    if (project !== undefined) writeFileSync(join(root, ".heddle/settings.json"), project)
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message).replaceAll(root, "")))
    const values = yield* Settings.pipe(
      Effect.provide(FileSettings.layer({ agentDir: root, cwd: root, overrides, ...more })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return { values, logged }
  }).pipe(Effect.scoped)

it.effect("no files mean the defaults, silently", () =>
  Effect.map(read(undefined, undefined), (found) => assert.deepStrictEqual(found, { values: defaults, logged: [] }))
)

it.effect("a dialect has defaults of its own, which every file is above", () =>
  Effect.gen(function* () {
    const early = yield* read(undefined, undefined, {}, { dialect: "pi-early" })
    const reserve = { "compaction.reserveTokens": 20_000 }
    assert.deepStrictEqual(early, { values: { ...defaults, interruptMode: "immediate", ...reserve }, logged: [] })
    const omp = yield* read('{"interruptMode":"wait"}', undefined, {}, { dialect: "omp" })
    assert.deepStrictEqual(omp, { values: defaults, logged: [] })
    for (const dialect of ["pi", "xcsh", "xcsh-strict", "superset"] as const) {
      assert.deepStrictEqual((yield* read(undefined, undefined, {}, { dialect })).values, defaults)
    }
  })
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
    assert.match(logged[0] ?? "", /^settings: \/settings.json is ignored, it is not JSON: /)
    assert.deepStrictEqual(logged.slice(1), [
      'settings: /.heddle/settings.json:1:32: retry.enabled: expected true or false, got "yes"'
    ])
  })
)

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-project-")))
    for (const name of ["agent", "work", "work/.heddle"]) mkdirSync(join(root, name))
    return { agentDir: join(root, "agent"), cwd: join(root, "work"), file: join(root, "work/.heddle/settings.json") }
  }),
  ({ cwd }) => Effect.sync(() => rmSync(join(cwd, ".."), { recursive: true }))
)

const load = (place: { readonly agentDir: string; readonly cwd: string }, trusted: boolean) =>
  FileSettings.load({ ...place, overrides: {}, trusted }).pipe(
    Effect.map(({ settings, trust: { atStart, notice } }) => ({
      settings,
      trust: { level: atStart, ...(notice === undefined ? {} : { notice }) }
    })),
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
  )

const leftOut = (what: string) =>
  `This project is not trusted, so these were left out: ${what}. ` +
  "To allow them, start heddle with --approve, or put the settings into your own settings.json."

it.scoped("config.yml gives way to settings.json, heddle.jsonc to the project's settings.json, users to projects", () =>
  Effect.gen(function* () {
    const place = yield* project
    const write = (path: string, ...lines: ReadonlyArray<string>) => writeFileSync(path, lines.join("\n"))
    write(
      join(place.agentDir, "config.yml"),
      "# mine",
      "steeringMode: all",
      "retry: { maxRetries: 7, fallbackChains: { default: [a, b], other: [c] } }",
      "compaction.keepRecentTokens: 1",
      "thinkingBudgets:",
      "  high: 20000"
    )
    write(join(place.agentDir, "settings.json"), '{ "retry.maxRetries": 8, "compaction.keepRecentTokens": 2,', "}")
    write(
      join(place.cwd, ".heddle/heddle.jsonc"),
      '{ "compaction": { "keepRecentTokens": 3 }, /* two */ "interruptMode": "immediate", "followUpMode": "all",',
      '"retry.fallbackChains": { "default": ["d"] }, "thinkingBudgets": { "low": 5000 } }'
    )
    write(place.file, '{ "compaction.keepRecentTokens": 4, "followUpMode": "one-at-a-time" }')
    const theirs: SettingsValues = {
      ...defaults,
      steeringMode: "all",
      "retry.maxRetries": 8,
      "retry.fallbackChains": { default: ["a", "b"], other: ["c"] },
      "thinkingBudgets.high": 20_000,
      "compaction.keepRecentTokens": 4,
      interruptMode: "immediate"
    }
    assert.deepStrictEqual(yield* load(place, false), {
      settings: theirs,
      trust: { level: "untrusted", notice: leftOut("retry.fallbackChains, thinkingBudgets.low") }
    })
    assert.deepStrictEqual((yield* load(place, true)).settings, {
      ...theirs,
      "retry.fallbackChains": { default: ["d"], other: ["c"] },
      "thinkingBudgets.low": 5000
    })
  })
)

it.scoped("a config.yml that is empty, broken, without an end or no file does no harm", () =>
  Effect.gen(function* () {
    const place = yield* project
    const file = join(place.agentDir, "config.yml")
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message).replaceAll(place.agentDir, "")))
    const settings = FileSettings.make({ ...place, overrides: {} }).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    for (const text of ["", "# nothing", "steeringMode: [", "steeringMode: &a [*a]", "- a\n- b", "steeringMode: 5"]) {
      writeFileSync(file, text)
      assert.deepStrictEqual(yield* settings, defaults)
    }
    rmSync(file)
    spawnSync("mkfifo", [file])
    assert.deepStrictEqual(yield* settings, defaults)
    assert.deepStrictEqual(logged, [
      "settings: /config.yml is ignored, it is not YAML: SyntaxError: YAML Parse error: Unexpected token",
      "settings: /config.yml is ignored, it is not YAML: is nested more than 50 times",
      "settings: /config.yml: expected an object of settings, got a list that does not fit",
      'settings: /config.yml:1:1: steeringMode: expected "all" or "one-at-a-time", got 5',
      "settings: /config.yml: is a FIFO, not a file"
    ])
  })
)

it.scoped("a file that is the user's and the project's counts once, as the user's", () =>
  Effect.gen(function* () {
    const { cwd, file } = yield* project
    writeFileSync(file, '{"defaultModel":"luna"}')
    assert.deepStrictEqual(yield* load({ cwd, agentDir: join(cwd, ".heddle") }, false), {
      settings: { ...defaults, defaultModel: "luna" },
      trust: { level: "untrusted" }
    })
  })
)

it.scoped("a project that is not trusted sets only what is free for projects; one notice names the rest", () =>
  Effect.gen(function* () {
    const place = yield* project
    writeFileSync(
      place.file,
      JSON.stringify({
        steeringMode: "all",
        defaultProvider: "offline",
        offline: { scenario: "evil.json" },
        sessionDir: "/elsewhere"
      })
    )
    writeFileSync(join(place.cwd, ".env"), "OPENAI_API_KEY=k\nPORT=1\n")
    assert.deepStrictEqual(yield* load(place, false), {
      settings: { ...defaults, steeringMode: "all" },
      trust: {
        level: "untrusted",
        notice: leftOut("defaultProvider, offline.scenario, sessionDir, OPENAI_API_KEY in .env")
      }
    })
    assert.deepStrictEqual(yield* load(place, true), {
      settings: {
        ...defaults,
        steeringMode: "all",
        defaultProvider: "offline",
        "offline.scenario": "evil.json",
        sessionDir: "/elsewhere"
      },
      trust: { level: "trusted" }
    })
  })
)

it.scoped(
  "a file that is a device, a FIFO, too large or outside of the folder is not read, and the notice says why",
  () =>
    Effect.gen(function* () {
      const place = yield* project
      const refused = (make: () => void, trusted = false) =>
        Effect.gen(function* () {
          rmSync(place.file, { recursive: true, force: true })
          make()
          const { settings, trust } = yield* load(place, trusted)
          assert.deepStrictEqual(settings, defaults)
          return trust.notice
        })
      const own = join(place.agentDir, "other.json")
      writeFileSync(own, '{"steeringMode":"all"}')
      const out = leftOut(".heddle/settings.json (is a link that leads out of the folder)")
      assert.strictEqual(yield* refused(() => symlinkSync("/dev/zero", place.file)), out)
      assert.strictEqual(yield* refused(() => symlinkSync(own, place.file)), out)
      assert.strictEqual(
        yield* refused(() => void spawnSync("mkfifo", [place.file])),
        leftOut(".heddle/settings.json (is a FIFO, not a file)")
      )
      assert.strictEqual(
        yield* refused(() => writeFileSync(place.file, `{"steeringMode":"all"}${" ".repeat(2 ** 20)}`)),
        leftOut(".heddle/settings.json (is larger than 1024 KiB)")
      )
      assert.strictEqual(
        yield* refused(() => symlinkSync("/dev/zero", place.file), true),
        "These parts of the project could not be read: .heddle/settings.json (is a character device, not a file)."
      )
    })
)

it.scoped("a link that stays in the folder is followed; one that leads nowhere is no file", () =>
  Effect.gen(function* () {
    const place = yield* project
    writeFileSync(join(place.cwd, "shared.json"), '{"steeringMode":"all"}')
    symlinkSync("../shared.json", place.file)
    assert.deepStrictEqual(yield* load(place, false), {
      settings: { ...defaults, steeringMode: "all" },
      trust: { level: "untrusted" }
    })
    rmSync(join(place.cwd, "shared.json"))
    assert.deepStrictEqual(yield* load(place, false), { settings: defaults, trust: { level: "untrusted" } })
  })
)

it.scoped("a folder `.heddle` that is a link out of the project is not read", () =>
  Effect.gen(function* () {
    const place = yield* project
    writeFileSync(join(place.agentDir, "settings.json"), '{"followUpMode":"all"}')
    rmSync(join(place.cwd, ".heddle"), { recursive: true })
    symlinkSync(place.agentDir, join(place.cwd, ".heddle"))
    const { settings, trust } = yield* load({ ...place, agentDir: "/no/such" }, false)
    assert.deepStrictEqual([settings, trust.level], [defaults, "untrusted"])
    assert.include(trust.notice, "leads out of the folder")
  })
)

it.scoped("lists of extensions: the user's, the project's beside them, and --set in place of both", () =>
  Effect.gen(function* () {
    const place = yield* project
    const declared = (overrides = {}, trusted = false) =>
      FileSettings.load({ ...place, overrides, trusted }).pipe(
        Effect.map(({ declared, settings }) => ({ ...declared, inForce: settings.extensions })),
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
      )
    writeFileSync(join(place.agentDir, "config.yml"), "extensions: [old.ts]\npackages: [npm:mine]")
    writeFileSync(join(place.agentDir, "settings.json"), '{"extensions":["own.ts"]}')
    writeFileSync(place.file, '{"extensions":["theirs.ts"],"extensionRoots":["tools"]}')
    const user = {
      extensions: [join(place.agentDir, "own.ts")],
      packages: [{ spec: "npm:mine", baseDir: place.agentDir, filters: {} }],
      required: [],
      skills: [],
      prompts: [],
      roots: []
    }
    const theirs = {
      extensions: [join(place.cwd, ".heddle/theirs.ts")],
      packages: [],
      required: [],
      skills: [],
      prompts: [],
      roots: [join(place.cwd, "tools")]
    }
    // Known before the project is trusted, because the search asks for the level of trust itself.
    assert.deepStrictEqual(yield* declared(), { user, project: theirs, inForce: ["own.ts"] })
    assert.deepStrictEqual(yield* declared({}, true), { user, project: theirs, inForce: ["theirs.ts"] })
    assert.deepStrictEqual(yield* declared({ extensions: ["x.ts"], extensionRoots: [] }, true), {
      user: { ...user, extensions: [join(place.cwd, "x.ts")] },
      project: { extensions: [], packages: [], required: [], skills: [], prompts: [], roots: [] },
      inForce: ["x.ts"]
    })
  })
)

it.scoped(
  "everything that has no effect is in one notice, also of a project that is not trusted, and logged once",
  () =>
    Effect.gen(function* () {
      const place = yield* project
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel.label} ${String(message)}`))
      writeFileSync(join(place.agentDir, "config.yml"), "steeringMode: [")
      writeFileSync(join(place.agentDir, "settings.json"), '{\n"todo": { "eager": true },\n"folowUpMode": "all" }')
      writeFileSync(place.file, '{ "shellPth": "x", "shellPath": "y", "retry.enabled": 1 }')
      const load = (rpcReset: boolean) =>
        FileSettings.load({ ...place, overrides: { "async.maxJobs": 0 }, trusted: false, rpcReset }).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      const { notice, settings, trust } = yield* load(true)
      const told = [
        `${place.agentDir}/config.yml is ignored, it is not YAML: SyntaxError: YAML Parse error: Unexpected token`,
        `${place.agentDir}/settings.json:3:1: folowUpMode is not a setting. Did you mean followUpMode?`,
        `${place.file}:1:3: shellPth is not a setting. Did you mean shellPath?`,
        `${place.file}:1:38: retry.enabled: expected true or false, got 1`,
        "--set: async.maxJobs: expected a whole number above 0, got 0"
      ]
      assert.deepStrictEqual(settings, defaults)
      assert.strictEqual(trust.notice, leftOut("shellPath"))
      assert.strictEqual(
        notice,
        ["Some settings have no effect; docs/settings.md lists all that there are.", ...told].join("\n- ")
      )
      const reset = "rpc mode resets these settings: todo.eager. To keep your values, start with --inherit-settings."
      assert.deepStrictEqual(logged, [
        `INFO ${reset}`,
        ...told.map((sentence) => `WARN settings: ${sentence}`),
        `WARN ${leftOut("shellPath")}`
      ])
      const inherited = yield* load(false)
      assert.deepStrictEqual(inherited.settings, { ...defaults, "todo.eager": true })
      assert.strictEqual(inherited.notice, notice)
    })
)

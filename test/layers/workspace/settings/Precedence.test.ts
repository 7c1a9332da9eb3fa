/** Every combination of sources, over real files (protocol.md 18): the highest one that is there and may speak decides. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { join } from "node:path"
import * as FileSettings from "../../../../src/layers/workspace/settings/FileSettings.ts"
import { defaults, type SettingsValues } from "../../../../src/services/Settings.ts"
import { withFiles } from "../../tools/TempFolder.ts"

/** The sources below `--set`, the lowest first, and what each says. */
const sources = [
  { name: "agent/config.yml", value: 1, ofProject: false },
  { name: "agent/settings.json", value: 2, ofProject: false },
  { name: "work/.heddle/heddle.jsonc", value: 3, ofProject: true },
  { name: "work/.heddle/settings.json", value: 4, ofProject: true }
] as const
const bySet = 5

/** A setting of each kind. */
const kinds = [
  { key: "compaction.keepRecentTokens", free: true, reset: false },
  { key: "queue.maxMessages", free: false, reset: false },
  { key: "todo.reminders.max", free: false, reset: true },
  { key: "tasks.todoClearDelay", free: true, reset: false }
] as const

interface Row {
  readonly files: ReadonlyArray<(typeof sources)[number]>
  readonly set: boolean
  readonly trusted: boolean
  readonly rpcReset: boolean
}

const flags = [false, true]
const subsets = Array.from({ length: 2 ** sources.length }, (_, bits) => sources.filter((_, at) => (bits >> at) & 1))
const rows: ReadonlyArray<Row> = subsets.flatMap((files) =>
  flags.flatMap((set) => flags.flatMap((trusted) => flags.map((rpcReset) => ({ files, set, trusted, rpcReset }))))
)

const expected = ({ files, rpcReset, set, trusted }: Row): SettingsValues => {
  const values = kinds.map(({ free, key, reset }) => {
    const counting = files.filter(({ ofProject }) => trusted || free || !ofProject)
    const fromFiles = rpcReset && reset ? undefined : counting.at(-1)?.value
    return [key, (set ? bySet : fromFiles) ?? defaults[key]]
  })
  return { ...defaults, ...Object.fromEntries(values) }
}

/** Odd ones nested, even ones dotted. */
const text = (value: number) => {
  const nested = { compaction: { keepRecentTokens: value }, queue: { maxMessages: value } }
  const rest = { todo: { reminders: { max: value } }, tasks: { todoClearDelay: value } }
  return JSON.stringify(
    value % 2 === 1 ? { ...nested, ...rest } : Object.fromEntries(kinds.map(({ key }) => [key, value]))
  )
}

const label = ({ files, rpcReset, set, trusted }: Row) =>
  [...files.map(({ name }) => name), set && "--set", trusted && "trusted", rpcReset && "reset"]
    .filter(Boolean)
    .join(", ")

describe("precedence", () => {
  it.scoped(`of ${rows.length} combinations`, () =>
    Effect.gen(function* () {
      for (const row of rows) {
        const files = Object.fromEntries(row.files.map(({ name, value }) => [name, text(value)]))
        const folder = yield* withFiles({ "agent/": "", "work/": "", ...files })
        const { notice, settings } = yield* FileSettings.load({
          agentDir: join(folder, "agent"),
          cwd: join(folder, "work"),
          overrides: row.set ? Object.fromEntries(kinds.map(({ key }) => [key, bySet])) : {},
          trusted: row.trusted,
          rpcReset: row.rpcReset
        })
        assert.deepStrictEqual(settings, expected(row), label(row))
        assert.isUndefined(notice)
      }
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none)))
  )
})

it.scoped("the defaults of a dialect are below every file, other options above --set", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "agent/settings.json": '{"compaction.reserveTokens":7}', "work/": "" })
    const { origins, settings } = yield* FileSettings.load({
      agentDir: join(folder, "agent"),
      cwd: join(folder, "work"),
      dialect: "pi-early",
      overrides: { sessionDir: "a" },
      above: [{ name: "--session-dir", values: { sessionDir: "b" } }]
    })
    assert.deepStrictEqual(settings, {
      ...defaults,
      interruptMode: "immediate",
      "compaction.reserveTokens": 7,
      sessionDir: "b"
    })
    const names = [...origins].map(([key, { locations }]) => [key, locations.map(({ source }) => source.name)])
    assert.deepStrictEqual(names, [
      ["interruptMode", ["dialect pi-early"]],
      ["compaction.reserveTokens", [join(folder, "agent/settings.json")]],
      ["sessionDir", ["--session-dir"]]
    ])
  })
)

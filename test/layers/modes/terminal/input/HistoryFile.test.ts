import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HistoryFile from "../../../../../src/layers/modes/terminal/input/HistoryFile.ts"
import * as KnownSecrets from "../../../../../src/layers/machine/secrets/KnownSecrets.ts"

const inFolder = <A, E>(use: (folder: string, file: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-history-"))),
    (folder) => use(folder, join(folder, "prompt-history.jsonl")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

describe("the history file", () => {
  it.effect("is made for its owner alone, in a folder that need not exist", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const place = join(folder, "agent")
        const history = yield* HistoryFile.open(place)
        yield* history.add("two\nlines")
        yield* history.add("x".repeat(20_000))
        assert.deepStrictEqual((yield* HistoryFile.open(place)).entries, ["two\nlines"])
        assert.strictEqual(statSync(join(place, "prompt-history.jsonl")).mode & 0o777, 0o600)
      })
    )
  )

  it.effect("masks secrets that are known", () =>
    inFolder((folder, file) =>
      Effect.gen(function* () {
        const secrets = KnownSecrets.make()
        secrets.addSource(Effect.sync(() => secrets.add("sk-secret-of-mine")))
        const history = yield* Effect.provideService(HistoryFile.open(folder), KnownSecrets.KnownSecrets, secrets)
        yield* history.add("use sk-secret-of-mine")
        assert.strictEqual(readFileSync(file, "utf8"), '"use [redacted]"\n')
      })
    )
  )

  it.effect("is bounded: older entries go, lines that are no texts are skipped", () =>
    inFolder((folder, file) =>
      Effect.gen(function* () {
        const lines = Array.from({ length: 2500 }, (_, n) => `${JSON.stringify(`entry ${n}`)}\n`)
        writeFileSync(file, `torn\n7\n${lines.join("")}"half`)
        const { entries } = yield* HistoryFile.open(folder)
        assert.strictEqual(entries.length, HistoryFile.mostEntries)
        assert.strictEqual(entries.at(-1), "entry 2499")
        assert.strictEqual(readFileSync(file, "utf8").split("\n").length, HistoryFile.mostEntries + 1)
      })
    )
  )

  it.effect("that cannot be written is no reason to fail", () =>
    inFolder((_, file) =>
      Effect.gen(function* () {
        writeFileSync(file, "a file in the place of the folder")
        const history = yield* HistoryFile.open(file)
        yield* history.add("said")
        assert.deepStrictEqual(history.entries, [])
        assert.strictEqual(readFileSync(file, "utf8"), "a file in the place of the folder")
      })
    )
  )
})

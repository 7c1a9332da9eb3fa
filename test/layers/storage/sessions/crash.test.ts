/** A writer that is killed at every point where it writes: what it acknowledged is there, and the session goes on. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as RandomIds from "../../../../src/layers/machine/engine/RandomIds.ts"
import * as JsonlSessionStore from "../../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import { SessionStore } from "../../../../src/services/storage/SessionStore.ts"

const source = join(import.meta.dirname, "../../../support/sessions/killedWriter.ts")
const folders: Array<string> = []
let writer = source

/** In one file it starts in a tenth of the time, and it is started sixty times. */
beforeAll(async () => {
  const outdir = mkdtempSync(join(tmpdir(), "heddle-crash-writer-"))
  await Bun.build({ entrypoints: [source], outdir, target: "bun", minify: true })
  writer = join(outdir, "killedWriter.js")
})
afterAll(() => rmSync(join(writer, ".."), { recursive: true }))
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const emptyFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-crash-"))
  folders.push(folder)
  return folder
}

const write = async (folder: string, reference: string, n: number) => {
  const messages = reference === "" ? "2" : "1"
  const child = Bun.spawn([process.execPath, writer, folder, reference, messages, String(n)], {
    stdout: "pipe",
    stderr: "inherit"
  })
  const [said] = await Promise.all([child.stdout.text(), child.exited])
  const words = said
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
  const all = (word: string) => words.filter(([first]) => first === word).map(([, ...rest]) => rest.join(" "))
  return { acknowledged: all("acknowledged"), killed: all("killed"), done: all("done") }
}

const extra: SessionEntry = {
  type: "message",
  id: "ffffffff",
  parentId: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: [], timestamp: 0 }
}

/** Opens what is left as its next writer, adds something, and answers the ids that are there afterwards. */
const reopen = (folder: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const [file] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"))
    if (file === undefined) return []
    const path = join(folder, file)
    yield* Effect.scoped(Effect.flatMap(store.open(path), (log) => log.append([extra])))
    const { entries } = yield* store.read(path)
    assert.strictEqual(entries.at(-1)?.id, extra.id)
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.endsWith(".lease")),
      []
    )
    return entries.map(({ id }) => id)
  }).pipe(
    Effect.provide(JsonlSessionStore.layer({ agentDir: folder, cwd: folder, home: folder, sessionDir: folder })),
    Effect.provide(RandomIds.layer),
    Effect.runPromise
  )

const old = `${JSON.stringify({ type: "session", id: "s", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/" })}
${JSON.stringify({ type: "message", message: { role: "user", content: "before", timestamp: 0 } })}\n`

const scenarios: Record<string, { readonly text?: string; readonly kept: ReadonlyArray<string> }> = {
  "a new session": { kept: [] },
  "a session of version 1": { text: old, kept: ["00000001"] },
  "a file with a torn tail": { text: `${old.replace('"session",', '"session","version":3,')}{"type":"mess`, kept: [] }
}

describe("a writer that is killed", () => {
  for (const [name, { kept, text }] of Object.entries(scenarios)) {
    it(`in ${name}, at every point`, { timeout: 120_000 }, async () => {
      const seen: Array<string> = []
      for (let n = 1; ; n++) {
        const folder = emptyFolder()
        const file = join(folder, "session.jsonl")
        if (text !== undefined) writeFileSync(file, text)
        const { acknowledged, done, killed } = await write(folder, text === undefined ? "" : file, n)
        const ids = await reopen(folder)
        const wanted = [...kept, ...acknowledged]
        assert.deepStrictEqual(
          ids.filter((id) => wanted.includes(id)),
          wanted,
          `killed ${killed.join()}`
        )
        if (done.length > 0) break
        seen.push(...killed)
      }
      assert.includeMembers(seen, ["before append", "amid append", "after append", "before sync", "after sync"])
      assert.include(seen, text === undefined ? "after create" : text === old ? "amid replace" : "amid append")
    })
  }
})

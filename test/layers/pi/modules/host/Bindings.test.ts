import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { header } from "../../../../support/sessions/SampleSessions.ts"
import * as RealBindings from "../../../../support/extensions/RealBindings.ts"

const timestamp = "2026-03-04T09:15:00.000Z"
const message = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 0 }
const entry = { type: "message", id: "1", parentId: null, timestamp, message }
const lines = (...values: ReadonlyArray<object>) => values.map((value) => `${JSON.stringify(value)}\n`).join("")

describe("sessions", () => {
  const store = Effect.gen(function* () {
    const real = yield* RealBindings.make()
    const { cwd } = real
    const folders = [cwd, "/elsewhere"].map((each) => real.bindings.sessions.folderOf(each))
    for (const [n, folder] of folders.entries()) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/a_s${n}.jsonl`, lines({ ...header, id: `s${n}`, cwd }, entry))
    }
    return { ...real, folders }
  })

  it.scoped("are listed by folder and all together", () =>
    Effect.gen(function* () {
      const { bindings, cwd, folders } = yield* store
      const listed = yield* Effect.promise(() => bindings.sessions.list())
      assert.deepStrictEqual(listed, [
        {
          path: `${folders[0]}/a_s0.jsonl`,
          id: "s0",
          cwd,
          created: timestamp,
          modified: timestamp,
          messageCount: 1,
          firstMessage: "hi"
        }
      ])
      const elsewhere = yield* Effect.promise(() => bindings.sessions.list(folders[1]))
      assert.deepStrictEqual(
        elsewhere.map(({ id }) => id),
        ["s1"]
      )
      const all = yield* Effect.promise(() => bindings.sessions.listAll())
      assert.deepStrictEqual(all.map(({ id }) => id).toSorted(), ["s0", "s1"])
    })
  )

  it.scoped("are read at once", () =>
    Effect.gen(function* () {
      const { bindings, cwd, folders } = yield* store
      const path = `${folders[0]}/a_s0.jsonl`
      assert.deepStrictEqual(bindings.sessions.read(path), { header: { ...header, id: "s0", cwd }, entries: [entry] })
      assert.throws(() => bindings.sessions.read(`${folders[0]}/none.jsonl`), "ENOENT")
      writeFileSync(`${folders[0]}/text.jsonl`, "hello\n")
      assert.throws(() => bindings.sessions.read(`${folders[0]}/text.jsonl`), "Not a session file")
    })
  )

  it.scoped("the newest is the one that was written last", () =>
    Effect.gen(function* () {
      const { bindings, folders } = yield* store
      const [folder = ""] = folders
      writeFileSync(`${folder}/b_old.jsonl`, "")
      utimesSync(`${folder}/b_old.jsonl`, 1, 1)
      assert.strictEqual(bindings.sessions.latest(folder), `${folder}/a_s0.jsonl`)
      assert.isUndefined(bindings.sessions.latest(`${folder}/none`))
    })
  )
})

it.scoped("credentials come from auth.json", () =>
  Effect.gen(function* () {
    const { bindings } = yield* RealBindings.make({
      "agent/auth.json": JSON.stringify({ weaver: { type: "api_key", key: "k" }, odd: 3 })
    })
    assert.deepStrictEqual(bindings.credential("weaver"), { type: "api_key", key: "k" })
    assert.isUndefined(bindings.credential("odd"))
    assert.isUndefined(bindings.credential("none"))
  })
)

it.scoped("a broken auth.json, or none, gives no credential and no text of it", () =>
  Effect.gen(function* () {
    const broken = yield* RealBindings.make({ "agent/auth.json": "{ secret" })
    const none = yield* RealBindings.make()
    assert.deepStrictEqual(
      [broken.bindings.credential("secret"), none.bindings.credential("x")],
      [undefined, undefined]
    )
  })
)

it.scoped("places, settings and prices are the agent's", () =>
  Effect.gen(function* () {
    const { bindings, cwd } = yield* RealBindings.make()
    assert.deepStrictEqual(
      [bindings.agentDir, bindings.cwd, bindings.settings().defaultModel],
      [`${cwd}/agent`, cwd, "loom-1"]
    )
    const tokens = { input: 1e6, output: 0, cacheRead: 0, cacheWrite: 0 }
    assert.strictEqual(bindings.models.cost(tokens, { ...tokens, input: 3 }).total, 3)
  })
)

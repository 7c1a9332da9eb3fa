/** A session's file that others take away, seen from inside: who is told, how often, and what is written. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as SessionFile from "../../../../src/domain/session/SessionFile.ts"
import { type Files, local, OwnFiles } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as JsonlSessionStore from "../../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import { type SessionLog, SessionStore } from "../../../../src/services/storage/SessionStore.ts"
import * as FaultyFiles from "../../../support/sessions/FaultyFiles.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const said = (id: string, parentId: string | null = null): SessionEntry => ({
  type: "message",
  id,
  parentId,
  timestamp,
  message: { role: "user", content: [{ type: "text", text: id }], timestamp: 0 }
})

const withStore = <A, E, R>(
  body: (store: typeof SessionStore.Service, path: string) => Effect.Effect<A, E, R>,
  files: Files = local
) =>
  Effect.gen(function* () {
    const root = yield* tempFolder
    const layer = JsonlSessionStore.layer({ agentDir: root, cwd: "/work", home: "/home/me" }).pipe(
      Layer.provide(Layer.merge(FixedIds.layer, Layer.succeed(OwnFiles, files)))
    )
    const path = join(root, "in", "x.jsonl")
    return yield* Effect.provide(
      Effect.flatMap(SessionStore, (store) => body(store, path)),
      layer
    )
  })

/** The messages of the moves that the log tells of from now on. */
const watch = (log: SessionLog) =>
  Effect.gen(function* () {
    const told: Array<string> = []
    yield* log.watchMoves?.(({ detail }) => told.push(detail)) ?? Effect.void
    return told
  })

const idsIn = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line).id)

const losses: Record<string, readonly [(path: string) => void, string]> = {
  deleted: [(path) => rmSync(path), "was deleted or renamed"],
  renamed: [(path) => renameSync(path, `${path}.old`), "was deleted or renamed"],
  "deleted with its folder": [(path) => rmSync(dirname(path), { recursive: true }), "was deleted or renamed"],
  replaced: [
    (path) => {
      writeFileSync(`${path}.new`, readFileSync(path))
      renameSync(`${path}.new`, path)
    },
    "was replaced by another file"
  ],
  "replaced by a folder": [
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
    "was replaced by another file"
  ],
  emptied: [(path) => truncateSync(path, 0), "was changed by another program"],
  shortened: [(path) => truncateSync(path, 20), "was changed by another program"],
  lengthened: [(path) => writeFileSync(path, "x\n", { flag: "a" }), "was changed by another program"]
}

describe("a file that was", () => {
  for (const [name, [spoil, detail]] of Object.entries(losses)) {
    it.scoped(`${name} is noticed by an append, a sync and the end, and its content is not touched`, () =>
      withStore((store, path) =>
        Effect.gen(function* () {
          const again = (n: number) => SessionFile.another(path, n)
          const told = yield* Effect.scoped(
            Effect.gen(function* () {
              const log = yield* store.create({ path, entries: [said("a")] })
              const told = yield* watch(log)
              spoil(path)
              const spoilt = existsSync(path) && name !== "replaced by a folder" ? readFileSync(path, "utf8") : ""
              yield* log.append([said("b", "a")])
              assert.deepStrictEqual([idsIn(again(2)), log.file], [["a", "b"], Option.some(again(2))])
              if (spoilt !== "") assert.strictEqual(readFileSync(path, "utf8"), spoilt)
              yield* log.append([said("c", "b")])
              yield* log.sync
              assert.deepStrictEqual(idsIn(again(2)), ["a", "b", "c"])
              spoil(again(2))
              yield* log.sync
              assert.deepStrictEqual([idsIn(again(3)), log.file], [["a", "b", "c"], Option.some(again(3))])
              spoil(again(3))
              return told
            })
          )
          assert.deepStrictEqual(idsIn(again(4)), ["a", "b", "c"])
          // Whoever watched has left before the end.
          assert.deepStrictEqual(told, [detail, detail])
          assert.isFalse(readdirSync(dirname(path)).some((file) => file.endsWith(".lease")))
        })
      )
    )

    it.scoped(`${name} before the first append to it is noticed by that append alone`, () =>
      withStore((store, path) =>
        Effect.gen(function* () {
          yield* Effect.scoped(store.create({ path, entries: [said("a")] }))
          // Nothing of it was written here, so nothing of it is ours to restore.
          yield* Effect.scoped(
            Effect.zipRight(
              store.open(path),
              Effect.sync(() => spoil(path))
            )
          )
          assert.isFalse(existsSync(SessionFile.another(path, 2)))
          rmSync(dirname(path), { recursive: true, force: true })
          yield* Effect.scoped(store.create({ path, entries: [said("a")] }))
          const log = yield* store.open(path)
          const told = yield* watch(log)
          spoil(path)
          yield* log.append([said("b", "a")])
          assert.deepStrictEqual([idsIn(SessionFile.another(path, 2)), told], [["a", "b"], [detail]])
        })
      )
    )
  }
})

it.scoped("an append and a sync that notice it together move the session once", () =>
  withStore((store, path) =>
    Effect.gen(function* () {
      const log = yield* store.create({ path, entries: [said("a")] })
      const told = yield* watch(log)
      rmSync(path)
      yield* Effect.all([log.sync, log.append([said("b", "a")]), log.sync], { concurrency: "unbounded" })
      assert.deepStrictEqual([idsIn(SessionFile.another(path, 2)), told.length], [["a", "b"], 1])
    })
  )
)

it.scoped("an old file that was changed since it was read is not migrated over the change", () =>
  withStore((store, path) =>
    Effect.gen(function* () {
      mkdirSync(dirname(path))
      writeFileSync(path, `${JSON.stringify({ type: "session", version: 2, id: "s", timestamp, cwd: "/" })}\n`)
      const log = yield* store.open(path)
      writeFileSync(path, "foreign")
      yield* log.append([said("a")])
      assert.strictEqual(readFileSync(path, "utf8"), "foreign")
      assert.deepStrictEqual(idsIn(SessionFile.another(path, 2)), ["a"])
    })
  )
)

it.scoped("a new file that cannot be written is a failure, after which nothing more is tried", () => {
  let isFull = false
  let created = 0
  const files = FaultyFiles.make((point) => {
    if (!isFull || point !== "before create") return Effect.void
    created++
    return FaultyFiles.refusal("ENOSPC")
  })
  return withStore(
    (store, path) =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* store.create({ path, entries: [said("a")] })
            rmSync(path)
            isFull = true
            const failure = yield* Effect.flip(log.append([said("b", "a")]))
            assert.match(
              failure.message,
              /x\.jsonl: the file was deleted or renamed, and a new one could not be written: ENOSPC/
            )
            yield* log.sync
          })
        )
        assert.deepStrictEqual([readdirSync(dirname(path)), created], [[], 1])
      }),
    files
  )
})

it("another file's name holds the same id", () => {
  const rows = {
    "/a_b/2026-01-01T00-00-00-000Z_ID_x.jsonl": "/a_b/2026-01-01T00-00-00-000Z-2_ID_x.jsonl",
    "/a_b/any.jsonl": "/a_b/any-2.jsonl",
    "/a.b/any": "/a.b/any-2",
    "/a/_x.jsonl": "/a/_x-2.jsonl"
  }
  for (const [file, other] of Object.entries(rows)) assert.strictEqual(SessionFile.another(file, 2), other)
})

it.scoped("a sync waits for the one under way; one that is cut off leaves its work to the next", () =>
  Effect.gen(function* () {
    const begun = yield* Effect.makeSemaphore(0)
    const latch = yield* Effect.makeLatch()
    let syncs = 0
    const files = FaultyFiles.make((point) => {
      if (point === "after sync") return Effect.sync(() => void syncs++)
      return point === "before sync" ? Effect.zipRight(begun.release(1), latch.await) : Effect.void
    })
    yield* withStore(
      (store, path) =>
        Effect.gen(function* () {
          const log = yield* store.create({ path, entries: [said("a")] })
          const first = yield* Effect.fork(log.sync)
          yield* begun.take(1)
          const second = yield* Effect.fork(log.sync)
          yield* Effect.yieldNow()
          assert.isNull(second.unsafePoll())
          yield* Fiber.interrupt(first)
          yield* begun.take(1)
          assert.isNull(second.unsafePoll())
          yield* latch.open
          yield* Fiber.join(second)
          assert.strictEqual(syncs, 1)
          yield* log.sync
          assert.strictEqual(syncs, 1)
        }),
      files
    )
  })
)

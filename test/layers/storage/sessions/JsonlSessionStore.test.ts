import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { hostname } from "node:os"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import { local, OwnFiles } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as JsonlSessionStore from "../../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as SessionFolders from "../../../../src/layers/storage/sessions/SessionFolders.ts"
import { SessionStore } from "../../../../src/services/storage/SessionStore.ts"
import * as FaultyFiles from "../../../support/sessions/FaultyFiles.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" }
const said = (id: string, parentId: string | null = null): SessionEntry => ({
  type: "message",
  id,
  parentId,
  timestamp: header.timestamp,
  message: { role: "user", content: [{ type: "text", text: id }], timestamp: 0 }
})
const named: SessionEntry = { type: "session_info", id: "n", parentId: null, timestamp: header.timestamp, name: "x" }
const lines = (...values: ReadonlyArray<object>) => values.map((value) => `${JSON.stringify(value)}\n`).join("")

type Store = typeof SessionStore.Service

/** A store in a folder of its own, for a project in /work. */
const withStore = <A, E, R>(
  body: (store: Store, root: string) => Effect.Effect<A, E, R>,
  files?: typeof OwnFiles.Service
) =>
  Effect.gen(function* () {
    const root = yield* tempFolder
    const layer = JsonlSessionStore.layer({ agentDir: root, cwd: "/work", home: "/home/me" }).pipe(
      Layer.provide(files === undefined ? FixedIds.layer : Layer.merge(FixedIds.layer, Layer.succeed(OwnFiles, files)))
    )
    return yield* Effect.provide(
      Effect.flatMap(SessionStore, (store) => body(store, root)),
      layer
    )
  })

const fileOf = ({ file }: { readonly file: Option.Option<string> }) => Option.getOrElse(file, () => "none")

describe("a new session", () => {
  it.scoped("has its place and name, and no file before somebody says something", () =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const log = yield* store.create({})
        const path = fileOf(log)
        assert.strictEqual(path, join(root, "sessions/--work--/1970-01-01T00-00-00-000Z_session-1.jsonl"))
        yield* log.append([named])
        assert.isFalse(existsSync(join(root, "sessions")))
        yield* log.append([said("a", "n")])
        assert.strictEqual(readFileSync(path, "utf8"), lines(log.header, named, said("a", "n")))
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        yield* log.sync
      })
    )
  )

  it.scoped("goes where it is told to, and copies artifacts", () =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const from = join(root, "old.jsonl")
        mkdirSync(join(root, "old"))
        writeFileSync(join(root, "old/1.bash.log"), "output")
        const path = join(root, "deep/er/new.jsonl")
        yield* store.create({ path, entries: [said("a")], artifactsOf: from, parentSession: from })
        assert.strictEqual(readFileSync(join(root, "deep/er/new/1.bash.log"), "utf8"), "output")
        assert.include(readFileSync(path, "utf8"), JSON.stringify(from))
      })
    )
  )
})

describe("a file that is there", () => {
  const append = (text: string) =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const path = join(root, "any.jsonl")
        writeFileSync(path, text)
        yield* Effect.scoped(Effect.flatMap(store.open(path), (log) => log.append([said("z")])))
        return readFileSync(path, "utf8")
      })
    )
  const z = lines(said("z"))
  const rows: Record<string, readonly [string, string]> = {
    "gets a line more": [lines(header, said("a")), lines(header, said("a")) + z],
    "a newline is put behind a last line without one": [
      lines(header, said("a")).trimEnd(),
      lines(header, said("a")) + z
    ],
    "a torn tail stays a line of its own": [`${lines(header)}{"type":"mes`, `${lines(header)}{"type":"mes\n${z}`],
    "version 2 is written anew": [lines({ ...header, version: 2 }, said("a")), lines(header, said("a")) + z],
    "version 1 gets ids": [
      lines({ ...header, version: undefined }, { type: "custom", customType: "x", timestamp: "t" }),
      lines(header, { type: "custom", id: "00000001", parentId: null, timestamp: "t", customType: "x" }) + z
    ]
  }
  for (const [name, [before, after]] of Object.entries(rows)) {
    it.scoped(name, () => Effect.map(append(before), (text) => assert.strictEqual(text, after)))
  }

  it.scoped("one that was made and never written is begun", () =>
    Effect.map(append(""), (text) => {
      assert.match(text, /^\{"type":"session","version":3,"id":"session-1"/)
      assert.isTrue(text.endsWith(z))
    })
  )

  it.scoped("looking at it changes nothing", () =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const path = join(root, "any.jsonl")
        const text = lines({ ...header, version: 2 }, said("a"))
        writeFileSync(path, text)
        const log = yield* Effect.scoped(store.open(path))
        assert.strictEqual(log.entries.length, 1)
        assert.strictEqual(readFileSync(path, "utf8"), text)
        assert.deepStrictEqual(readdirSync(root), ["any.jsonl"])
      })
    )
  )
})

describe("what cannot be opened", () => {
  const rows: Record<string, readonly [string | undefined, string]> = {
    "is not there": [undefined, "Session file not found: x.jsonl"],
    "is no session": ["hello\n", "Not a session file: x.jsonl"],
    "is newer": [lines({ ...header, version: 9 }), "Session version 9 is newer than supported: x.jsonl"]
  }
  for (const [name, [text, message]] of Object.entries(rows)) {
    it.scoped(name, () =>
      withStore((store, root) =>
        Effect.gen(function* () {
          const path = join(root, "x.jsonl")
          if (text !== undefined) writeFileSync(path, text)
          const failures = [yield* Effect.flip(Effect.scoped(store.open(path))), yield* Effect.flip(store.read(path))]
          for (const failure of failures) assert.strictEqual(failure.message.replace(path, "x.jsonl"), message)
          assert.deepStrictEqual(readdirSync(root).length, text === undefined ? 0 : 1)
        })
      )
    )
  }

  it.scoped("is a folder", () =>
    withStore((store, root) =>
      Effect.map(Effect.flip(store.read(`${root}/`)), ({ message }) => assert.match(message, /^Not a session file/))
    )
  )
})

describe("the lease", () => {
  const open = (owner: object) =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const path = join(root, "x.jsonl")
        writeFileSync(path, lines(header, said("a")))
        writeFileSync(`${path}.lease`, typeof owner === "string" ? owner : JSON.stringify(owner))
        return yield* Effect.either(Effect.scoped(store.open(path)))
      })
    )
  const since = "2026-01-01T00:00:00.000Z"
  const self = { pid: process.pid, host: hostname(), since, start: "" }
  const rows: Record<string, readonly [object, boolean]> = {
    "of a process that has ended is taken over": [{ ...self, pid: 2 ** 22 + 1 }, true],
    "of another process with the same number is taken over": [{ ...self, start: "an older boot:1" }, true],
    "that cannot be read is taken over": [Object("half a le"), true],
    "of a living process holds": [self, false],
    "of another machine holds": [{ ...self, host: "elsewhere", pid: 1 }, false]
  }
  for (const [name, [owner, opens]] of Object.entries(rows)) {
    it.scoped(name, () => Effect.map(open(owner), ({ _tag }) => assert.strictEqual(_tag, opens ? "Right" : "Left")))
  }

  it.scoped("names its owner, whatever name the file is opened by", () =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const [path, link] = [join(root, "x.jsonl"), join(root, "link.jsonl")]
        writeFileSync(path, lines(header, said("a")))
        symlinkSync(path, link)
        yield* store.open(path)
        const failure = yield* Effect.flip(store.open(link))
        const owner = `pid ${process.pid} on ${hostname()} since 1970-01-01T00:00:00.000Z`
        assert.strictEqual(failure.message, `Session is in use by another process (${owner}): ${link}`)
      })
    )
  )
})

describe("a medium that refuses", () => {
  for (const point of ["before makeFolder", "before create", "before append", "amid append"]) {
    it.scoped(`${point}: the failure says why, and nothing torn is left`, () => {
      let armed = true
      const files = FaultyFiles.make((now) =>
        armed && now === point
          ? Effect.sync(() => (armed = false)).pipe(Effect.zipRight(FaultyFiles.refusal("ENOSPC")))
          : Effect.void
      )
      return withStore(
        (store, root) =>
          Effect.gen(function* () {
            const log = yield* store.create({})
            const failure = yield* Effect.flip(log.append([said("a")]))
            assert.match(failure.message, /^Cannot create session .*: ENOSPC: injected/)
            const left = existsSync(join(root, "sessions")) ? readdirSync(join(root, "sessions/--work--")) : []
            const texts = left
              .filter((name) => name.endsWith(".jsonl"))
              .map((name) => readFileSync(join(root, "sessions/--work--", name), "utf8"))
            assert.deepStrictEqual(texts.join(""), "")
          }),
        files
      )
    })
  }

  it.scoped("a session in a place where no lease can be is read, and says why it cannot be written", () =>
    withStore((store) =>
      Effect.gen(function* () {
        // Root may write everywhere but here.
        const log = yield* store.open("/proc/self/status/x.jsonl").pipe(Effect.option)
        assert.isTrue(Option.isNone(log))
        const created = yield* store.create({ path: "/proc/nowhere/x.jsonl" })
        const failure = yield* Effect.flip(created.append([said("a")]))
        assert.match(failure.message, /^Cannot create session \/proc\/nowhere\/x\.jsonl: /)
      })
    )
  )
})

describe("finding sessions", () => {
  const place = { agentDir: "/agent", cwd: "/home/me/a/b-c", home: "/home/me" }

  it("folders are named after the project; xcsh's shorter names are looked at too", () => {
    assert.deepStrictEqual(SessionFolders.searched(place), [
      "/agent/sessions/--home-me-a-b-c--",
      "/agent/sessions/-a-b-c"
    ])
    assert.deepStrictEqual(SessionFolders.searched({ ...place, cwd: "/tmp/x:y" }), [
      "/agent/sessions/--tmp-x-y--",
      "/agent/sessions/-tmp-x-y"
    ])
    assert.deepStrictEqual(SessionFolders.searched({ ...place, sessionDir: "/s" }), ["/s"])
  })

  it.scoped("two projects that share a folder do not see each other's; others are found by id", () =>
    withStore((store, root) =>
      Effect.gen(function* () {
        const write = (folder: string, id: string, cwd: string) => {
          const path = join(root, "sessions", folder)
          mkdirSync(path, { recursive: true })
          writeFileSync(join(path, `2026_${id}.jsonl`), lines({ ...header, id, cwd }, said("a")))
        }
        write("--work--", "mine", "/work")
        write("--work--", "theirs", "/wo/rk")
        write("--other--", "far", "/other")
        writeFileSync(join(root, "sessions/--work--/2026_broken.jsonl"), "nonsense")
        assert.deepStrictEqual(
          (yield* store.list).map(({ sessionId }) => sessionId),
          ["mine"]
        )
        assert.strictEqual(Option.getOrElse(yield* store.latest, () => "").split("_")[1], "mine.jsonl")
        assert.strictEqual((yield* store.read("fa")).header.cwd, "/other")
        const other = Option.getOrThrow(store.folder(join(root, "sessions/--other--")))
        assert.deepStrictEqual(yield* other.list, [])
        assert.strictEqual((yield* other.read("far")).header.id, "far")
        const made = yield* other.create({ entries: [said("a")] })
        assert.strictEqual(basename(join(fileOf(made), "..")), "--other--")
      })
    )
  )
})

it.scoped("a list reads again only what has changed, and tells of every change", () =>
  Effect.gen(function* () {
    const reads: Array<string> = []
    const files = {
      ...local,
      read: (path: string) => {
        reads.push(basename(path).split("_")[1] ?? "")
        return local.read(path)
      }
    }
    const told = (store: Store) =>
      Effect.map(store.list, (list) => list.map(({ messageCount, sessionId }) => `${sessionId} ${messageCount}`))
    yield* withStore(
      (store) =>
        Effect.gen(function* () {
          const [one] = [yield* store.create({}), yield* store.create({ entries: [said("a")] })]
          yield* one.append([said("a")])
          assert.sameMembers([...(yield* told(store))], ["session-1 1", "session-2 1"])
          assert.sameMembers(reads.splice(0), ["session-1.jsonl", "session-2.jsonl"])
          yield* one.append([said("b", "a")])
          assert.sameMembers([...(yield* told(store))], ["session-1 2", "session-2 1"])
          assert.deepStrictEqual(reads, ["session-1.jsonl"])
        }),
      files
    )
  })
)

it.scoped("a file too large for a list is listed by its first bytes", () =>
  withStore((store) =>
    Effect.gen(function* () {
      const log = yield* Effect.scoped(store.create({ entries: [said("a")] }))
      truncateSync(fileOf(log), 300 * 1024 ** 2)
      const before = process.memoryUsage.rss()
      const [found] = yield* store.list
      assert.deepInclude(found, { sessionId: "session-1", messageCount: 1, firstMessage: "a" })
      assert.isBelow(process.memoryUsage.rss() - before, 200 * 1024 ** 2)
    })
  )
)

it.scoped("of several files with one id the one written last is found", () =>
  withStore((store, root) =>
    Effect.gen(function* () {
      const folder = join(root, "sessions/--work--")
      mkdirSync(folder, { recursive: true })
      for (const [name, at] of [
        ["2026-2_abcd", 2],
        ["2026_abcd", 1]
      ] as const) {
        writeFileSync(join(folder, `${name}.jsonl`), lines({ ...header, id: "abcd" }, said("a")))
        utimesSync(join(folder, `${name}.jsonl`), at, at)
      }
      for (const reference of ["abcd", "ab"]) {
        assert.strictEqual(basename(fileOf(yield* store.read(reference))), "2026-2_abcd.jsonl")
      }
    })
  )
)

it.scoped("a list of many sessions lets other fibers run between two files", () =>
  Effect.gen(function* () {
    const turnsAtRead: Array<number> = []
    let turns = 0
    const count = Effect.forever(Effect.tap(EventLoop.nextTurn, () => Effect.sync(() => void turns++)))
    const files = {
      ...local,
      read: (path: string) => {
        turnsAtRead.push(turns)
        return local.read(path)
      }
    }
    yield* withStore(
      (store) =>
        Effect.gen(function* () {
          for (let n = 0; n < 5; n++) yield* Effect.scoped(store.create({ entries: [said("a")] }))
          yield* Effect.forkScoped(count)
          assert.strictEqual((yield* store.list).length, 5)
          assert.strictEqual(new Set(turnsAtRead).size, 5)
        }),
      files
    )
  })
)

it.scoped("an empty file stays empty until somebody says something", () =>
  withStore((store, root) =>
    Effect.gen(function* () {
      const path = join(root, "2026_mine.jsonl")
      writeFileSync(path, "")
      const log = yield* store.open(path)
      assert.strictEqual(log.header.id, "mine")
      yield* log.append([named])
      assert.strictEqual(readFileSync(path, "utf8"), "")
      yield* log.append([said("a", "n")])
      assert.strictEqual(readFileSync(path, "utf8"), lines(log.header, named, said("a", "n")))
    })
  )
)

it.scoped("a name alone is written to a file that has a conversation", () =>
  withStore((store, root) =>
    Effect.gen(function* () {
      const path = join(root, "2026_mine.jsonl")
      writeFileSync(path, lines(header, said("a")))
      const log = yield* store.open(path)
      const name = { ...named, parentId: "a" }
      yield* log.append([name])
      assert.strictEqual(readFileSync(path, "utf8"), lines(header, said("a"), name))
    })
  )
)

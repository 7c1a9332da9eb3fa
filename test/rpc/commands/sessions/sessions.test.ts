/** Commands that read a session, on sessions too large for a transcript. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as CurrentSession from "../../../../src/layers/session/core/CurrentSession.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import type { Request } from "../../../../src/rpc/Command.ts"
import * as Connections from "../../../support/Connections.ts"
import type { Connection } from "../../../../src/rpc/connection/Connection.ts"
import { commands } from "../../../../src/rpc/registry.ts"
import { ModelCatalog } from "../../../../src/services/model/ModelCatalog.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import { SessionExport } from "../../../../src/services/storage/SessionExport.ts"
import { SessionStore } from "../../../../src/services/storage/SessionStore.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { HostTools } from "../../../../src/services/host/HostTools.ts"
import {
  ChangeCancelled,
  type SessionChanges,
  Sessions,
  type SessionServices
} from "../../../../src/services/session/Sessions.ts"
import * as Supervision from "../../../../src/services/supervision/Supervision.ts"
import { answers, line, says } from "../../../support/sessions/Entries.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"

/** A session with these entries; what a command asks of the process is a defect. */
const services = (entries: ReadonlyArray<SessionEntry>) =>
  Layer.mergeAll(
    Layer.scopedContext(Effect.map(TestAgent.make({}), ({ services }) => services)),
    Layer.provide(
      CurrentSession.layer,
      CurrentSession.layerLog(Effect.flatMap(SessionStore, (store) => store.create({ entries })))
    ),
    Layer.mock(Sessions, {}),
    Layer.mock(HostTools, {}),
    Layer.mock(ModelCatalog, {}),
    Layer.mock(SessionExport, {}),
    Layer.mock(Shell, {})
  ).pipe(Layer.provide(MemorySessionStore.layer({ cwd: "/" })), Layer.provide(FixedIds.layer), Layer.orDie)

const send = (connection: Connection, type: string, frame: object = {}) => {
  const request: Request = {
    id: undefined,
    connection,
    hostTools: {
      replace: () => Effect.dieMessage("unused"),
      toTool: () => {
        throw new Error("unused")
      }
    },
    activities: {
      root: Supervision.makeRoot({ kind: "session", label: "session" }, 0, () => "fb_1"),
      cancel: () => Effect.dieMessage("unused")
    },
    release: Effect.void,
    record: () => Effect.void,
    answer: () => Effect.void,
    whenCancelled: () => true
  }
  const command = commands.find(({ name }) => name === type)
  if (command === undefined) return Effect.dieMessage(type)
  return Effect.flatMap(command.arrive({ type, ...frame }), ({ handle }) => handle(request))
}

const connected = (): Connection => Connections.make("delta")

const exchanges = (count: number) =>
  line(...Array.from({ length: count }, (_, at) => (at % 2 ? answers("a") : says("q"))))

it.effect("a tree that is too deep for JSON is refused, one that is not can be written", () =>
  Effect.gen(function* () {
    const tree = yield* send(connected(), "get_tree").pipe(Effect.provide(services(exchanges(10_000))))
    assert.isAbove(JSON.stringify(tree).length, 1_000_000)
    const refused = yield* Effect.flip(Effect.provide(send(connected(), "get_tree"), services(exchanges(10_001))))
    assert.include(refused, { code: "tree_too_deep" })
    assert.include(refused.message, "10001 levels")
  })
)

const Page = Schema.Struct({
  messages: Schema.Array(Schema.Unknown),
  nextCursor: Schema.optional(Schema.String),
  totalMessages: Schema.Int
})
const readPage = (connection: Connection, frame: object) =>
  Effect.flatMap(send(connection, "get_messages_page", frame), Schema.decodeUnknown(Page))

it.effect("pages are cut from one reading of the conversation, which is kept until the last of them", () =>
  Effect.gen(function* () {
    const session = yield* Session
    const connection = connected()
    let pages = 0
    let kept: unknown
    for (let frame: object | undefined = { limit: 256 }; frame !== undefined; pages++) {
      const page: typeof Page.Type = yield* readPage(connection, frame)
      assert.strictEqual(page.totalMessages, 100_000)
      if (page.nextCursor !== undefined) assert.strictEqual((kept ??= connection.link().pages), connection.link().pages)
      frame = page.nextCursor === undefined ? undefined : { limit: 256, cursor: page.nextCursor }
      if (pages === 0) yield* session.append(says("meanwhile"))
    }
    assert.deepStrictEqual([pages, connection.link().pages], [391, undefined])
  }).pipe(Effect.provide(services(exchanges(100_000))))
)

it.effect("a cursor holds without what was kept, and also after the leaf was moved", () =>
  Effect.gen(function* () {
    const session = yield* Session
    const first = yield* readPage(connected(), { limit: 3 })
    yield* session.moveTo("e0")
    const second = yield* readPage(connected(), { cursor: first.nextCursor })
    assert.deepStrictEqual([first.messages.length, second.messages.length, second.totalMessages], [3, 2, 5])
  }).pipe(Effect.provide(services(exchanges(5))))
)

it.effect("a session that is not opened is not resumed, whatever the reason", () =>
  Effect.gen(function* () {
    const current = Effect.succeed(yield* Effect.context<SessionServices>())
    const opening = (openNewest: ReturnType<SessionChanges["openNewest"]>) => {
      const unused = Effect.dieMessage("unused")
      const changes: SessionChanges = {
        create: () => unused,
        open: () => unused,
        openNewest: () => openNewest,
        branch: () => unused,
        copyUpTo: () => unused,
        clone: unused,
        navigate: () => unused,
        rename: () => unused,
        list: unused
      }
      const sessions = Layer.mock(Sessions, { changes: Effect.succeed(changes), current })
      return Effect.provide(send(connected(), "open_session", { sessionDir: "d" }), sessions)
    }
    assert.deepInclude(yield* opening(Effect.succeed({ resumed: true })), { resumed: true, cancelled: false })
    assert.deepInclude(yield* opening(Effect.succeed({ resumed: false })), { resumed: false, cancelled: false })
    assert.deepInclude(yield* opening(new ChangeCancelled({})), { resumed: false, cancelled: true })
  }).pipe(Effect.provide(services([])))
)

it.effect("a model is asked for only by provider and id together", () =>
  Effect.gen(function* () {
    const asked: Array<unknown> = []
    const changes: SessionChanges = {
      create: () => Effect.void,
      open: (reference, options) => Effect.sync(() => void asked.push([reference, options])),
      openNewest: () => Effect.succeed({ resumed: false }),
      branch: () => Effect.succeed(""),
      copyUpTo: () => Effect.void,
      clone: Effect.void,
      navigate: () => Effect.succeed(undefined),
      rename: () => Effect.void,
      list: Effect.succeed([])
    }
    const context = yield* Effect.context<SessionServices>()
    const sessions = Layer.mock(Sessions, { changes: Effect.succeed(changes), current: Effect.succeed(context) })
    for (const more of [{ provider: "p" }, { modelId: "m" }, { provider: "p", modelId: "m" }]) {
      yield* Effect.provide(send(connected(), "switch_session", { sessionPath: "s", ...more }), sessions)
    }
    const model = { provider: "p", modelId: "m" }
    assert.deepStrictEqual(asked, [
      ["s", {}],
      ["s", {}],
      ["s", { model }]
    ])
  }).pipe(Effect.provide(services([])))
)

/** A check that no fault can fail is worth nothing: each of these stores has one fault, and a check that must see it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as RandomIds from "../../../../src/layers/machine/engine/RandomIds.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as StoreConformance from "../../../../src/layers/storage/sessions/StoreConformance.ts"
import {
  AmbiguousSession,
  type NewSession,
  SessionInUse,
  type SessionLog,
  SessionNotFound,
  SessionStore,
  type StoredSession
} from "../../../../src/services/storage/SessionStore.ts"

type Store = typeof SessionStore.Service
type Fault = (store: Store) => Partial<Store>

const writes = (store: Store, change: (log: SessionLog) => Partial<SessionLog>): Partial<Store> => {
  const changed = (log: SessionLog): SessionLog => ({ ...log, ...change(log) })
  return {
    create: (options: NewSession) => Effect.map(store.create(options), changed),
    open: (reference: string) => Effect.map(store.open(reference), changed)
  }
}

const reads = (store: Store, change: (stored: StoredSession) => Partial<StoredSession>): Partial<Store> => ({
  read: (reference) => Effect.map(store.read(reference), (stored) => ({ ...stored, ...change(stored) }))
})

const faults: ReadonlyArray<readonly [string, Fault, ReadonlyArray<string>]> = [
  [
    "forgets every append but the first of its session",
    (store) => {
      const begun = new Set<string>()
      return writes(store, (log) => ({
        append: (entries) =>
          Effect.suspend(() => {
            if (begun.has(log.header.id)) return Effect.void
            begun.add(log.header.id)
            return log.append(entries)
          })
      }))
    },
    [
      "a session that is opened by its id",
      "entries that are appended after reopening",
      "an open session has one writer"
    ]
  ],
  [
    "opens another session than it was asked for",
    (store) => ({ open: (reference) => Effect.zipRight(store.open(reference), store.create({})) }),
    ["a session that is opened by its id", "an open session has one writer", "the latest session is"]
  ],
  [
    "stores entries in reverse",
    (store) => writes(store, (log) => ({ append: (entries) => log.append(entries.toReversed()) })),
    ["a session that is opened by its id", "entries of other programs", "text of every kind", "the list has"]
  ],
  [
    "takes the first of several sessions that fit",
    (store) => ({
      read: (reference) =>
        Effect.catchTag(store.read(reference), "AmbiguousSession", ({ candidates }) => store.read(candidates[0] ?? ""))
    }),
    ["the start of an id"]
  ],
  [
    "finds no session whose id is the start of another one",
    (store) => ({
      read: (reference) =>
        Effect.flatMap(store.list, (list) => {
          const candidates = list.map(({ sessionId }) => sessionId).filter((id) => id.startsWith(reference))
          return candidates.length > 1 ? new AmbiguousSession({ reference, candidates }) : store.read(reference)
        })
    }),
    ["the start of an id"]
  ],
  [
    "knows whole ids only",
    (store) => ({
      read: (reference) =>
        Effect.filterOrFail(
          store.read(reference),
          ({ header }) => header.id === reference,
          () => new SessionNotFound({ reference })
        )
    }),
    ["the start of an id"]
  ],
  [
    "reads a session that does not exist",
    (store) => ({
      read: (reference) =>
        Effect.catchTag(store.read(reference), "SessionNotFound", () => Effect.scoped(store.create({})))
    }),
    ["the start of an id"]
  ],
  [
    "creates a session that it was to open",
    (store) => ({
      open: (reference) =>
        Effect.catchTag(store.open(reference), "SessionNotFound", () => store.create({ sessionId: reference }))
    }),
    ["the start of an id"]
  ],
  [
    "lets two write",
    (store) => ({
      open: (reference) =>
        Effect.catchTag(store.open(reference), "SessionInUse", () =>
          Effect.flatMap(store.read(reference), ({ entries }) => store.create({ entries }))
        )
    }),
    ["an open session has one writer"]
  ],
  [
    "never ends the right to write",
    (store) => {
      const opened = new Set<string>()
      return {
        open: (reference) =>
          Effect.flatMap(store.open(reference), (log) => {
            if (opened.has(log.header.id))
              return new SessionInUse({ reference, owner: { pid: 1, host: "", since: "" } })
            opened.add(log.header.id)
            return Effect.succeed(log)
          })
      }
    },
    ["an open session has one writer"]
  ],
  [
    "does not name the parent",
    (store) => ({ create: ({ entries = [] }) => store.create({ entries }) }),
    ["a session that starts with copied entries"]
  ],
  [
    "drops the copied entries",
    (store) => ({ create: (options) => store.create({ ...options, entries: [] }) }),
    ["a session that starts with copied entries"]
  ],
  [
    "drops entries that it does not know",
    (store) => reads(store, ({ entries }) => ({ entries: entries.filter(({ type }) => type !== "foreign") })),
    ["entries of other programs"]
  ],
  [
    "stores long texts cut",
    (store) =>
      reads(store, ({ entries }) => ({ entries: entries.filter((entry) => JSON.stringify(entry).length < 100_000) })),
    ["text of every kind"]
  ],
  [
    "lists the oldest session first",
    (store) => ({ list: Effect.map(store.list, (list) => list.toReversed()) }),
    ["the list has"]
  ],
  [
    "lists no names",
    (store) => ({ list: Effect.map(store.list, (list) => list.map((each) => ({ ...each, name: Option.none() }))) }),
    ["the list has"]
  ],
  ["has no latest session", () => ({ latest: Effect.succeedNone }), ["the latest session is"]],
  ["has a latest session without having one", () => ({ latest: Effect.succeedSome("x") }), ["the latest session is"]]
]

const memory = Layer.provide(MemorySessionStore.layer({ cwd: "/work" }), RandomIds.layer)

/** The names of the checks that fail, each with a store of its own. */
const failing = (fault: Fault) =>
  Effect.map(
    Effect.forEach(StoreConformance.checks, ({ name, run }) =>
      SessionStore.pipe(
        Effect.flatMap((store) => Effect.provideService(run, SessionStore, { ...store, ...fault(store) })),
        Effect.match({ onFailure: () => [name], onSuccess: () => [] }),
        Effect.provide(memory)
      )
    ),
    (names) => names.flat()
  )

describe("a store that", () => {
  for (const [name, fault, expected] of faults) {
    it.effect(name, () =>
      Effect.map(failing(fault), (names) => {
        for (const start of expected) {
          assert.isTrue(
            names.some((failed) => failed.startsWith(start)),
            `"${start}…" should fail; failed: ${names.join(" | ")}`
          )
        }
      })
    )
  }

  it.effect("has no fault passes every check", () =>
    Effect.map(
      failing(() => ({})),
      (names) => assert.deepStrictEqual(names, [])
    )
  )
})

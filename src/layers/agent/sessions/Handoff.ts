/** A handoff: continues a run in a new session that begins with a summary. On failure the run stays in the old one. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { CompactionEntry } from "../../../domain/compaction/Preparation.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { NewEntry, SessionEntry } from "../../../domain/session/SessionEntry.ts"
import * as LateEntries from "../../../domain/session/LateEntries.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import * as SessionHandoff from "../../../domain/session/SessionHandoff.ts"
import { defined } from "../../../domain/Values.ts"
import { freshEntryId, type Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SessionFolder, SessionLog, SessionStore } from "../../../services/session/SessionStore.ts"
import * as Events from "../events/Events.ts"
import * as IsoTime from "../../platform/IsoTime.ts"
import { dirname } from "../../platform/files/LocalPaths.ts"

export interface HandoffTools {
  readonly session: typeof Session.Service
  readonly store: typeof SessionStore.Service
  readonly ids: typeof Ids.Service
  readonly publish: (event: AgentEvent) => void
  /** Reads what modules would miss in the new log, which has only some of the entries, and answers what it begins with for them. */
  readonly prepareHandoff: Effect.Effect<ReadonlyArray<NewEntry>>
}

const folderOf = (store: typeof SessionStore.Service, file: Option.Option<string>): SessionFolder =>
  Option.getOrElse(
    Option.flatMap(file, (path) => store.folder(dirname(path))),
    () => store
  )

const place = ({ ids }: HandoffTools, taken: Set<string>, entry: NewEntry) =>
  Effect.map(IsoTime.now, (timestamp) => {
    const id = freshEntryId(ids, (other) => taken.has(other))
    taken.add(id)
    return { ...entry, id, parentId: null, timestamp }
  })

type Entry = Omit<CompactionEntry, "id" | "parentId" | "timestamp">

/** What the new session begins with; the compaction is the last of it. */
const beginning = Effect.fnUntraced(function* (
  tools: HandoffTools,
  model: Model,
  entry: Entry,
  ofModules: ReadonlyArray<NewEntry>
) {
  const { session } = tools
  const [entries, branch] = [yield* session.entries, yield* session.branch]
  const name = Option.getOrUndefined((yield* session.info).name)
  const copied = SessionHandoff.kept(branch, entry.firstKeptEntryId)
  const taken = new Set(copied.map(({ id }) => id))
  const current = { provider: model.provider, modelId: model.id }
  const inForce = SessionHandoff.inForce({ entries, branch, copied, name }, current)
  const queued = QueueEntries.restore(entries)
  const records = LateEntries.restore(entries)
  const waiting = queued.length === 0 ? [] : [QueueEntries.added(queued)]
  const late = records.length === 0 ? [] : [LateEntries.recorded(records)]
  const before = yield* Effect.forEach([...inForce, ...ofModules, ...waiting, ...late], (one) =>
    place(tools, taken, one)
  )
  const first = copied[0]?.id
  const last = yield* place(tools, taken, { ...entry, ...defined({ firstKeptEntryId: first }) })
  return SessionHandoff.chain([...before, ...copied, last])
})

/** Entries that a host can cause while the new log is created. The run, which adds messages and usage, waits. */
const isNoted = ({ type }: SessionEntry) => type !== "message" && type !== "usage" && type !== "foreign"

/** Everything that is read from the old session. */
const prepare = Effect.fnUntraced(function* (tools: HandoffTools, model: Model, entry: Entry) {
  const { prepareHandoff, session, store } = tools
  const { file, sessionId } = yield* session.info
  const ofModules = yield* prepareHandoff
  const entries = yield* beginning(tools, model, entry, ofModules)
  const known = (yield* session.entries).length
  const parentSession = Option.getOrElse(file, () => sessionId)
  return { entries, known, create: folderOf(store, file).create({ parentSession, entries }) }
})

/** Answers the compaction as it is stored in the new session. To be called masked: an abort comes before the move or after. */
export const move = Effect.fnUntraced(function* (tools: HandoffTools, model: Model, entry: Entry) {
  const { publish, session } = tools
  const { create, entries, known } = yield* Effect.interruptible(prepare(tools, model, entry))
  yield* session.sync
  // A host may set a name or a model, or queue messages, while the file is made.
  const catchUp = Effect.fnUntraced(function* (log: SessionLog, all: ReadonlyArray<SessionEntry>) {
    const late = SessionHandoff.chain(all.slice(known).filter(isNoted), entries.at(-1)?.id)
    if (late.length > 0) yield* log.append(late)
    // The next session has what waits. It is taken out of this one last, so that a crash in between loses nothing.
    const [queued, records] = [QueueEntries.restore(all), LateEntries.restore(all)]
    if (queued.length > 0) yield* session.append(QueueEntries.removed(queued))
    if (records.length > 0) yield* session.append(LateEntries.moved(records))
    const { append, file, header, sync } = log
    return { append, file, header, sync, entries: [...log.entries, ...late] }
  })
  const opening = Effect.interruptible(Effect.zip(create, session.entries))
  const info = yield* session.continueIn(
    Effect.flatMap(opening, ([log, all]) => Effect.uninterruptible(catchUp(log, all)))
  )
  for (const event of Events.ofArrival(info)) publish(event)
  return entries.at(-1)
})

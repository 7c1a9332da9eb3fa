/** `ctx.sessionManager`: the session as extensions read it. */
import * as Option from "effect/Option"
import * as SessionContext from "../../../domain/session/SessionContext.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import * as SessionForest from "../../../domain/session/SessionForest.ts"
import * as SessionTree from "../../../domain/session/SessionTree.ts"
import type { Instance } from "../instance/Instance.ts"
import { copyOf } from "../instance/Values.ts"
import * as Entries from "./Entries.ts"

const folderOf = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf("/")))

/** Finds entries by id. Reads each entry once, because entries are only added. */
const makeIndex = (entries: () => ReadonlyArray<SessionEntry>) => {
  const byId = new Map<string, SessionEntry>()
  let read = 0
  let newest: SessionEntry | undefined
  return (id: string): SessionEntry | undefined => {
    const all = entries()
    // A handoff puts other entries in their place.
    if (read > 0 && all[read - 1] !== newest) {
      byId.clear()
      read = 0
    }
    for (; read < all.length; read++) {
      newest = all[read]
      if (newest !== undefined) byId.set(newest.id, newest)
    }
    return byId.get(id)
  }
}

/** The entries whose messages the model is sent. */
const inContext = (branch: ReadonlyArray<SessionEntry>): ReadonlyArray<SessionEntry> => {
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const compaction = branch[at]
  if (compaction?.type !== "compaction") return branch
  const from = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  return [compaction, ...(from < 0 || from > at ? [] : branch.slice(from, at)), ...branch.slice(at + 1)]
}

export const make = ({ bridge: { read }, ports: { cwd, session }, shared }: Instance) => {
  const info = () => read(session.info)
  const entries = () => read(session.entries)
  const find = makeIndex(entries)
  const shown = (entry: SessionEntry | undefined) => (entry === undefined ? undefined : Entries.one(shared, entry))
  const file = () => Option.getOrUndefined(info().file)
  const branch = () => read(session.branch)
  const getEntry = (id: unknown) => (typeof id === "string" ? shown(find(id)) : undefined)
  return {
    getCwd: () => cwd,
    getSessionDir: () => folderOf(file() ?? ""),
    getSessionId: () => info().sessionId,
    getSessionFile: file,
    isPersisted: () => file() !== undefined,
    getSessionName: () => Option.getOrUndefined(info().name),
    getHeader: () => copyOf(info().header),
    getLeafId: () => read(session.leafId),
    getLeafEntry: () => getEntry(read(session.leafId)),
    getEntry,
    getEntries: () => Entries.all(shared, entries()),
    getEntryCount: () => Entries.all(shared, entries()).length,
    getChildren: (parentId: unknown) =>
      Entries.all(
        shared,
        entries().filter((entry) => entry.parentId === parentId)
      ),
    getLabel: (id: unknown) => (typeof id === "string" ? SessionTree.labels(entries()).get(id)?.label : undefined),
    getBranch: (fromId?: unknown) =>
      Entries.all(shared, typeof fromId === "string" ? read(session.branchTo(fromId)) : branch()),
    getTree: () => SessionForest.make(entries(), (entry) => Entries.one(shared, entry)).roots,
    buildContextEntries: () => Entries.all(shared, inContext(branch())),
    buildSessionContext: () => {
      const { model, thinkingLevel } = read(session.settings)
      const messages = SessionContext.conversation(branch()).map(copyOf)
      return { messages, thinkingLevel: thinkingLevel ?? "off", model: copyOf(model ?? null) }
    }
  }
}

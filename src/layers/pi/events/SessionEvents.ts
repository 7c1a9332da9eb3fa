/** Events about the session as a whole: its beginning and end, changes, navigation and compaction. */
import { defined } from "../../../domain/Values.ts"
import { copyOf, isRecord, options, plainIn, textIn, textsIn } from "../instance/Values.ts"
import type { HookEvent } from "../../../services/hooks/HookPoints.ts"
import * as Entries from "../context/Entries.ts"
import { at, type Bad, nothing, type Occasion, type Subscribe } from "./Mapping.ts"

const started = (
  type: string,
  isFor: (reason: HookEvent<"sessionStarted">["reason"]) => boolean = () => true
): Subscribe =>
  at({
    point: "sessionStarted",
    event: ({ previousSessionFile, reason }) =>
      isFor(reason) ? { type, reason, ...defined({ previousSessionFile }) } : undefined,
    answer: nothing
  })

const isFork = (reason: string) => reason === "fork"
const isSwitch = (reason: string) => reason === "new" || reason === "resume"

const wrong = "must return an object or nothing"

const cancellation = (result: unknown, bad: Bad) => {
  if (result === undefined || result === null) return undefined
  return isRecord(result) ? { cancel: result["cancel"] === true } : bad(wrong)
}

const branching = (type: string): Subscribe =>
  at({
    point: "branching",
    event: ({ entryId }) => ({ type, entryId, position: "before" }),
    answer: cancellation
  })

const preparationOf = (plan: HookEvent<"compacting">, { instance }: Occasion): object => {
  const { preparation, tokensBefore } = plan
  const { settings } = instance.ports
  return {
    firstKeptEntryId: preparation.firstKeptEntryId,
    messagesToSummarize: copyOf(preparation.history),
    turnPrefixMessages: copyOf(preparation.prefix),
    isSplitTurn: preparation.prefix.length > 0,
    tokensBefore,
    ...defined({ previousSummary: preparation.previous?.summary }),
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: {
      enabled: settings["compaction.enabled"],
      reserveTokens: settings["compaction.reserveTokens"],
      keepRecentTokens: settings["compaction.keepRecentTokens"]
    }
  }
}

const compacting = at({
  point: "compacting",
  event: (plan, occasion) => ({
    type: "session_before_compact",
    preparation: preparationOf(plan, occasion),
    branchEntries: Entries.all(occasion.instance.shared, plan.branch),
    ...defined({ customInstructions: plan.customInstructions }),
    reason: plan.reason,
    willRetry: plan.reason === "overflow",
    signal: occasion.signal()
  }),
  answer: (result, bad) => {
    if (result === undefined || result === null) return undefined
    if (!isRecord(result)) return bad(wrong)
    if (result["cancel"] === true) return { _tag: "Cancel" }
    const { compaction } = result
    if (compaction === undefined) return undefined
    const summary = isRecord(compaction) ? textIn(compaction, "summary") : undefined
    if (!isRecord(compaction) || summary === undefined) return bad("compaction.summary must be a text")
    return {
      _tag: "Supply",
      compaction: {
        summary,
        ...defined({
          shortSummary: textIn(compaction, "shortSummary"),
          firstKeptEntryId: textIn(compaction, "firstKeptEntryId"),
          details: plainIn(compaction, "details"),
          preserveData: plainIn(compaction, "preserveData")
        })
      }
    }
  }
})

const navigating = at({
  point: "navigating",
  event: ({ entriesToSummarize, oldLeafId, summarize, targetId }, { instance, signal }) => ({
    type: "session_before_tree",
    preparation: {
      targetId,
      oldLeafId,
      commonAncestorId: entriesToSummarize[0]?.parentId ?? null,
      entriesToSummarize: Entries.all(instance.shared, entriesToSummarize),
      userWantsSummary: summarize
    },
    signal: signal()
  }),
  answer: (result, bad) => {
    if (result === undefined || result === null) return undefined
    if (!isRecord(result)) return bad(wrong)
    if (result["cancel"] === true) return { cancel: true }
    if (result["summary"] === undefined) return undefined
    const given = options(result["summary"])
    const summary = textIn(given, "summary")
    if (summary === undefined) return bad("summary.summary must be a text")
    return { summary: { summary, ...defined({ details: plainIn(given, "details") }) } }
  }
})

export const sessionEvents: Readonly<Record<string, Subscribe>> = {
  session_start: started("session_start"),
  session_switch: started("session_switch", isSwitch),
  session_branch: started("session_branch", isFork),
  session_fork: started("session_fork", isFork),
  session_shutdown: at({
    point: "sessionEnding",
    event: ({ reason, targetSessionFile }) => ({ type: "session_shutdown", reason, ...defined({ targetSessionFile }) }),
    answer: nothing
  }),
  session_before_switch: at({
    point: "leaving",
    event: ({ reason, targetSessionFile }) => ({
      type: "session_before_switch",
      reason,
      ...defined({ targetSessionFile })
    }),
    answer: cancellation
  }),
  session_before_branch: branching("session_before_branch"),
  session_before_fork: branching("session_before_fork"),
  session_before_compact: compacting,
  session_compact: at({
    point: "compacted",
    event: ({ entry, reason }, { instance }) => ({
      type: "session_compact",
      compactionEntry: Entries.one(instance.shared, entry),
      fromExtension: entry.fromExtension === true,
      reason,
      willRetry: reason === "overflow"
    }),
    answer: nothing
  }),
  session_before_tree: navigating,
  session_tree: at({
    point: "navigated",
    event: ({ newLeafId, oldLeafId }) => ({ type: "session_tree", newLeafId, oldLeafId }),
    answer: nothing
  }),
  resources_discover: at({
    point: "resources",
    event: ({ reason }, { instance }) => ({
      type: "resources_discover",
      cwd: instance.ports.cwd,
      reason: reason === "reload" ? "reload" : "startup"
    }),
    answer: (result, bad) => {
      if (result === undefined || result === null) return undefined
      if (!isRecord(result)) return bad(wrong)
      return defined({ skillPaths: textsIn(result, "skillPaths"), promptPaths: textsIn(result, "promptPaths") })
    }
  })
}

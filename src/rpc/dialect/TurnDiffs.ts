/**
 * What the file tools have changed in a turn, for hosts that have agreed on `turn_diff` (supplement 7(13)). It is made from the
 * results of `edit` and `write`. One value per session that a host follows.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { described, optional } from "../../domain/conversation/Content.ts"
import type { Preferences } from "../connection/Preferences.ts"
import type { ControlEvent, ToFrames } from "../protocol/events/EventFrames.ts"

export const FileChange = Schema.Struct({
  path: described(Schema.String, "Absolute."),
  kind: Schema.Literal("create", "modify", "delete"),
  added: described(Schema.Int, "Lines, of all changes of the turn."),
  removed: Schema.Int,
  unified: optional(
    Schema.String,
    "Absent if the file was changed more than once in the turn, or the diff is too long to be kept."
  )
}).annotations({ identifier: "FileChange", description: "A file that a turn has changed." })
type FileChange = typeof FileChange.Type

const writers: ReadonlySet<string> = new Set(["edit", "write"])

/** Those of a call that has changed a file; it may have been interrupted then. */
const Details = Schema.Struct({
  path: Schema.String,
  created: optional(Schema.Boolean),
  diff: optional(Schema.String),
  diffTruncated: optional(Schema.Boolean),
  added: optional(Schema.Int),
  removed: optional(Schema.Int)
})
const decode = Schema.decodeUnknownEither(Details)

const changeOf = (details: typeof Details.Type): FileChange => {
  const { added = 0, created = false, diff = "", diffTruncated = false, path, removed = 0 } = details
  const headers = `--- ${created ? "/dev/null" : path}\n+++ ${path}\n`
  return {
    path,
    kind: created ? "create" : "modify",
    added,
    removed,
    ...(diff === "" || diffTruncated ? {} : { unified: headers + diff })
  }
}

const both = (one: FileChange, { added, path, removed }: FileChange): FileChange => ({
  path,
  kind: one.kind,
  added: one.added + added,
  removed: one.removed + removed
})

export const add = (preferences: () => Pick<Preferences, "turnDiffs">, next: ToFrames): ToFrames => {
  const files = new Map<string, FileChange>()

  const collect = ({ result, toolName }: Extract<ControlEvent, { readonly _tag: "ToolEnded" }>) => {
    if (!writers.has(toolName)) return
    const details = decode(result.details)
    if (Either.isLeft(details)) return
    const change = changeOf(details.right)
    const before = files.get(change.path)
    files.set(change.path, before === undefined ? change : both(before, change))
  }

  return (event) => {
    if (event._tag === "TurnStarted") files.clear()
    if (event._tag === "ToolEnded") collect(event)
    if (event._tag !== "TurnEnded" || files.size === 0 || preferences().turnDiffs !== true) return next(event)
    const { runId, turnIndex } = event
    const frame = { type: "turn_diff", turnId: `${runId}.${turnIndex}`, files: [...files.values()], turnIndex, runId }
    return [frame, ...next(event)]
  }
}

/** Compaction on demand, and switching the automatic one (protocol.md 3.5, 7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CompactionResult } from "../../domain/compaction/CompactionResult.ts"
import { optional } from "../../domain/conversation/Content.ts"
import { Agent } from "../../services/Agent.ts"
import { Compactions } from "../../services/Compaction.ts"
import * as Command from "../Command.ts"
import { compactionCodes, compactionFailure } from "../protocol/CompactionFailures.ts"

const compact = Command.make({
  name: "compact",
  lane: "holding",
  summary: "Replaces the older part of the conversation by a summary.",
  notes:
    "An active run is aborted first, with its `agent_end`, unless there is nothing to compact; the response then has `abortedRun: true`, " +
    "also one that fails afterwards. With `resume` heddle sends a prompt afterwards that continues the aborted run, and `resumed` names the new run. `customInstructions` tell the model what to " +
    "focus on in the summary. `abort` and `abort_compaction` cancel it. See [compaction.md](compaction.md).",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ customInstructions: optional(Schema.String), resume: optional(Schema.Boolean) }),
  result: Schema.Struct({
    ...CompactionResult.fields,
    abortedRun: optional(Schema.Boolean),
    resumed: optional(Schema.Struct({ runId: Schema.String, messageId: Schema.String }))
  }),
  errors: ["busy", "closing", ...compactionCodes],
  run: Effect.fnUntraced(function* (params, request) {
    const agent = yield* Agent
    return yield* Effect.mapError(agent.compact(params, request.answer), compactionFailure)
  })
})

const abortCompaction = Command.make({
  name: "abort_compaction",
  lane: "ending",
  summary: "Cancels the active compaction; a run continues. Succeeds also when there is none.",
  origin: ["ours"],
  params: Command.noParams,
  heldBack: (position) =>
    Command.aheadIn(position, (session) => Context.get(session, Compactions).cancelUntil(position)),
  run: () => Effect.flatMap(Compactions, ({ cancel }) => cancel)
})

const setAutoCompaction = Command.make({
  name: "set_auto_compaction",
  lane: "ordered",
  summary: "Switches automatic compaction on or off, also for the active run.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ enabled: Schema.Boolean }),
  run: ({ enabled }) => Effect.flatMap(Compactions, ({ setEnabled }) => setEnabled(enabled))
})

export const commands = [compact, abortCompaction, setAutoCompaction]

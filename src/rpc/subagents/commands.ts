/** What a host hears of subagents, and how it reaches them while they run (supplement 1.3). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.ts"
import { optional } from "../../domain/conversation/Content.ts"
import { SubagentInfo, TranscriptPart } from "../../domain/subagents/Subagent.ts"
import { defined } from "../../domain/Values.ts"
import { SubagentSet, type UnknownSubagent } from "../../services/delegation/Subagents.ts"
import { SessionCore } from "../../services/session/SessionCore.ts"
import * as Command from "../Command.ts"
import * as Connection from "../connection/Connection.ts"
import { defaultGraceMs, notCancelled } from "../commands/fibers.ts"
import { isLevel, levels } from "./SubagentFrames.ts"

const invalid = (message: string) => new Command.CommandFailure({ code: "invalid_params", message })
const unknown = ({ message }: Pick<UnknownSubagent, "message">) =>
  new Command.CommandFailure({ code: "unknown_subagent", message })

const shown = (value: unknown) => (typeof value === "string" ? value : Json.stringify(value))

const setSubagentSubscription = Command.make({
  name: "set_subagent_subscription",
  lane: "waiting",
  summary: "Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too.",
  notes:
    "`subagent_start`, `subagent_end` and `subagent_verification_*` come at every level. The level holds for this connection, over changes of the session. " +
    "`set_event_filter` has no effect on these frames. See [hosts/subagents.md](hosts/subagents.md#subagents).",
  origin: ["omp"],
  // Checked by the handler, because hosts know the text of the failure.
  params: Schema.Struct({ level: Schema.Unknown.annotations({ jsonSchema: { enum: levels } }) }),
  result: Schema.Struct({ level: Schema.Literal(...levels) }),
  errors: ["invalid_level"],
  run: Effect.fnUntraced(function* ({ level }, { connection }) {
    if (!isLevel(level)) {
      const message = `Invalid subagent subscription level: ${shown(level)}`
      return yield* new Command.CommandFailure({ code: "invalid_level", message, data: { supported: levels } })
    }
    const subagents = yield* SubagentSet
    yield* Connection.prefer(connection, (now) => ({ ...now, subagents: level }))
    yield* subagents.forward(level === "events")
    return { level }
  })
})

const getSubagents = Command.make({
  name: "get_subagents",
  lane: "query",
  summary: "The subagents that run, in the order of their start.",
  origin: ["omp"],
  params: Command.noParams,
  result: Schema.Struct({ subagents: Schema.Array(SubagentInfo) }),
  run: Effect.fnUntraced(function* () {
    const subagents = yield* SubagentSet
    return { subagents: yield* subagents.live }
  })
})

const TranscriptParams = Schema.Struct({
  subagentId: optional(Schema.String),
  sessionFile: optional(Schema.String),
  fromByte: optional(Schema.Unknown.annotations({ jsonSchema: { type: "number" } }))
})

const getSubagentMessages = Command.make({
  name: "get_subagent_messages",
  lane: "control",
  summary: "The transcript of a subagent of this session from a byte on, in whole lines, also after its end.",
  notes:
    "Name it by `subagentId` or by the `sessionFile` that other frames have told. Send `nextByte` as the next `fromByte` to read on. " +
    "`reset` says that the file was shorter than `fromByte`, so what you have read before is void.",
  origin: ["omp"],
  params: TranscriptParams,
  result: TranscriptPart,
  errors: ["unknown_subagent"],
  run: Effect.fnUntraced(function* ({ fromByte, sessionFile, subagentId }) {
    if (subagentId === undefined && sessionFile === undefined) {
      return yield* invalid("get_subagent_messages requires subagentId or sessionFile")
    }
    if (fromByte !== undefined && fromByte !== null && !Number.isFinite(fromByte)) {
      return yield* invalid("fromByte must be a finite number")
    }
    const subagents = yield* SubagentSet
    const request = {
      ...defined({ subagentId, sessionFile }),
      ...(typeof fromByte === "number" ? { fromByte: Math.max(0, Math.floor(fromByte)) } : {})
    }
    return yield* Effect.mapError(subagents.transcript(request), unknown)
  })
})

const cancelSubagent = Command.make({
  name: "cancel_subagent",
  lane: "control",
  summary: "Ends a subagent and all below it, as `cancel` does; answers when they have ended.",
  notes:
    "The result of its task is then `aborted`, and other tasks go on. `cancelled: false` says that it had ended before. " +
    "The failure `still_running` comes after 10 seconds; the subagent is still being ended.",
  origin: ["omp"],
  params: Schema.Struct({ subagentId: Schema.String }),
  result: Schema.Struct({ cancelled: Schema.Boolean }),
  errors: ["unknown_subagent", "still_running"],
  run: Effect.fnUntraced(function* ({ subagentId }) {
    const { cancel, root } = (yield* SessionCore).supervision
    const noSuch = unknown({ message: `Unknown subagent: ${subagentId}` })
    const node = root.registry.named.get(subagentId)
    // Names are shared with runs, calls and requests, which this command must not end.
    if (node !== undefined && node.spec.kind !== "subagent") return yield* noSuch
    const { outcome } = yield* Effect.mapError(cancel(subagentId, defaultGraceMs), (failure) =>
      failure.reason === "still_running" ? notCancelled(failure) : noSuch
    )
    return { cancelled: outcome === "cancelled" }
  })
})

const steerSubagent = Command.make({
  name: "steer_subagent",
  lane: "control",
  summary: "Queues a message for the next model call of a subagent that runs.",
  origin: ["omp"],
  params: Schema.Struct({ subagentId: Schema.String, message: Schema.String }),
  errors: ["unknown_subagent"],
  run: Effect.fnUntraced(function* ({ message, subagentId }) {
    const subagents = yield* SubagentSet
    yield* Effect.mapError(subagents.steer(subagentId, message), unknown)
  })
})

export const commands = [setSubagentSubscription, getSubagents, getSubagentMessages, cancelSubagent, steerSubagent]

/** Commands about the protocol itself (supplement 5.2, 6.6, 6.7). */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { dialogMethods } from "../../services/host/HostUi.ts"
import { AbortQueue } from "../../services/Settings.ts"
import * as Command from "../Command.ts"
import * as Connection from "../connection/Connection.ts"
import type { Preferences, UpdateForm } from "../connection/Preferences.ts"
import * as Capabilities from "../protocol/Capabilities.ts"
import * as EventFilter from "../protocol/events/EventFilter.ts"
import { schemaHash } from "../protocol/schemaHash.ts"

const ping = Command.make({
  name: "ping",
  lane: "instant",
  summary: "Answers at once.",
  origin: ["ours"],
  params: Command.noParams,
  result: Schema.Struct({}),
  run: () => Effect.succeed({})
})

const getSchema = Command.make({
  name: "get_schema",
  lane: "control",
  summary: "This reference as JSON Schema 2020-12, generated from the definitions that decode the input.",
  notes: "Send the `hash` of an earlier response as `ifNoneMatch` to get the schema only if it has changed.",
  origin: ["ours"],
  params: Schema.Struct({
    part: optional(Schema.Literal("commands", "events", "types", "all")),
    ifNoneMatch: optional(Schema.String)
  }),
  result: Schema.Struct({
    protocolVersion: Schema.Int,
    hash: Schema.String,
    schema: optional(Schema.Unknown),
    notModified: optional(Schema.Boolean)
  }),
  run: Effect.fnUntraced(function* ({ ifNoneMatch, part }) {
    const known = { protocolVersion: Capabilities.protocolVersion, hash: schemaHash }
    if (ifNoneMatch === schemaHash) return { ...known, notModified: true }
    // Loaded on demand: JsonSchema imports the registry, which imports this file, and loading it would delay the start.
    const JsonSchema = yield* Effect.promise(() => import("../JsonSchema.ts"))
    return { ...known, schema: JsonSchema.part(part ?? "all") }
  })
})

const Limits = Schema.Struct({
  maxInboundFrameBytes: Schema.Int,
  maxFrameBytes: Schema.Int,
  maxReassembledFrameBytes: Schema.Int
})

const initialize = Command.make({
  name: "initialize",
  lane: "instant",
  summary: "Exchanges versions and capabilities; all members are optional. Send it once, best as the first command.",
  notes:
    '`capabilities.messageUpdates: "delta"` asks for updates with increments only, `chunks: true` for long frames in pieces (`rpc_chunk`), `turnDiffs: true` for `turn_diff`, `approvals: true` says that the host answers `approval_request`, `abortQueue: "keep"` asks for aborts that leave the queue alone. `ui` lists the questions that the host can answer, of `select`, `confirm`, `input` and `editor`; the others get their default answers, and a `notice` says so. heddle has only the capabilities that the response lists.',
  origin: ["ours"],
  params: Schema.Struct({
    protocolVersion: optional(Schema.Int),
    clientInfo: optional(Schema.Struct({ name: optional(Schema.String), version: optional(Schema.String) })),
    capabilities: optional(
      Schema.Struct({
        messageUpdates: optional(Schema.Literal("full", "delta")),
        approvals: optional(Schema.Boolean),
        chunks: optional(Schema.Boolean),
        turnDiffs: optional(Schema.Boolean),
        abortQueue: optional(AbortQueue),
        ui: optional(Schema.Array(Schema.String))
      })
    )
  }),
  result: Schema.Struct({
    protocolVersion: Schema.Int,
    serverInfo: Schema.Struct({ name: Schema.String, version: Schema.String }),
    dialect: Schema.String,
    dialects: Schema.Array(Schema.String),
    capabilities: Capabilities.Capabilities,
    limits: Limits,
    enforcement: Capabilities.Enforcement,
    schemaHash: Schema.String,
    sessionId: Schema.String,
    epoch: Schema.String,
    seq: Schema.Int
  }),
  errors: ["already_initialized", "unsupported_version"],
  run: Effect.fnUntraced(function* (params, { connection }) {
    const { initialized } = yield* Ref.get(connection.preferences)
    if (initialized) {
      return yield* new Command.CommandFailure({
        code: "already_initialized",
        message: "This connection is initialized already"
      })
    }
    const wanted = params.protocolVersion ?? Capabilities.protocolVersion
    if (wanted < Capabilities.protocolVersion) {
      return yield* new Command.CommandFailure({
        code: "unsupported_version",
        message: `Protocol version ${wanted} is not supported; use ${Capabilities.protocolVersion}`,
        data: { supported: [Capabilities.protocolVersion] }
      })
    }
    const { abortQueue, approvals, chunks, messageUpdates, turnDiffs, ui } = params.capabilities ?? {}
    yield* Connection.prefer(connection, (now) => ({
      ...now,
      initialized: true,
      negotiated: true,
      ...(chunks === true ? { chunksAfter: "initialize" as const } : {}),
      abortQueue: abortQueue ?? now.abortQueue,
      updates: messageUpdates ?? now.updates,
      turnDiffs: turnDiffs === true,
      approvals: approvals === true,
      ...(ui === undefined ? {} : { ui: new Set(dialogMethods.filter((method) => ui.includes(method))) })
    }))
    const { epoch, seq, sessionId } = connection.link()
    return {
      protocolVersion: Capabilities.protocolVersion,
      serverInfo: { name: "heddle", version: connection.serverVersion },
      dialect: connection.dialect.name,
      dialects: Capabilities.dialects,
      capabilities: Capabilities.capabilities,
      limits: Capabilities.frameLimits(connection.maxFrameBytes),
      enforcement: yield* Capabilities.enforcement,
      schemaHash,
      sessionId,
      epoch,
      seq
    }
  })
})

const negotiateProtocol = Command.make({
  name: "negotiate_protocol",
  lane: "instant",
  summary: "Agrees on transport version 2 of the omp family: after the response, long frames come as `rpc_chunk`.",
  origin: ["omp"],
  params: Schema.Struct({ protocolVersion: Schema.Finite }),
  result: Schema.Struct({ protocolVersion: Schema.Int }),
  errors: ["unsupported_version"],
  run: Effect.fnUntraced(function* ({ protocolVersion }, { connection }) {
    if (protocolVersion !== 2) {
      return yield* new Command.CommandFailure({
        code: "unsupported_version",
        message: `Unsupported RPC protocol version: ${protocolVersion}`
      })
    }
    yield* Connection.prefer(connection, (now) => ({
      ...now,
      negotiated: true,
      chunksAfter: "negotiate_protocol"
    }))
    return { protocolVersion: 2 }
  })
})

const Form = Schema.Literal("full", "delta")

const isType = (value: unknown): value is string => typeof value === "string" && value !== ""
const areTypes = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isType)

const setEventFilter = Command.make({
  name: "set_event_filter",
  lane: "ordered",
  summary: "Chooses which session events are sent, by their types; `null` means all of them.",
  notes:
    "Each call replaces what the one before it said. Responses, `prompt_result`, `session_settled`, `extension_error`, questions to the host and its tool calls always come. " +
    "`seq` counts the records that are sent, so it has no gaps. " +
    'With `messageUpdates: "delta"` an update carries increments only, and `message` has nothing but its `role`; without the member, updates keep the form that `initialize`, `set_event_options` or `--rpc-updates` have chosen.',
  origin: ["omp"],
  params: Schema.Struct({ events: Schema.Unknown, messageUpdates: optional(Form) }),
  result: Schema.Struct({ events: Schema.NullOr(Schema.Array(Schema.String)), messageUpdates: Form }),
  run: Effect.fnUntraced(function* ({ events, messageUpdates }, { connection }) {
    if (events !== null && !areTypes(events)) {
      return yield* new Command.CommandFailure({
        code: "invalid_params",
        message: "events must be null or an array of non-empty event type strings"
      })
    }
    const filter = EventFilter.make(events, messageUpdates)
    const { updates } = yield* Connection.prefer(connection, (now) => ({ ...now, filter }))
    return { events, messageUpdates: messageUpdates ?? updates }
  })
})

const inForm = (now: Preferences, updates: UpdateForm): Preferences => ({
  ...now,
  updates,
  ...(now.filter === undefined ? {} : { filter: EventFilter.withoutForm(now.filter) })
})

const setEventOptions = Command.make({
  name: "set_event_options",
  lane: "ordered",
  summary: "Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only.",
  notes: "`extra` has no effect: the events that it asks for are always sent.",
  origin: ["ours"],
  params: Schema.Struct({ updates: optional(Form), extra: optional(Schema.Boolean) }),
  result: Schema.Struct({ updates: Form, extra: Schema.Boolean }),
  run: ({ updates }, { connection }) =>
    Effect.map(
      Connection.prefer(connection, (now) => (updates === undefined ? now : inForm(now, updates))),
      (now) => ({ updates: now.updates, extra: true })
    )
})

export const commands = [ping, getSchema, initialize, negotiateProtocol, setEventFilter, setEventOptions]

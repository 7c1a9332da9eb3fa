/** What `ready` and `initialize` report of heddle (supplement 5.2). A capability is listed when it works. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Mode } from "../../domain/approvals/Modes.ts"
import { described } from "../../domain/conversation/Content.ts"
import { Approvals } from "../../services/Approvals.ts"
import { dialectNames } from "../../services/host/Dialect.ts"
import { Backend, neverHeld, Sandbox } from "../../services/machine/Sandbox.ts"
import * as Trust from "../../services/Trust.ts"
import * as Chunks from "../peers/Chunks.ts"

export const protocolVersion = 1
/** Transport versions of the omp family, which are not versions of our protocol. */
export const transportVersions = [1, 2] as const

/**
 * The longest line of the host, which is enforced, and the longest of ours for a host that has agreed on chunks. Hosts of the
 * omp family agree only if the two limits of ours are exactly these.
 */
export const frameLimits = (inbound: number) => ({
  maxInboundFrameBytes: inbound,
  maxFrameBytes: Chunks.longestLine,
  maxReassembledFrameBytes: Chunks.longestFrame
})

/** Those that a host can ask for by name. */
export const dialects = dialectNames.filter((name) => name !== "superset")

export const Capabilities = Schema.Struct({
  messageUpdates: described(Schema.Array(Schema.Literal("full", "delta")), "The forms of `message_update`."),
  approvals: described(Schema.Boolean, "`approval_request`, `approval_response` and `set_approval_policy`."),
  chunks: described(Schema.Boolean, "Long frames are sent in chunks to a host that asks for it."),
  fibers: described(Schema.Boolean, "`get_fibers` and `cancel`."),
  queueIds: described(Schema.Boolean, "Commands that take the id of a queued message, and `clientMessageId`."),
  schema: described(Schema.Boolean, "`get_schema`."),
  hostTools: described(Schema.Boolean, "`set_host_tools`."),
  turnDiffs: described(Schema.Boolean, "`turn_diff` is sent to a host that asks for it.")
}).annotations({ identifier: "Capabilities", description: "Which optional parts of the protocol work." })

export const capabilities: typeof Capabilities.Type = {
  messageUpdates: ["full", "delta"],
  approvals: true,
  chunks: true,
  fibers: true,
  queueIds: true,
  schema: true,
  hostTools: true,
  turnDiffs: true
}

export const Enforcement = Schema.Struct({
  sandbox: Schema.Literal("none", "workspace-write", "read-only"),
  network: Schema.Literal("open", "proxy", "off"),
  approvals: Mode,
  trust: Trust.TrustLevel,
  backend: described(Backend, "By what means the sandbox holds programs."),
  outside: described(
    Schema.Array(Schema.String),
    "What the sandbox does not hold: `extensions`, whose code runs in the process of heddle, `host_tools`, and what its means cannot hold."
  )
}).annotations({ identifier: "Enforcement", description: "What limits the tools of the agent." })

/** What is in force now. */
export const enforcement: Effect.Effect<typeof Enforcement.Type> = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { mode } = yield* Approvals
  return {
    sandbox: sandbox?.mode ?? "none",
    network: sandbox?.network ?? "open",
    approvals: mode(),
    trust: yield* Trust.level,
    backend: sandbox?.backend ?? "none",
    outside: sandbox?.outside ?? neverHeld
  }
})

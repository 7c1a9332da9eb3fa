/**
 * Whether the user trusts the project in the working folder, and what of it was left out because they do not (protocol.md
 * 11.5). Decided once, at start, by the user or by the embedder, never by the project.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

export const TrustLevel = Schema.Literal("trusted", "untrusted").annotations({ identifier: "TrustLevel" })

export interface WorkspaceTrust {
  readonly level: typeof TrustLevel.Type
  /** For the host, once: what was left out and how to allow it. Absent if nothing was. */
  readonly notice?: string
}

const untrusted: WorkspaceTrust = { level: "untrusted" }

export class Trust extends Context.Reference<Trust>()("heddle/services/Trust", { defaultValue: () => untrusted }) {}

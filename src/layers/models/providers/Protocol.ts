/** A wire format that several providers share: request body and event state machine, without address and key. */
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { ModelRequest, Opened } from "../../../services/model/ModelClient.ts"

/** How a server differs from the vendor whose protocol it imitates (protocol.md 16.1). Absent: it does not. */
export interface Compat {
  readonly supportsStore?: boolean
  readonly supportsDeveloperRole?: boolean
  readonly supportsReasoningEffort?: boolean
  readonly supportsUsageInStreaming?: boolean
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens"
  readonly requiresToolResultName?: boolean
  readonly requiresAssistantAfterToolResult?: boolean
  readonly requiresThinkingAsText?: boolean
  readonly thinkingFormat?: string
  readonly supportsStrictMode?: boolean
}

/** Key, headers and flags of one request. */
export interface Connection {
  /** Where it goes; the model's `baseUrl` unless that hides a part. */
  readonly address?: Redacted.Redacted
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly compat: Compat
  /** For error texts: the variables and files that set the address. */
  readonly addressPlaces: string
}

export interface Protocol {
  /** The `api` of the models it serves. */
  readonly api: string
  readonly stream: (request: ModelRequest, connection: Connection) => Opened
}

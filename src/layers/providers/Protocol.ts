/** A wire format that several providers speak: request body and event state machine. Where and with which key is apart. */
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { ModelRequest } from "../../services/model/ModelClient.ts"
import type { Opened } from "./Provider.ts"

/** What servers that claim compatibility differ in (protocol.md 16.1). Absent means the vendor's own behaviour. */
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

/** How to reach the server of one request; the address is the model's baseUrl. */
export interface Connection {
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly compat: Compat
  /** Variables and files that say where the server is, for people. */
  readonly addressPlaces: string
}

export interface Protocol {
  /** The `api` of the models it serves. */
  readonly api: string
  readonly stream: (request: ModelRequest, connection: Connection) => Opened
}

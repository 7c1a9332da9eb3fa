/** What a session may do around each request that goes to a provider over HTTP. A request without hooks pays nothing. */
import type * as Effect from "effect/Effect"
import type { Model } from "../../domain/model/Model.ts"

export interface RequestInfo {
  readonly model: Model
  readonly sessionId: string
}

export interface ProviderResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RequestHooks {
  /** Called before the request is sent. Returns the body to send, which must be a JSON object. */
  readonly before?: (payload: unknown, info: RequestInfo) => Effect.Effect<unknown>
  /** Called when status and headers have arrived and before the body is read; also for an answer that is an error. */
  readonly after?: (response: ProviderResponse, info: RequestInfo) => Effect.Effect<void>
}

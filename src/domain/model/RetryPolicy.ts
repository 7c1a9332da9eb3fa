/** Decides whether to retry a failed model call, and after how long (protocol.md 8). Pure. */

export interface RetrySettings {
  readonly maxRetries: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export interface Failure {
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/**
 * Milliseconds before attempt `attempt` (counted from 1): as long as the server asks, else twice as long as before.
 * Undefined if the failure is final, the attempts are used up, or the server asks for a longer wait than the settings allow.
 */
export const delayBefore = (attempt: number, failure: Failure, settings: RetrySettings): number | undefined => {
  const hint = failure.retryAfterMs ?? 0
  if (!failure.retryable || attempt > settings.maxRetries || hint > settings.maxDelayMs) return undefined
  // A server that asks for no wait at all does not know when to come back.
  return hint > 0 ? hint : Math.min(settings.baseDelayMs * 2 ** (attempt - 1), settings.maxDelayMs)
}

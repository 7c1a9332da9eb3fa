/** When a failed model call is tried again, and after how long (protocol.md 8). Pure. */

export interface RetrySettings {
  readonly maxRetries: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export interface Failure {
  readonly retryable: boolean
  /** What the server asked us to wait. */
  readonly retryAfterMs?: number
}

/**
 * Milliseconds before attempt `attempt` (counted from 1), or undefined when there is none: not worth it, too often
 * already, or the server asks for more patience than the settings allow.
 */
export const delayBefore = (attempt: number, failure: Failure, settings: RetrySettings): number | undefined => {
  const hint = failure.retryAfterMs ?? 0
  if (!failure.retryable || attempt > settings.maxRetries || hint > settings.maxDelayMs) return undefined
  return Math.max(Math.min(settings.baseDelayMs * 2 ** (attempt - 1), settings.maxDelayMs), hint)
}

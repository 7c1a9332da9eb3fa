/** One thing that a hostile server does. */
import type { Api, Steps } from "./Wire.ts"

export interface Setting {
  readonly api: Api
  /** How much an endless case sends at most. */
  readonly bytes: number
  /** Another origin. */
  readonly trap: string
  readonly path: string
  /** How many requests the case has had before. */
  readonly nth: number
}

export interface HostileCase {
  readonly name: string
  /**
   * How a prompt ends: with an error, with an answer, with either, or only when the host aborts it (before a deadline of
   * minutes does).
   */
  readonly ends: "error" | "answer" | "either" | "abort"
  /** Sends as much as it is allowed to. */
  readonly large?: true
  readonly steps: (setting: Setting) => Steps
}

/**
 * Whether the user trusts the project in the working folder, and what of it was left out because they do not (protocol.md
 * 11.5). The user decides, or the embedder, never the project. The level rises at most once, when the host says yes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { defined } from "../domain/Values.ts"

export const TrustLevel = Schema.Literal("trusted", "untrusted").annotations({
  identifier: "TrustLevel",
  description: "Whether the user trusts the project in the working folder."
})
export type TrustLevel = typeof TrustLevel.Type

export interface TrustQuestion {
  readonly title: string
  readonly message: string
}

/** Shows a question to the user. Undefined without an answer: that is not stored, so the next start asks again. */
export type Confirm = (question: TrustQuestion) => Effect.Effect<boolean | undefined>

export interface TrustAnswer {
  readonly level: TrustLevel
  /** For the host: what follows from the answer. Absent if the host was not asked. */
  readonly notice?: string
}

export interface WorkspaceTrust {
  readonly level: Effect.Effect<TrustLevel>
  /** The level that settings and keys were read with. They do not change when the level rises. */
  readonly atStart: TrustLevel
  /** For the host, once: what was left out and how to allow it. Absent if nothing was. */
  readonly notice?: string
  /** By an option or by an answer that was stored; also if the project has nothing that would need trust. */
  readonly isDecided: boolean
  /**
   * The files of the project that may be loaded as code, with their SHA-256, by paths without links: those that were there when
   * the user stored the answer. Undefined where the user has allowed everything, and where nothing may be loaded.
   */
  readonly code: Effect.Effect<ReadonlyMap<string, string> | undefined>
  /**
   * Asks the user unless the matter is decided, and stores the answer. A second call waits for the first and does not
   * ask again. An interrupt withdraws the question.
   */
  readonly ask: (confirm: Confirm) => Effect.Effect<TrustAnswer>
}

/** A level that needs no question. */
export const fixed = (level: TrustLevel, notice?: string): WorkspaceTrust => ({
  level: Effect.succeed(level),
  atStart: level,
  ...defined({ notice }),
  isDecided: true,
  code: Effect.succeed(undefined),
  ask: () => Effect.succeed({ level })
})

export class Trust extends Context.Reference<Trust>()("heddle/services/Trust", {
  defaultValue: () => fixed("untrusted")
}) {}

export const level: Effect.Effect<TrustLevel> = Effect.flatMap(Trust, (trust) => trust.level)

/** Asked at every use, because the level may rise. */
export const isTrusted: Effect.Effect<boolean> = Effect.map(level, (current) => current === "trusted")

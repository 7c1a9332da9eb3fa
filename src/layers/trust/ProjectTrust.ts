/** The Trust of this process: starts with the decision that is known, and rises when the host says yes. */
import * as Effect from "effect/Effect"
import * as SynchronizedRef from "effect/SynchronizedRef"
import type { TrustAnswer, WorkspaceTrust } from "../../services/Trust.ts"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
import type { Decision } from "./Decision.ts"
import * as DecisionOf from "./Decision.ts"
import type { Subject } from "./Question.ts"

export interface ProjectTrustOptions {
  readonly decision: Decision
  readonly subject: Subject
  /** Whether there is code, or a setting, that only a trusted project may have. */
  readonly hasQuestion: boolean
  readonly notice: string | undefined
}

interface State extends TrustAnswer {
  readonly isDecided: boolean
}

export const make = Effect.fnUntraced(function* ({ decision, hasQuestion, notice, subject }: ProjectTrustOptions) {
  const files = yield* OwnFiles
  const isDecided = decision.isDecided || !hasQuestion
  const first: State = { level: decision.level, isDecided }
  const state = yield* SynchronizedRef.make(first)
  const trust: WorkspaceTrust = {
    level: Effect.map(SynchronizedRef.get(state), ({ level }) => level),
    atStart: decision.level,
    ...(notice === undefined ? {} : { notice }),
    isDecided,
    ask: (confirm) =>
      SynchronizedRef.modifyEffect(state, (before) =>
        before.isDecided
          ? Effect.succeed([{ level: before.level }, before] as const)
          : Effect.gen(function* () {
              const Question = yield* Effect.promise(() => import("./Question.ts"))
              const place = yield* DecisionOf.realPlace(subject)
              const answer = yield* Question.ask({ ...subject, ...place }, confirm)
              return [answer, { level: answer.level, isDecided: true }] as const
            })
      ).pipe(Effect.provideService(OwnFiles, files))
  }
  return trust
})

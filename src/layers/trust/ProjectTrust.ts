/** The Trust of this process: starts with the decision that is known, and rises when the host says yes. */
import * as Effect from "effect/Effect"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { defined } from "../../domain/Values.ts"
import type { TrustAnswer, WorkspaceTrust } from "../../services/Trust.ts"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
import type { Decision } from "./Decision.ts"
import * as DecisionOf from "./Decision.ts"
import * as Question from "./Question.ts"

export interface ProjectTrustOptions {
  readonly decision: Decision
  readonly subject: Question.Subject
  /** Whether there is code, or a setting, that only a trusted project may have. */
  readonly hasQuestion: boolean
  readonly notice: string | undefined
}

interface State extends TrustAnswer {
  readonly isDecided: boolean
  readonly code?: ReadonlyMap<string, string>
}

export const make = Effect.fnUntraced(function* ({ decision, hasQuestion, notice, subject }: ProjectTrustOptions) {
  const files = yield* OwnFiles
  const isDecided = decision.isDecided || !hasQuestion
  const { code, level } = decision
  const first: State = { level, isDecided, ...defined({ code }) }
  const state = yield* SynchronizedRef.make(first)
  const trust: WorkspaceTrust = {
    level: Effect.map(SynchronizedRef.get(state), ({ level }) => level),
    atStart: level,
    ...defined({ notice }),
    isDecided,
    code: Effect.map(SynchronizedRef.get(state), (current) => current.code),
    ask: (confirm) =>
      SynchronizedRef.modifyEffect(state, (before) =>
        before.isDecided
          ? Effect.succeed([{ level: before.level }, before] as const)
          : Effect.gen(function* () {
              const place = yield* DecisionOf.realPlace(subject)
              const { answer, code } = yield* Question.ask({ ...subject, ...place }, confirm)
              const after: State = { level: answer.level, isDecided: true, ...defined({ code }) }
              return [answer, after] as const
            })
      ).pipe(Effect.provideService(OwnFiles, files))
  }
  return trust
})

/** Keeps the figures of the status line. They are read again after events that change them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as SessionStats from "../../../../domain/session/SessionStats.ts"
import { Allowance } from "../../../../services/session/modules/Budget.ts"
import { Controls } from "../../../../services/session/modules/Controls.ts"
import { Session } from "../../../../services/session/Session.ts"
import type { Sessions } from "../../../../services/session/Sessions.ts"
import type { Status } from "../view/StatusLine.ts"

export type Figures = Omit<Status, "folder">

export const none: Figures = { model: undefined, thinkingLevel: "off", contextPercent: undefined, tokens: 0, cost: 0 }

const changing = new Set<AgentEvent["_tag"]>([
  "MessageEnded",
  "TurnEnded",
  "RunSettled",
  "CompactionEnded",
  "ModelChanged",
  "ThinkingLevelChanged",
  "SessionChanged",
  "FallbackApplied"
])

export const isChangedBy = ({ _tag }: AgentEvent): boolean => changing.has(_tag)

/** Its cost does not grow with the conversation. */
export const read = Effect.fnUntraced(function* (sessions: typeof Sessions.Service) {
  const current = yield* sessions.current
  const session = Context.get(current, Session)
  const { model, thinkingLevel } = Context.get(current, Controls).values()
  const { costUsd, totalTokens } = yield* Context.get(current, Allowance).snapshot
  const usage = SessionStats.contextUsage(yield* session.tail(ContextTokens.isBasis), model)
  return {
    model,
    thinkingLevel,
    contextPercent: usage?.percent,
    tokens: totalTokens,
    cost: costUsd
  } satisfies Figures
})

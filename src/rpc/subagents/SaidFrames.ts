/**
 * What happens in the sessions of subagents, for hosts that have subscribed to it. Each event is as its own frame would be,
 * without `sessionId`, `epoch` and `seq`. Updates have the delta form whatever the host has chosen for its own session:
 * many subagents write at a time, and they are not paced.
 */
import type { AgentEvent, EventOf } from "../../domain/conversation/AgentEvent.ts"
import * as UpdateStep from "../../domain/conversation/UpdateStep.ts"
import { nameFrames, toFrames } from "../protocol/events/EventFrames.ts"

type FromSubagent = EventOf<"SubagentSaid">

const updateFrame = ({ draft, messageId, runId, update }: EventOf<"MessageUpdated">): object => ({
  type: "message_update",
  assistantMessageEvent: UpdateStep.make(draft, update),
  usage: draft.usage,
  messageId,
  runId
})

const framesOf = (event: Exclude<AgentEvent, FromSubagent>): ReadonlyArray<object> => {
  switch (event._tag) {
    case "MessageUpdated":
      return [updateFrame(event)]
    case "SessionNamed":
      return nameFrames(event.name)
    case "SessionChanged":
      return []
    default:
      return toFrames(event, { subagents: "events" })
  }
}

/** What a subagent says of a subagent of its own bears the name of the latter only. */
export const toSaidFrames = ({ event, id }: FromSubagent): ReadonlyArray<object> =>
  event._tag === "SubagentSaid"
    ? toSaidFrames(event)
    : framesOf(event).map((frame) => ({ type: "subagent_event", payload: { id, event: frame } }))

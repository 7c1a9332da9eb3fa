/** What a session keeps between the arrival of messages and the end of the run that takes them, put together. */
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { Session } from "../../../services/session/Session.ts"
import * as Handoffs from "./Handoffs.ts"
import * as Occupancy from "../run/Occupancy.ts"
import * as OpenPrompts from "./OpenPrompts.ts"
import * as SessionQueue from "./SessionQueue.ts"
import * as RunEnd from "../run/RunEnd.ts"
import * as ClientMessages from "./ClientMessages.ts"

export type Inbox = ReturnType<typeof make>

export const make = (session: typeof Session.Service, publish: (event: AgentEvent) => void) => {
  const occupancy = Occupancy.make(session)
  const handoffs = Handoffs.make()
  const clientMessages = ClientMessages.make(session, handoffs)
  const prompts = OpenPrompts.make({ publish, ended: clientMessages.ended })
  const queues = SessionQueue.make({
    publish,
    dropped: (items) => prompts.drop(items, !occupancy.isBusy())
  })
  const end = RunEnd.make({ publish, occupancy, prompts, queues })
  /** For whoever takes the conversation to another session. */
  const handoff = { prepare: clientMessages.load, note: handoffs.note, leads: handoffs.leads }
  return { occupancy, clientMessages, prompts, queues, end, handoff }
}

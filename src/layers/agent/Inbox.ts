/** What a session keeps between the arrival of messages and the end of the run that takes them, put together. */
import type { AgentEvent } from "../../domain/AgentEvent.ts"
import type { Session } from "../../services/Session.ts"
import * as Occupancy from "./Occupancy.ts"
import * as Prompts from "./Prompts.ts"
import * as Queues from "./Queues.ts"
import * as RunEnd from "./RunEnd.ts"
import * as Submissions from "./Submissions.ts"

export type Inbox = ReturnType<typeof make>

export const make = (session: typeof Session.Service, publish: (event: AgentEvent) => void) => {
  const occupancy = Occupancy.make(session)
  const submissions = Submissions.make(session)
  const prompts = Prompts.make({ publish, ended: submissions.ended })
  const queues = Queues.make({
    publish,
    dropped: (items) => prompts.drop(items, !occupancy.isBusy())
  })
  const end = RunEnd.make({ publish, occupancy, prompts, queues })
  return { occupancy, submissions, prompts, queues, end }
}

/** Subagents as a module of sessions: those of the process, around the session that starts them. */
import * as Effect from "effect/Effect"
import { Approvals } from "../../../services/Approvals.ts"
import { Allowance } from "../../../services/session/modules/Budget.ts"
import { type ParentSession, Subagents } from "../../../services/delegation/Delegation.ts"
import { type SessionSubagents, SubagentSet } from "../../../services/delegation/Subagents.ts"
import { Controls } from "../../../services/session/modules/Controls.ts"
import { SessionCore } from "../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../services/session/SessionModule.ts"
import { Startup } from "../../../services/session/Startup.ts"
import { ToolSet } from "../../../services/Tools.ts"
import * as Forwarding from "../../session/modules/hooks/Forwarding.ts"
import { RegisteredHooks } from "../../session/modules/hooks/HookRegistry.ts"

const build = Effect.fnUntraced(function* (open: (parent: ParentSession) => SessionSubagents) {
  const { entries: session, events } = yield* SessionCore
  const hooks = yield* RegisteredHooks
  const { joined } = yield* Startup
  const subagents = open({
    session,
    publish: events.publish,
    approvals: yield* Approvals,
    budget: yield* Allowance,
    controls: (yield* Controls).values,
    tools: (yield* ToolSet).all,
    contributors: () => Forwarding.contributors(hooks)
  })
  const service: SessionSubagents = {
    ...subagents,
    // Hooks may have a word in what subagents do, so they join first. Before a call of `task` they have.
    run: (batch, watch) => Effect.zipRight(joined, subagents.run(batch, watch))
  }
  return { service, tools: subagents.tools }
})

/** For the session of a subagent, which may start some of its own. */
export const of = (open: (parent: ParentSession) => SessionSubagents) =>
  SessionModule.make("subagents", SubagentSet, build(open))

/** Those of the process. */
export const module = SessionModule.make("subagents", SubagentSet, Effect.flatMap(Subagents, build))

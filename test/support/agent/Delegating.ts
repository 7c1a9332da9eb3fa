/** An agent with subagents in a temporary project. Its model is a function: what it says depends on what it was sent. */
import { join } from "node:path"
import { SubagentSet } from "../../../src/services/delegation/Subagents.ts"
import { ToolSet } from "../../../src/services/Tools.ts"
import { Allowance } from "../../../src/services/session/modules/Budget.ts"
import { Context, Effect, Layer, Mailbox, Option } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import type { Model } from "../../../src/domain/model/Model.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import * as EmbeddedAgent from "../../../src/layers/Embedded.ts"
import * as HookLayer from "../../../src/layers/session/modules/hooks/HookLayer.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Approvals } from "../../../src/services/Approvals.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { SessionCore } from "../../../src/services/session/SessionCore.ts"
import { ModelCatalog } from "../../../src/services/model/ModelCatalog.ts"
import { ModelClient, type ModelFailure, type ModelRequest } from "../../../src/services/model/ModelClient.ts"
import { fixed, Trust } from "../../../src/services/Trust.ts"
import { withFiles } from "../../layers/tools/TempFolder.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface DelegatingOptions extends Omit<EmbeddedAgent.EmbeddedAgentOptions, "cwd" | "model" | "subagents"> {
  /** By their paths below the project. */
  readonly files?: Readonly<Record<string, string>>
  readonly hooks?: HookLayer.HookSet
  /** The first one is that of the session. */
  readonly models?: ReadonlyArray<Model>
  readonly answer: (request: ModelRequest, nth: number) => ScriptedModel.ScriptedTurn
}

/** What the user, or the parent, said first. */
export const assignmentOf = ({ messages }: ModelRequest): string => {
  const [first] = messages
  return first === undefined || typeof first.content === "string" ? "" : plainText(first.content)
}

export const submit = (args: object) => ScriptedModel.call(["s", "submit_result", args])

const makeModel = ({ answer, models = [ScriptedModel.model] }: DelegatingOptions) => {
  const requests: Array<ModelRequest> = []
  let open = 0
  const stream = Effect.fnUntraced(function* (request: ModelRequest) {
    requests.push(request)
    yield* Effect.acquireRelease(
      Effect.sync(() => open++),
      () => Effect.sync(() => open--)
    )
    const turn = answer(request, requests.length)
    const box = yield* Mailbox.make<ModelEvent, ModelFailure>()
    const before = turn.before ?? Effect.succeed([])
    yield* Effect.forkScoped(
      Effect.flatMap(before, (events) => box.offerAll([...events, ...turn.events])).pipe(
        Effect.zipRight(turn.after === "hang" ? Effect.void : box.end),
        Effect.catchAll((failed) => box.fail(failed))
      )
    )
    return box
  })
  const catalog = ModelCatalog.of({
    all: Effect.succeed(models),
    available: Effect.succeed(models),
    isAvailable: () => Effect.succeed(true),
    find: (provider, id) =>
      Effect.succeed(Option.fromNullable(models.find((each) => each.provider === provider && each.id === id)))
  })
  return {
    requests,
    /** How many model calls have not ended. */
    open: () => open,
    layer: Layer.merge(Layer.succeed(ModelClient, { stream }), Layer.succeed(ModelCatalog, catalog))
  }
}

export const make = Effect.fnUntraced(function* (options: DelegatingOptions) {
  const folder = yield* withFiles(options.files ?? {})
  const { layer, open, requests } = makeModel(options)
  const [model = ScriptedModel.model] = options.models ?? []
  const subagents = { agentDir: join(folder, "agent") }
  const agent = EmbeddedAgent.layer({ ...options, cwd: folder, model, subagents })
  const context = yield* Layer.build(
    agent.pipe(
      Layer.provide([layer, Layer.succeed(Trust, fixed("trusted")), HookLayer.layer("test", options.hooks ?? {})])
    )
  )
  const events: Array<AgentEvent> = []
  const made = Context.get(context, Agent)
  yield* made.events.attach({ offer: (event) => events.push(event), ready: Effect.void })
  return {
    agent: made,
    allowance: Context.get(context, Allowance),
    approvals: Context.get(context, Approvals),
    session: Context.get(context, Session),
    supervision: Context.get(context, SessionCore).supervision,
    toolSet: Context.get(context, ToolSet),
    subagentSet: Context.get(context, SubagentSet),
    events,
    folder,
    open,
    requests
  }
})

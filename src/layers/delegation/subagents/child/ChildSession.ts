/** The session of a subagent: an ordinary session scope, with the agent's own instructions, tools, model and budget. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent, PromptEnd } from "../../../../domain/conversation/AgentEvent.ts"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import { lastAssistantText } from "../../../../domain/conversation/Message.ts"
import type { ForeignEntry } from "../../../../domain/session/SessionEntry.ts"
import type { AgentDefinition } from "../../../../domain/subagents/AgentDefinition.ts"
import { defined } from "../../../../domain/Values.ts"
import type { SessionApprovals } from "../../../../services/Approvals.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { Contributor } from "../../../../services/hooks/Hooks.ts"
import { HostTools } from "../../../../services/host/HostTools.ts"
import { Ids } from "../../../../services/Ids.ts"
import type { Files } from "../../../../services/machine/Files.ts"
import type { Processes } from "../../../../services/machine/Processes.ts"
import type { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import type { ModelClient } from "../../../../services/model/ModelClient.ts"
import { SessionStore } from "../../../../services/storage/SessionStore.ts"
import type { Settings } from "../../../../services/Settings.ts"
import type { Shell } from "../../../../services/Shell.ts"
import type { ParentSession } from "../../../../services/delegation/Delegation.ts"
import { type SessionSubagents, UnknownSubagent } from "../../../../services/delegation/Subagents.ts"
import * as Supervision from "../../../../services/supervision/Supervision.ts"
import { Startup } from "../../../../services/session/Startup.ts"
import { type Tool, ToolSet } from "../../../../services/Tools.ts"
import * as OpenSession from "../../../session/registry/OpenSession.ts"
import { Registry, within } from "../../../session/registry/Registry.ts"
import * as HostToolRegistry from "../../../tools/host/HostToolRegistry.ts"
import * as IsoTime from "../../../machine/engine/IsoTime.ts"
import * as CurrentSession from "../../../session/core/CurrentSession.ts"
import { child } from "../../../session/standard.ts"
import * as ToolRegistry from "../../../tools/ToolRegistry.ts"
import * as Spending from "../Spending.ts"
import type { ChosenModel } from "./ChildModel.ts"
import * as ChildPrompt from "./ChildPrompt.ts"

/** The services of the process that the sessions of subagents are built from. */
export type ChildServices =
  | Files
  | Ids
  | ModelCatalog
  | ModelClient
  | Processes
  | Registry
  | SessionStore
  | Settings
  | Shell

export interface ChildOptions {
  readonly id: string
  readonly agent: AgentDefinition
  readonly cwd: string
  /** The folder that the agent works in a copy of; absent where it works in the folder itself. */
  readonly copyOf?: string
  readonly task: string
  readonly schema?: JsonObject
  readonly chosen: ChosenModel
  readonly budget: SessionBudget
  /** Judges what the agent does. */
  readonly approvals: SessionApprovals
  /** Beside the built-in tools that the agent may use. */
  readonly tools: ReadonlyArray<Tool>
  readonly contributors: ReadonlyArray<Contributor>
  readonly subagents: (parent: ParentSession) => SessionSubagents
  /** Where the transcript goes; in memory if absent. */
  readonly file?: string
  readonly see: (event: AgentEvent) => void
}

export interface Child {
  readonly file: Option.Option<string>
  /** Says something to the agent, and returns when its run has ended. */
  readonly converse: (text: string) => Effect.Effect<PromptEnd>
  readonly lastText: Effect.Effect<string | null>
  /** Ends its run first, if one is active: what that has used is stored with its end. */
  readonly spent: Effect.Effect<Spending.Spending>
  readonly steer: (message: string) => Effect.Effect<void, UnknownSubagent>
}

const ofFiles = ["read", "bash", "edit", "write", "grep", "find", "ls"]

/** Whether a tool is made anew for the session of a subagent, or not given to it at all. */
export const isBuiltIn = (name: string): boolean => ofFiles.includes(name) || ToolRegistry.ofModules.includes(name)

const toolsFor = ({ agent, cwd }: ChildOptions) => {
  const { tools } = agent
  const unnamed = tools === undefined ? [] : ofFiles.filter((name) => !tools.includes(name))
  return Effect.orDie(ToolRegistry.make({ cwd, excludedTools: unnamed })).pipe(
    Effect.provideService(HostTools, HostToolRegistry.make())
  )
}

/** The first entry of a transcript (protocol.md 9.3). heddle itself does not read it. */
const opening = Effect.fnUntraced(function* ({ agent, schema, task }: ChildOptions) {
  const header = { id: (yield* Ids).next("entry"), parentId: null, timestamp: yield* IsoTime.now }
  const { prompt: systemPrompt, tools = ofFiles } = agent
  const details = { systemPrompt, task, tools: [...tools], ...defined({ outputSchema: schema }) }
  const entry: ForeignEntry = { ...header, type: "foreign", raw: { type: "session_init", ...header, ...details } }
  return entry
})

/** Opens the session; closing the scope aborts its run and closes it, with everything below it. */
const openSession = (options: ChildOptions) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const { agent, approvals, budget, chosen, contributors, copyOf, cwd, file, subagents } = options
      const { create } = yield* SessionStore
      const tools = yield* toolsFor(options)
      const log = create({ entries: [yield* opening(options)], ...defined({ path: file }) })
      const { model, thinkingLevel } = chosen
      const build = OpenSession.build({
        cwd,
        ...ChildPrompt.instructions(agent, { cwd, copyOf }),
        ...defined({ model }),
        thinkingLevel,
        scopedModels: [],
        plan: child({ approvals, budget, contributors, subagents, tools })
      })
      const services = yield* Effect.context<ChildServices>()
      const registry = yield* Registry
      const opened = yield* CurrentSession.openLog(restore(log))
      const lease = yield* registry.open(opened, (kept) => within(services, build(kept)), restore)
      const { control } = lease.session
      yield* Effect.addFinalizer(() => Effect.zipRight(control.settle, registry.release(lease)))
      return lease.session
    })
  )

export const open = Effect.fnUntraced(function* (options: ChildOptions, node: Supervision.LiveNode | undefined) {
  const { agent, control, services, session } = yield* openSession(options)
  if (node !== undefined) Supervision.graft(node, control.root)
  for (const tool of options.tools) yield* Effect.ignore(Context.get(services, ToolSet).register(tool))
  let ended: Deferred.Deferred<PromptEnd> | undefined
  const offer = (event: AgentEvent) => {
    options.see(event)
    if (event._tag === "PromptFinished" && ended !== undefined) Deferred.unsafeDone(ended, Effect.succeed(event))
  }
  yield* agent.events.attach({ offer, ready: Effect.void })
  // A literal prompt does not wait for contributors, and these decide which calls may run.
  if (options.contributors.length > 0) yield* Context.get(services, Startup).joined
  const converse = Effect.fnUntraced(function* (text: string) {
    const end = yield* Deferred.make<PromptEnd>()
    ended = end
    yield* Effect.catchAll(agent.prompt({ text, literal: true }), ({ message }) =>
      Deferred.succeed(end, { status: "error", error: { message, retryable: false } })
    )
    return yield* Deferred.await(end)
  })
  const { file } = yield* session.info
  const child: Child = {
    file,
    converse,
    lastText: Effect.map(session.messages, lastAssistantText),
    spent: Effect.zipRight(control.settle, Effect.map(session.entries, Spending.of)),
    steer: (text) =>
      Effect.asVoid(
        Effect.mapError(
          agent.enqueue("steering", { text, literal: true }),
          ({ message }) => new UnknownSubagent({ message })
        )
      )
  }
  return child
})

/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Agent } from "../../services/Agent.ts"
import { Allowance } from "../../services/Budget.ts"
import { Commands } from "../../services/Commands.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { Controls } from "../../services/session/Controls.ts"
import { Inbox as HostInbox } from "../../services/session/Inbox.ts"
import { Instructions } from "../../services/session/Instructions.ts"
import { Session } from "../../services/session/Session.ts"
import type { SessionCore } from "../../services/session/SessionCore.ts"
import type { SessionOptions } from "../../services/session/SessionOptions.ts"
import { Startup } from "../../services/session/Startup.ts"
import { Settings } from "../../services/Settings.ts"
import { ToolSet } from "../../services/Tools.ts"
import { RegisteredHooks } from "../hooks/HookRegistry.ts"
import type { AgentPlan, AgentServices } from "../session/SessionPlan.ts"
import { SessionCompaction } from "./compaction/CompactionModule.ts"
import * as ManualCompaction from "./compaction/ManualCompaction.ts"
import * as Core from "./Core.ts"
import * as Events from "./events/Events.ts"
import * as CustomMessages from "./inbox/CustomMessages.ts"
import * as Inbox from "./inbox/Inbox.ts"
import * as InputPipeline from "./inbox/InputPipeline.ts"
import * as LateRecords from "./inbox/LateRecords.ts"
import * as Messages from "./inbox/Messages.ts"
import * as SessionQueue from "./inbox/SessionQueue.ts"
import * as SlashCommands from "./inbox/SlashCommands.ts"
import { plain } from "./model/InstructionsModule.ts"
import * as ModelInForce from "./model/ModelInForce.ts"
import * as RunNodes from "./nodes/RunNodes.ts"
import * as RunEnd from "./run/RunEnd.ts"
import * as RunFiber from "./run/RunFiber.ts"
import * as RunLifecycle from "./run/RunLifecycle.ts"
import * as RunSetup from "./run/RunSetup.ts"
import type { SessionControl } from "./SessionControl.ts"
import * as StateSnapshot from "./StateSnapshot.ts"

export interface SessionAgentOptions<In = AgentServices> extends Omit<SessionOptions, "opening"> {
  /** Passed to hooks. Default: the process has started with this session. */
  readonly opening?: SessionOptions["opening"]
  /** The modules of the session. */
  readonly plan: AgentPlan<In>
}

/** What takes messages, before a run can start. */
const makeInbox = Effect.fnUntraced(function* (core: typeof SessionCore.Service) {
  const {
    entries: session,
    events: { publish }
  } = core
  const settings = yield* Settings
  const messages = Messages.make({ publish, session, settings })
  core.contribute({ name: "inbox", handsOff: Effect.as(messages.readReceipts, []) })
  messages.tell({ _tag: "Restored", items: yield* session.queued })
  const queue = SessionQueue.make({ messages, publish, session })
  const late = LateRecords.make({ messages, session, publish, ids: core.ids })
  return { settings, messages, queue, late }
})

/** The session without its agent: the core, the modules, and what takes messages. */
const makeParts = Effect.fnUntraced(function* <In>(options: SessionAgentOptions<In>) {
  const { opening = { reason: "startup" }, plan, ...given } = options
  const { around, complete, core, fibers, log, relay } = yield* Core.make({ ...given, opening })
  const modules = yield* Effect.provide(plan.build(core), around)
  const tools = Context.get(modules, ToolSet)
  const controls = Context.get(modules, Controls)
  const commands = Context.get(modules, Commands)
  const { publish } = core.events
  return {
    ...(yield* makeInbox(core)),
    complete,
    modules,
    core,
    session: core.entries,
    contributions: core.contributions,
    supervision: core.supervision,
    fork: core.fork,
    publish,
    fibers,
    log,
    relay,
    tools,
    controls,
    budget: Context.get(modules, Allowance),
    compaction: Context.get(modules, SessionCompaction),
    hooks: Context.get(modules, RegisteredHooks),
    startup: Context.get(modules, Startup),
    /** What a message waits for: contributors also where there is no module `commands`, and with a slash the commands. */
    loading: { ...commands, load: Effect.zipRight(Context.get(modules, Startup).started, commands.load) },
    slash: yield* SlashCommands.make({ commands, supervision: core.supervision, publish }),
    instructions: Option.getOrElse(Context.getOption(modules, Instructions), () => plain(core.options, tools)),
    model: ModelInForce.make(controls.values, yield* ModelCatalog)
  }
})

type Parts = Effect.Effect.Success<ReturnType<typeof makeParts>>

/** Starts and stops runs, at most one at a time. */
const makeRuns = Effect.fnUntraced(function* (parts: Parts) {
  const { core, supervision } = parts
  const { ids, now } = core
  const end = RunEnd.make(parts)
  const fiber = yield* RunFiber.make({ ...parts, end })
  const setUp = yield* Effect.provide(RunSetup.make(parts), parts.modules)
  const lifecycle = yield* Effect.provide(RunLifecycle.make({ ...parts, setUp, end }), parts.modules)
  const inbox = Inbox.make({
    ...parts,
    ids,
    now,
    fiber,
    pipeline: InputPipeline.make({ ...parts, preparing: fiber.prepare }),
    run: (prompt, begun) => RunNodes.run(supervision, prompt, lifecycle.run(prompt, begun))
  })
  const sending = CustomMessages.make({ ...parts, ids, now, begin: inbox.begin })
  return { inbox, sending, fiber }
})

type Runs = Effect.Effect.Success<ReturnType<typeof makeRuns>>

const makeControl = (parts: Parts, { fiber }: Runs) => {
  const { compaction, contributions, core, log, messages, model, modules, queue, relay, session, slash } = parts
  const control: SessionControl = {
    publish: parts.publish,
    log,
    root: parts.supervision.root,
    changing: messages.changing,
    settle: Effect.all([slash.end, fiber.abort, queue.control.clear, session.sync, relay.flushSoon], {
      discard: true
    }),
    hooks: parts.hooks,
    wake: Effect.sync(() => {
      for (const { arrived } of contributions()) arrived?.()
    }),
    farewell: (end) =>
      Effect.forEach(contributions(), ({ ending = () => Effect.void }) => ending(end), { discard: true }),
    leave: () => {
      queue.drop()
      messages.tell({ _tag: "Closing" })
      messages.tell({ _tag: "Left" })
      for (const { left } of contributions()) left?.()
    },
    carried: Effect.sync(() => ({
      services: modules,
      isClosing: messages.state().isClosing,
      queueRevision: messages.state().queue.revision
    })),
    carry: Effect.fnUntraced(function* (carried) {
      for (const { carry } of contributions()) if (carry !== undefined) yield* carry(carried.services)
      messages.tell({ _tag: "Counted", revision: carried.queueRevision })
      if (carried.isClosing) messages.tell({ _tag: "Closing" })
    }),
    moved: () => {
      for (const { moved } of core.contributions()) moved?.()
    },
    summarize: (paths) =>
      Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  }
  return control
}

const makeAgent = (parts: Parts, { fiber, inbox, sending }: Runs) => {
  const { compaction, controls, late, log, messages, model, queue, relay, session, slash } = parts
  const manual = ManualCompaction.make({
    compaction,
    messages,
    late,
    model: model.forSummaries,
    abortRun: fiber.stop,
    prompt: inbox.prompt
  })
  /** The answer to an abort comes after the events of the run that it ended. */
  const thenFlush = Effect.zipLeft(relay.flushSoon)
  const keeping = Effect.as(thenFlush(RunNodes.span("interrupt")(fiber.interrupt)), [])
  const aborting = thenFlush(RunNodes.span("abort")(fiber.abort))
  const agent = Agent.of({
    prompt: inbox.prompt,
    enqueue: inbox.enqueue,
    send: sending.send,
    queue: queue.control,
    abort: (options) => (options?.queue === "keep" ? keeping : aborting),
    compact: manual.compact,
    awaitIdle: Effect.zipLeft(fiber.awaitIdle, relay.flush),
    close: Effect.sync(() => void messages.tell({ _tag: "Closing" })),
    state: StateSnapshot.make({
      controls: controls.values,
      session,
      messages,
      manual,
      contributions: parts.contributions
    }),
    events: { attach: (sink) => Effect.asVoid(log.attach(sink)), subscribe: Events.subscribe(log.attach) }
  })
  const hostSide = HostInbox.of({
    record: late.record,
    isKnown: messages.isKnown,
    withdraw: fiber.withdraw,
    withdrawUntil: fiber.withdrawUntil,
    halt: thenFlush(RunNodes.span("abort")(fiber.halt)),
    handBack: fiber.handBack,
    leave: thenFlush(Effect.zipRight(slash.end, Effect.map(fiber.leave, queue.forget)))
  })
  return { agent, hostSide }
}

/** The agent of one session, with all services of the session, and what a change of session needs of it. */
export const make = Effect.fnUntraced(function* <In>(options: SessionAgentOptions<In>) {
  const parts = yield* makeParts(options)
  const runs = yield* makeRuns(parts)
  const { agent, hostSide } = makeAgent(parts, runs)
  const services = parts.modules.pipe(
    Context.add(Agent, agent),
    Context.add(HostInbox, hostSide),
    Context.add(Session, parts.session),
    Context.add(Instructions, parts.instructions)
  )
  parts.complete(services)
  return { agent, services, control: makeControl(parts, runs) }
})

/** The services of the session: its agent, and those of its modules. */
export const layer = <In>(options: SessionAgentOptions<In>) =>
  Layer.scopedContext(Effect.map(make(options), ({ services }) => services))

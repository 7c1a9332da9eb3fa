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
import * as ClientMessages from "./inbox/ClientMessages.ts"
import * as CustomMessages from "./inbox/CustomMessages.ts"
import * as LateRecords from "./inbox/LateRecords.ts"
import * as OpenPrompts from "./inbox/OpenPrompts.ts"
import * as SessionQueue from "./inbox/SessionQueue.ts"
import * as SlashCommands from "./inbox/SlashCommands.ts"
import { plain } from "./model/InstructionsModule.ts"
import * as ModelInForce from "./model/ModelInForce.ts"
import * as RunNodes from "./nodes/RunNodes.ts"
import * as Admission from "./run/Admission.ts"
import * as RunEnd from "./run/RunEnd.ts"
import * as RunFiber from "./run/RunFiber.ts"
import * as RunLifecycle from "./run/RunLifecycle.ts"
import * as RunSetup from "./run/RunSetup.ts"
import * as RunState from "./run/RunState.ts"
import type { SessionControl } from "./SessionControl.ts"
import * as StateSnapshot from "./StateSnapshot.ts"

export interface SessionAgentOptions<In = AgentServices> extends Omit<SessionOptions, "opening"> {
  /** Called when a prompt begins to be checked, and when a compaction begins. */
  readonly announce?: () => void
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
  const state = RunState.make()
  const clientMessages = ClientMessages.make(session)
  core.contribute({ name: "inbox", handsOff: Effect.as(clientMessages.load, []) })
  const isIdle = () => !state.takesMessages()
  const prompts = OpenPrompts.make({ publish, ended: clientMessages.ended, isIdle })
  const queue = SessionQueue.make({ publish, session, settings, dropped: prompts.drop })
  const queued = yield* session.queued
  queue.restore(queued)
  for (const { messageId } of queued) prompts.restore(messageId)
  const late = LateRecords.make({ session, state, publish, settings, ids: core.ids })
  return { settings, state, clientMessages, prompts, queue, late }
})

/** The session without its agent: the core, the modules, and what takes messages. */
const makeParts = Effect.fnUntraced(function* <In>(options: SessionAgentOptions<In>) {
  const { announce = () => {}, opening = { reason: "startup" }, plan, ...given } = options
  const { around, complete, core, detach, fibers, log, relay } = yield* Core.make({ ...given, opening }, announce)
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
    announce,
    detach,
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
    model: ModelInForce.make(controls.values, yield* ModelCatalog),
    /** Prompts are accepted one at a time, and not while the session changes. */
    gate: yield* Effect.makeSemaphore(1)
  }
})

type Parts = Effect.Effect.Success<ReturnType<typeof makeParts>>

/** Starts and stops runs, at most one at a time. */
const makeRuns = Effect.fnUntraced(function* (parts: Parts) {
  const { announce, compaction, core, state, supervision } = parts
  const { ids, now } = core
  const end = RunEnd.make(parts)
  const fiber = yield* RunFiber.make({ compaction, end, fork: parts.fork })
  const setUp = yield* Effect.provide(RunSetup.make(parts), parts.modules)
  const lifecycle = yield* Effect.provide(RunLifecycle.make({ ...parts, setUp, end }), parts.modules)
  const admission = Admission.make({
    ...parts,
    ids,
    now,
    fiber,
    accepting: announce,
    run: (prompt, begun) => RunNodes.run(supervision, prompt, lifecycle.run(prompt, begun))
  })
  const withdrawPrompt = Effect.suspend(() => (state.current()._tag === "Accepting" ? fiber.stop : fiber.withdraw))
  const { prompt } = admission.contract
  const sending = CustomMessages.make({ ...parts, ids, now, begin: admission.begin, prompt })
  return { admission, sending, fiber, withdraw: Effect.zipRight(withdrawPrompt, compaction.cancel) }
})

type Runs = Effect.Effect.Success<ReturnType<typeof makeRuns>>

const makeControl = (parts: Parts, { fiber }: Runs) => {
  const { compaction, contributions, core, gate, late, log, model, modules, queue, relay, session, slash, state } =
    parts
  const control: SessionControl = {
    publish: parts.publish,
    log,
    root: parts.supervision.root,
    gate,
    settle: Effect.all([slash.end, fiber.abort, queue.control.clearQueue, session.sync, relay.flushSoon], {
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
      state.close()
      late.close()
      for (const { left } of contributions()) left?.()
    },
    carried: Effect.sync(() => ({
      services: modules,
      isClosing: state.isClosing(),
      queueRevision: queue.current().revision
    })),
    carry: Effect.fnUntraced(function* (carried) {
      for (const { carry } of contributions()) if (carry !== undefined) yield* carry(carried.services)
      queue.countFrom(carried.queueRevision)
      if (carried.isClosing) state.close()
    }),
    moved: () => {
      for (const { moved } of core.contributions()) moved?.()
    },
    summarize: (paths) =>
      Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  }
  return control
}

const makeAgent = (parts: Parts, { admission, fiber, sending, withdraw }: Runs) => {
  const { compaction, controls, late, log, model, prompts, queue, relay, session, slash, state } = parts
  const manual = ManualCompaction.make({
    compaction,
    state,
    late,
    model: model.forSummaries,
    abortRun: fiber.stop,
    prompt: admission.contract.prompt
  })
  /** The answer to an abort comes after the events of the run that it ended. */
  const thenFlush = Effect.zipLeft(relay.flushSoon)
  return Agent.of({
    ...admission.contract,
    ...sending,
    ...queue.control,
    record: late.record,
    abort: thenFlush(RunNodes.span("abort")(fiber.abort)),
    halt: thenFlush(RunNodes.span("abort")(fiber.halt)),
    handBack: fiber.handBack,
    leave: thenFlush(Effect.zipRight(slash.end, Effect.map(fiber.leave, queue.forget))),
    interrupt: thenFlush(RunNodes.span("interrupt")(fiber.interrupt)),
    awaitIdle: Effect.zipLeft(fiber.awaitIdle, relay.flush),
    close: Effect.sync(state.close),
    state: StateSnapshot.make({
      controls: controls.values,
      session,
      state,
      prompts,
      queue,
      manual,
      contributions: parts.contributions
    }),
    compact: manual.compact,
    withdraw,
    abortCompaction: compaction.cancel,
    attach: (sink) => Effect.asVoid(log.attach(sink)),
    subscribe: Events.subscribe(log.attach)
  })
}

/** The agent of one session, with all services of the session, and what a change of session needs of it. */
export const make = Effect.fnUntraced(function* <In>(options: SessionAgentOptions<In>) {
  const parts = yield* makeParts(options)
  const runs = yield* makeRuns(parts)
  const agent = makeAgent(parts, runs)
  const services = parts.modules.pipe(
    Context.add(Agent, agent),
    Context.add(Session, parts.session),
    Context.add(Instructions, parts.instructions)
  )
  parts.complete(services)
  return { agent, services, control: makeControl(parts, runs) }
})

/** The services of the session: its agent, and those of its modules. */
export const layer = <In>(options: SessionAgentOptions<In>) =>
  Layer.scopedContext(Effect.map(make(options), ({ services }) => services))

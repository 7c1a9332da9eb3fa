/** The Agent service of one session. Its state and the fiber of its run live and die with the layer's scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Agent } from "../../services/Agent.ts"
import { Allowance } from "../../services/Budget.ts"
import { Hooks } from "../../services/hooks/Hooks.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { Controls } from "../../services/session/Controls.ts"
import { Session } from "../../services/session/Session.ts"
import type { SessionOptions } from "../../services/session/SessionOptions.ts"
import { Settings } from "../../services/Settings.ts"
import * as Stopwatch from "../../services/Stopwatch.ts"
import { Subagents } from "../../services/delegation/Delegation.ts"
import { ToolSet } from "../../services/Tools.ts"
import * as CommandRegistry from "../commands/CommandRegistry.ts"
import * as Core from "./Core.ts"
import { Compactions } from "./compaction/CompactionModule.ts"
import * as ManualCompaction from "./compaction/ManualCompaction.ts"
import * as Asking from "../hooks/Asking.ts"
import * as Forwarding from "../hooks/Forwarding.ts"
import * as HookStep from "../hooks/HookStep.ts"
import * as Joining from "../hooks/Joining.ts"
import * as HookRegistry from "../hooks/HookRegistry.ts"
import { RegisteredHooks } from "../hooks/HookRegistry.ts"
import * as Reports from "../hooks/Reports.ts"
import * as Startup from "../hooks/Startup.ts"
import type { AgentPlan } from "../session/SessionPlan.ts"
import * as Events from "./events/Events.ts"
import * as EventRelay from "./events/EventRelay.ts"
import * as ClientMessages from "./inbox/ClientMessages.ts"
import type { Loading } from "./inbox/Hearing.ts"
import * as CustomMessages from "./inbox/CustomMessages.ts"
import * as ExtensionEntries from "./inbox/ExtensionEntries.ts"
import * as LateRecords from "./inbox/LateRecords.ts"
import * as OpenPrompts from "./inbox/OpenPrompts.ts"
import * as SessionQueue from "./inbox/SessionQueue.ts"
import * as SlashCommands from "./inbox/SlashCommands.ts"
import * as ModelInForce from "./model/ModelInForce.ts"
import * as Instructions from "./model/Instructions.ts"
import * as RunNodes from "./nodes/RunNodes.ts"
import * as Admission from "./run/Admission.ts"
import * as RunEnd from "./run/RunEnd.ts"
import * as RunFiber from "./run/RunFiber.ts"
import * as RunLifecycle from "./run/RunLifecycle.ts"
import * as RunState from "./run/RunState.ts"
import type { SessionControl } from "./SessionControl.ts"
import * as StateSnapshot from "./StateSnapshot.ts"

export interface SessionAgentOptions extends Omit<SessionOptions, "opening"> {
  /** Called when a prompt begins to be checked, and when a compaction begins. */
  readonly announce?: () => void
  /** Passed to hooks. Default: the process has started with this session. */
  readonly opening?: SessionOptions["opening"]
  /** The modules of the session. */
  readonly plan: AgentPlan
}

/** The parts of the agent that exist before a run can start. */
const makeParts = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const catalog = yield* ModelCatalog
  const session = yield* Session
  const settings = yield* Settings
  const fibers = yield* FiberSet.make<unknown, unknown>()
  const run = yield* FiberSet.runtime(fibers)<never>()
  const log = yield* Events.makeForSession(session)
  const hooks = HookRegistry.make(
    Reports.make((event) => publish(event)),
    (notice) => publish({ _tag: "Notice", ...notice }),
    Effect.suspend(() => relay.ready)
  )
  const relay = EventRelay.make(log, hooks, run)
  const { publish } = relay
  const supervision = yield* RunNodes.makeTree
  /** Starts a fiber of the session whose nodes are in its tree. */
  const fork = <A, E>(effect: Effect.Effect<A, E>) => run(RunNodes.session(supervision)(effect))
  const { announce = () => {}, opening = { reason: "startup" } } = options
  const events = { ...log, publish, ready: relay.ready }
  const core = yield* Core.make({ options: { ...options, opening }, events, supervision, announce, fork })
  core.contribute({ name: "hooks", run: () => HookStep.make(hooks, relay.flush) })
  const services = yield* Effect.provideService(options.plan.build(core), RegisteredHooks, hooks)
  const controls = Context.get(services, Controls)
  const tools = Context.get(services, ToolSet)
  const budget = Context.get(services, Allowance)
  const openSubagents = yield* Subagents
  const subagents = openSubagents({
    session,
    publish,
    budget,
    controls: controls.values,
    tools: tools.all,
    contributors: () => Forwarding.contributors(hooks)
  })
  core.contribute({ name: "subagents", tools: subagents.tools })
  const compaction = Context.get(services, Compactions)
  const state = RunState.make()
  const clientMessages = ClientMessages.make(session)
  core.contribute({ name: "inbox", handsOff: clientMessages.load })
  const isIdle = () => !state.takesMessages()
  const prompts = OpenPrompts.make({ publish, ended: clientMessages.ended, isIdle })
  const queue = SessionQueue.make({ publish, session, settings, dropped: prompts.drop })
  const queued = yield* session.queued
  queue.restore(queued)
  for (const { messageId } of queued) prompts.restore(messageId)
  const detach = (effect: Effect.Effect<void>) => void run(effect)
  const commands = CommandRegistry.make({ publish, detach })
  const instructions = yield* Instructions.make({ session, hooks, commands, publish, fork: run, opening }, options)
  return {
    session,
    settings,
    budget,
    tools,
    subagents,
    contributions: core.contributions,
    services,
    commands,
    slash: yield* SlashCommands.make({ commands, supervision, publish }),
    log,
    hooks,
    relay,
    fork,
    publish,
    controls,
    state,
    clientMessages,
    prompts,
    announce,
    late: LateRecords.make({ session, state, publish, settings, ids: yield* Ids }),
    entries: ExtensionEntries.make({ session, publish, settings }),
    queue,
    compaction,
    /** Starts what nothing waits for, in a fiber of the session. */
    detach,
    /** Owns fibers beside that of the run: tool calls, and what is detached. */
    fibers,
    model: ModelInForce.make(controls.values, catalog),
    supervision,
    /** Prompts are accepted one at a time, and not while the session changes. */
    gate: yield* Effect.makeSemaphore(1),
    instructions
  }
})

type Parts = Effect.Effect.Success<ReturnType<typeof makeParts>>

/** Starts and stops runs, at most one at a time. */
const makeRuns = Effect.fnUntraced(function* (parts: Parts, startup: Startup.Startup, loading: Loading) {
  const { announce, compaction, controls, relay, state, supervision } = parts
  const ids = yield* Ids
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const end = RunEnd.make(parts)
  const fiber = yield* RunFiber.make({ compaction, end, fork: parts.fork })
  const lifecycle = yield* RunLifecycle.make({
    ...parts,
    end,
    ready: relay.ready,
    controls: controls.values,
    now,
    ticks: () => Stopwatch.read(clock)
  })
  const admission = Admission.make({
    ...parts,
    ids,
    now,
    fiber,
    accepting: announce,
    startup,
    loading,
    run: (prompt, begun) => RunNodes.run(supervision, prompt, lifecycle.run(prompt, begun))
  })
  const withdrawPrompt = Effect.suspend(() => (state.current()._tag === "Accepting" ? fiber.stop : fiber.withdraw))
  const { prompt } = admission.contract
  const sending = CustomMessages.make({ ...parts, ids, now, begin: admission.begin, prompt })
  return { admission, sending, fiber, withdraw: Effect.zipRight(withdrawPrompt, compaction.cancel) }
})

type Runs = Effect.Effect.Success<ReturnType<typeof makeRuns>>

const makeControl = (parts: Parts, { fiber }: Runs, startup: Startup.Startup, { isLoaded, load }: Loading) => {
  const { compaction, entries, gate, late, log, model, publish, queue, session, slash, state } = parts
  const { contributions, relay, services, supervision } = parts
  let loadsEarly = false
  const control: SessionControl = {
    publish,
    log,
    root: supervision.root,
    gate,
    settle: Effect.all([slash.end, fiber.abort, queue.control.clearQueue, session.sync, relay.flushSoon], {
      discard: true
    }),
    hooks: parts.hooks,
    wake: Effect.sync(() => {
      if (!startup.isOver()) parts.detach(startup.started)
      if (loadsEarly) parts.detach(load)
    }),
    farewell: Joining.makeFarewell(parts.hooks),
    leave: () => {
      queue.drop()
      state.close()
      late.close()
      entries.close()
    },
    carried: Effect.sync(() => ({
      services,
      isClosing: state.isClosing(),
      queueRevision: queue.current().revision,
      hasLoaded: isLoaded()
    })),
    carry: Effect.fnUntraced(function* (carried) {
      for (const { carry } of contributions()) if (carry !== undefined) yield* carry(carried.services)
      queue.countFrom(carried.queueRevision)
      loadsEarly = carried.hasLoaded
      if (carried.isClosing) state.close()
    }),
    moved: () => {
      for (const { moved } of contributions()) moved?.()
    },
    summarize: (paths) =>
      Effect.flatMap(model.forSummaries, (usable) => compaction.summarizeBranch({ model: usable, ...paths }))
  }
  return control
}

/** The agent of one session, and what a change of session needs of it. Both end with the scope. */
export const make = Effect.fnUntraced(function* (options: SessionAgentOptions) {
  const parts = yield* makeParts(options)
  const { compaction, controls, hooks, late, log, model, prompts, queue, relay, session, state } = parts
  const { supervision, tools } = parts
  const { opening = { reason: "startup" } } = options
  const contributors = yield* Hooks
  const join = yield* Joining.joinAll({ hooks, services: () => services }, contributors, opening)
  const { instructions } = parts
  const startup = Startup.make({
    hooks,
    isAlone: contributors.length === 0,
    join: RunNodes.session(supervision)(join),
    load: Effect.zipRight(instructions.load, instructions.read),
    opening,
    fork: parts.fork
  })
  const loading: Loading = {
    load: Effect.zipRight(startup.started, instructions.load),
    isLoaded: instructions.isLoaded
  }
  const runs = yield* makeRuns(parts, startup, loading)
  const { admission, fiber, sending, withdraw } = runs
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
  const agent: typeof Agent.Service = Agent.of({
    ...admission.contract,
    ...sending,
    ...parts.entries.contract,
    ...queue.control,
    record: late.record,
    abort: thenFlush(RunNodes.span("abort")(fiber.abort)),
    halt: thenFlush(RunNodes.span("abort")(fiber.halt)),
    handBack: fiber.handBack,
    leave: thenFlush(Effect.zipRight(parts.slash.end, Effect.map(fiber.leave, queue.forget))),
    interrupt: thenFlush(RunNodes.span("interrupt")(fiber.interrupt)),
    awaitIdle: Effect.zipLeft(fiber.awaitIdle, relay.flush),
    joined: startup.joined,
    started: startup.started,
    isStarted: Effect.sync(startup.isOver),
    userCommand: (command, asking = Effect.void) =>
      startup.isOver() && !hooks.has("userCommand")
        ? Effect.succeed(undefined)
        : Effect.all([asking, startup.started], { discard: true }).pipe(
            Effect.zipRight(Effect.suspend(() => Asking.userCommand(hooks, { ...command, cwd: options.cwd })))
          ),
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
    budget: parts.budget,
    messages: session.messages,
    systemPrompt: Effect.zipRight(
      Effect.suspend(() => (instructions.isRead() ? Effect.void : startup.started)),
      Effect.flatMap(tools.active, instructions.prompt)
    ),
    tools,
    commands: { ...parts.commands, load: loading.load },
    subagents: {
      ...parts.subagents,
      // Hooks may have a word in what subagents do, so they join first. Before a call of `task` they have.
      run: (batch, watch) => Effect.zipRight(startup.joined, parts.subagents.run(batch, watch))
    },
    compact: manual.compact,
    withdraw,
    abortCompaction: compaction.cancel,
    setAutoCompaction: compaction.setEnabled,
    supervision,
    attach: (sink) => Effect.asVoid(log.attach(sink)),
    subscribe: Events.subscribe(log.attach)
  })
  const services = parts.services.pipe(Context.add(Agent, agent), Context.add(Session, session))
  return { agent, services, control: makeControl(parts, runs, startup, loading) }
})

/** The services of the session: its agent, and those of its modules. */
export const layer = (options: SessionAgentOptions) =>
  Layer.scopedContext(Effect.map(make(options), ({ services }) => services))

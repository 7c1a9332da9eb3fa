/** Serves one host, from `ready` to the last frame. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Agent } from "../services/Agent.ts"
import { Approvers } from "../services/host/Approvers.ts"
import { Inbox } from "../services/session/Inbox.ts"
import { HostTools } from "../services/host/HostTools.ts"
import { UiSwitch } from "../services/host/HostUi.ts"
import { Transport } from "../services/host/Transport.ts"
import { Ids } from "../services/Ids.ts"
import { Sessions, type SessionServices } from "../services/session/Sessions.ts"
import { SessionCore } from "../services/session/SessionCore.ts"
import { Startup } from "../services/session/Startup.ts"
import { Shell } from "../services/Shell.ts"
import * as Stopwatch from "../services/Stopwatch.ts"
import * as HostApprovals from "./approvals/HostApprovals.ts"
import * as Connecting from "./connection/Connecting.ts"
import type { Connection } from "./connection/Connection.ts"
import * as Dispatch from "./Dispatch.ts"
import * as HostDialogs from "./dialogs/HostDialogs.ts"
import * as HostToolCalls from "./HostToolCalls.ts"
import * as Jsonl from "./Jsonl.ts"
import * as Outbox from "./outbox/Outbox.ts"
import * as Capabilities from "./protocol/Capabilities.ts"
import { readyFrame } from "./protocol/Ready.ts"
import type { CommandServices, ProcessServices } from "./registry.ts"
import * as Following from "./subagents/Following.ts"
import * as Turns from "./Turns.ts"

export interface ServerOptions extends Connecting.Manner {
  /** False: the host is asked nothing, and no frame of `extension_ui_request` is sent. */
  readonly ui?: boolean
  /** Whether the host is sent `setTitle`, which not every host understands. The dialect `pi` always is. */
  readonly emitTitle?: boolean
  /** On EOF let the run finish instead of aborting it. */
  readonly drain: boolean
  /** Milliseconds since the process started. */
  readonly uptime: Effect.Effect<number>
  /** Completes when an extension asks for the end. It comes when the session is idle, as if the host had closed its side. */
  readonly quit?: Effect.Effect<void>
}

/** How long the end may take after the host closed its side, and after a signal (protocol.md 1.4, supplement 4.1). */
const afterEof = "3 seconds"
const afterSignal = "700 millis"

/** Bytes of input after which memory is given back: what was made of them is many times as much, and garbage now. */
const bytesToCollect = 4 * 1024 * 1024

/** The services of the process and of the current session in one context, which is made once for each session. */
const contextIn = (services: Context.Context<ProcessServices>, sessions: typeof Sessions.Service) => {
  const made = new WeakMap<Context.Context<SessionServices>, Context.Context<CommandServices>>()
  return Effect.map(sessions.current, (session) => {
    const known = made.get(session)
    if (known !== undefined) return known
    const both = Context.merge(services, session)
    made.set(session, both)
    return both
  })
}

/** Handles the input line by line, until the host closes its side. */
const read = Effect.fnUntraced(function* (
  { collect, input }: typeof Transport.Service,
  connection: Connection,
  ready: Effect.Effect<void>,
  { receive, receiveLast }: Dispatch.Dispatch
) {
  const lines: Array<Jsonl.Line> = []
  const splitter = Jsonl.makeSplitter(connection.maxFrameBytes, (line) => void lines.push(line))
  const handle = Effect.fnUntraced(function* (taken: Array<Jsonl.Line>) {
    for (const line of taken) {
      yield* ready
      receive(line)
    }
    // The reader keeps this list until the host sends more.
    taken.length = 0
  })
  let done = false
  let bytes = 0
  while (!done) {
    const [chunks, isLast] = yield* input.takeAll
    for (const chunk of chunks) {
      splitter.push(chunk)
      bytes += chunk.length
      if (lines.length === 0) continue
      yield* handle(lines.splice(0))
      if (bytes > bytesToCollect) {
        collect?.()
        bytes = 0
      }
    }
    done = isLast
  }
  splitter.end()
  yield* Effect.forEach(lines, receiveLast, { discard: true })
})

/** Lets extensions and other contributors join the first session. The host can send commands meanwhile. */
const start = Effect.fnUntraced(function* (
  { uptime }: ServerOptions,
  outbox: Outbox.Outbox,
  sessions: typeof Sessions.Service
) {
  const { isOver, started } = Context.get(yield* sessions.current, Startup)
  const done = Effect.map(uptime, (ms) => outbox.record({ type: "startup", phase: "done", ms }))
  if (isOver()) return yield* done
  outbox.record({ type: "startup", phase: "extensions", ms: yield* uptime })
  yield* Effect.forkScoped(Effect.zipRight(started, done))
})

/** Questions to the user go to this host for as long as it is served. */
const openDialogs = Effect.fnUntraced(function* (
  { emitTitle = false, ui = true }: Pick<ServerOptions, "emitTitle" | "ui">,
  parts: Omit<HostDialogs.Parts, "root" | "emitTitle"> & { readonly connection: Connection },
  sessions: typeof Sessions.Service
) {
  const root = Effect.map(sessions.current, (session) => Context.get(session, SessionCore).supervision.root)
  const emitsTitle = emitTitle || parts.connection.dialect.emitsTitle === true
  const dialogs = HostDialogs.make({ ...parts, root, emitTitle: emitsTitle })
  const uiSwitch = yield* Effect.serviceOption(UiSwitch)
  if (ui && Option.isSome(uiSwitch)) yield* uiSwitch.value.connect(dialogs.ui)
  const approvals = HostApprovals.make({ ...parts, select: ui ? dialogs.ui.select : undefined })
  yield* (yield* Approvers).connect(approvals)
  const lost = (end: () => void) => () => {
    // First: the mirror of a question that gets its default is no answer.
    approvals.disconnect()
    end()
  }
  return { ...dialogs, disconnect: lost(dialogs.disconnect), withdraw: lost(dialogs.withdraw) }
})

/** A function, so that nothing keeps the first session. */
const enforcementIn = (sessions: typeof Sessions.Service) =>
  Effect.flatMap(sessions.current, (session) => Effect.provide(Capabilities.enforcement, session))

const awaitIdle = (sessions: typeof Sessions.Service) =>
  Effect.flatMap(sessions.current, (session) => Context.get(session, Agent).awaitIdle)

/** What has to end, or to be told, when the host is served no more. */
interface Ending {
  readonly drain: boolean
  readonly sessions: typeof Sessions.Service
  readonly shell: typeof Shell.Service
  readonly turns: Turns.Turns<CommandServices>
  readonly outbox: Outbox.Outbox
  readonly hostTools: Pick<HostToolCalls.HostToolCalls, "disconnect">
  /** How the writer has ended. */
  readonly written: Effect.Effect<Exit.Exit<unknown, unknown>>
}

/** The end of a connection: no prompt is taken any more, every command is answered, and all frames are written. */
const makeWindDown = ({ drain, hostTools, outbox, sessions, shell, turns, written }: Ending) => {
  const leave = Effect.flatMap(sessions.current, (session) => Context.get(session, Inbox).leave)
  // Side by side: each may have to wait for processes that ignore TERM, and there is time for one such wait only.
  const cutShort = Effect.zipRight(shell.close, leave, { concurrent: true })
  const drained = Effect.zipRight(awaitIdle(sessions), leave)
  return Effect.fnUntraced(function* (cause: "end" | "signal") {
    if (cause === "end") yield* turns.accepted
    yield* sessions.close
    if (cause === "end") hostTools.disconnect()
    // `leave` also reports the prompts that the run has left in the queue, whatever the host chose for its own aborts.
    const forget = yield* cause === "end" && drain ? drained : cutShort
    yield* turns.drained
    yield* sessions.farewell
    yield* shell.endBackground(cause)
    yield* outbox.end
    // What the host can still get is handed back. The rest of the queue waits in the session's file.
    if (Exit.isSuccess(yield* written)) yield* forget
  }, Effect.disconnect)
}

/**
 * Serves until the host closes its side or stops reading, or until it is interrupted, which a signal does. Either way the run is
 * ended as by `abort`, every command is answered, and all frames are written. Dies where the writer did, after the same end.
 */
export const serve = (options: ServerOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const transport = yield* Transport
      const shell = yield* Shell
      const ids = yield* Ids
      const clock = yield* Effect.clock
      const connection = yield* Connecting.open(options, sessions)
      const { outbox, run } = yield* Outbox.make(transport, connection)
      outbox.record(readyFrame(connection, yield* enforcementIn(sessions)))
      const turns = yield* Turns.make({
        context: contextIn(yield* Effect.context<ProcessServices>(), sessions),
        ready: outbox.readerReady,
        nextId: () => ids.next("fiber"),
        now: () => Stopwatch.read(clock)
      })
      const hostTools = {
        ...(yield* Effect.flatMap(HostTools, ({ join }) => join)),
        ...HostToolCalls.make(ids, outbox.record)
      }
      const dialogs = yield* openDialogs(options, { ids, connection, outbox }, sessions)
      const dispatch = Dispatch.make({ connection, outbox, turns, hostTools, dialogs })
      yield* sessions.follow(Connecting.enter(connection, outbox))
      yield* Effect.addFinalizer(() => Following.end(connection, sessions))
      yield* start(options, outbox, sessions)
      yield* Connecting.tellWhatIsThere(outbox, sessions, connection)
      const writing = yield* Effect.forkScoped(run)
      const writerEnds = Effect.exit(Fiber.join(writing))
      const { quit = Effect.never } = options
      const whenIdle = Effect.zipRight(quit, awaitIdle(sessions))
      const windDown = makeWindDown({ ...options, sessions, shell, turns, outbox, hostTools, written: writerEnds })
      yield* read(transport, connection, turns.ready, dispatch).pipe(
        // A host that does not read any more is treated like one that has closed its side.
        Effect.raceFirst(writerEnds),
        Effect.raceFirst(Effect.zipRight(whenIdle, turns.accepted)),
        // Before anything is waited for: a command may be in the middle of a question.
        Effect.zipRight(Effect.sync(dialogs.disconnect)),
        Effect.zipRight(options.drain ? windDown("end") : Effect.timeoutOption(windDown("end"), afterEof)),
        Effect.onInterrupt(() =>
          Effect.zipRight(
            Effect.sync(dialogs.withdraw),
            Effect.timeoutOption(Effect.interruptible(windDown("signal")), afterSignal)
          )
        )
      )
      // A writer ends when it is asked to, or when the host is gone. Anything else is a bug of ours, and no orderly end.
      const written = yield* Fiber.poll(writing)
      if (Option.isSome(written) && Exit.isFailure(written.value) && Cause.isDie(written.value.cause)) {
        return yield* Effect.failCause(Cause.stripFailures(written.value.cause))
      }
    })
  )

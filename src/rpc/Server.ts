/** Serves one host: decode, dispatch, answer, from `ready` to the last frame. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Json from "../domain/Json.ts"
import { Agent } from "../services/Agent.ts"
import { HostTools, type HostToolSet } from "../services/host/HostTools.ts"
import { Ids } from "../services/Ids.ts"
import { Settings } from "../services/Settings.ts"
import { Shell } from "../services/Shell.ts"
import type { LiveNode } from "../services/supervision/Supervision.ts"
import { Transport } from "../services/host/Transport.ts"
import type { Command, Request } from "./Command.ts"
import type { Connection, UpdateForm } from "./Connection.ts"
import * as HostToolCalls from "./HostToolCalls.ts"
import * as Jsonl from "./Jsonl.ts"
import * as Lanes from "./Lanes.ts"
import * as Frame from "./protocol/Frame.ts"
import { readyFrame } from "./protocol/Ready.ts"
import { type CommandServices, commands } from "./registry.ts"
import * as Requests from "./Requests.ts"
import * as Writer from "./Writer.ts"

export interface ServerOptions<Stop> {
  readonly version: string
  readonly updates: UpdateForm
  /** On EOF let the run finish instead of aborting it. */
  readonly drain: boolean
  /** Milliseconds since the process started. */
  readonly uptime: Effect.Effect<number>
  /** Completes when the process is asked to end before the host closes its side. */
  readonly stop: Effect.Effect<Stop>
}

/** How long a host that closed its side is kept waiting, and one that sent a signal (protocol.md 1.4, supplement 4.1). */
const afterEof = "3 seconds"
const afterSignal = "700 millis"

const byName = new Map(commands.map((command) => [command.name, command]))

/** What is left to do for a frame; most errors are answered on the spot. */
type Handling = Effect.Effect<void, never, CommandServices> | undefined

/** Everything a frame needs to be handled. */
interface Session {
  readonly connection: Connection
  readonly writer: Writer.Writer
  readonly lanes: Lanes.Lanes<CommandServices>
  /** The last frame, where it was a question: whatever happens in between removes it. */
  latest: Answer | undefined
  readonly now: () => number
  /** What commands that wait for their answer hang under. */
  readonly root: LiveNode
  readonly hostTools: HostToolSet & HostToolCalls.HostToolCalls
}

interface Answer {
  readonly command: Command<CommandServices>
  readonly offered: number
  readonly data: unknown
}

/** Has nothing but its name. */
const isPlain = (frame: unknown): boolean =>
  Predicate.isRecord(frame) && Object.keys(frame).length === (frame["id"] === undefined ? 1 : 2)

/**
 * Questions that stand next to each other in the input get one answer: nothing has happened between them. Commands of
 * this lane that change something have members that say what.
 */
const sameQuestion = ({ latest, writer }: Session, command: Command<CommandServices>, frame: unknown): boolean =>
  latest?.command === command && command.lane === "query" && latest.offered === writer.offered() && isPlain(frame)

/** Runs a command and answers it exactly once, whatever it does; `refuse` answers one that is not to run. */
const execute = (session: Session, command: Command<CommandServices>, frame: unknown, before: Lanes.Before) => {
  const { connection, hostTools, writer } = session
  const id = Frame.idOf(frame)
  let answered = false
  const respond = (response: Frame.Response): boolean => {
    if (answered) return false
    answered = true
    writer.respond(response)
    return true
  }
  const request: Request = {
    id,
    connection,
    hostTools,
    ...before,
    record: (frame) =>
      Effect.suspend(() => {
        writer.record(frame)
        return writer.ready
      }),
    answer: (data) => Effect.sync(() => respond(Frame.success(command.name, id, data)))
  }
  const run: Effect.Effect<void, never, CommandServices> = command.handle(frame, request).pipe(
    Effect.matchCauseEffect({
      onSuccess: (data) => {
        if (isPlain(frame)) session.latest = { command, offered: writer.offered(), data }
        respond(Frame.success(command.name, id, data))
        return Effect.void
      },
      onFailure: (cause) => {
        const failure = Cause.failureOption(cause)
        if (failure._tag === "Some") {
          const { code, data, message } = failure.value
          const extra = data === undefined ? {} : { data }
          respond({ ...Frame.failure(command.name, id, message, code), ...extra })
          return Effect.void
        }
        if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
        respond(Frame.failure(command.name, id, `Internal error: ${Cause.squash(cause)}`, "internal_error"))
        return Effect.logError(`the command ${command.name} died`, cause)
      }
    })
  )
  return { run, refuse: () => respond(Frame.failure(command.name, id, "Cancelled by host", "cancelled")) }
}

const dispatch = (session: Session, frame: unknown): Handling => {
  const { connection, lanes, root, writer } = session
  const type = Frame.typeOf(frame)
  const id = Frame.idOf(frame)
  if (type === undefined) {
    writer.respond(Frame.parseFailure('expected an object with a string "type"', id))
    return undefined
  }
  if (session.hostTools.receive(type, frame)) {
    session.latest = undefined
    return undefined
  }
  const command = byName.get(type)
  if (command === undefined) {
    writer.respond(Frame.unknownCommand(type, id, connection.negotiated))
    return undefined
  }
  if (sameQuestion(session, command, frame)) {
    writer.respond(Frame.success(type, id, session.latest?.data))
    return undefined
  }
  session.latest = undefined
  const before = lanes.before(command.lane)
  const { refuse, run } = execute(session, command, frame, before)
  if (before.atOnce || command.lane === "instant") return run
  if (command.onArrival !== undefined) lanes.aside({ run: command.onArrival(frame) })
  const task = Requests.watch(root, { command: command.name, id, now: session.now(), run, refuse })
  lanes.route(command.lane, before, task)
  return undefined
}

const receive = (session: Session, line: Jsonl.Line): Handling => {
  const { connection, writer } = session
  switch (line._tag) {
    case "Oversized":
      writer.respond(Frame.parseFailure(`frame exceeds ${connection.maxFrameBytes} bytes`))
      return undefined
    case "InvalidUtf8":
      writer.respond(Frame.parseFailure("invalid UTF-8"))
      return undefined
    case "Text": {
      if (line.text.trim() === "") return undefined
      const frame = Json.parse(line.text)
      if (Either.isRight(frame)) return dispatch(session, frame.right)
      writer.respond(Frame.parseFailure(frame.left))
      return undefined
    }
  }
}

/** A last line without LF counts if it is whole; a torn one is dropped, since the host died while writing it. */
const receiveLast = (session: Session, line: Jsonl.Line) =>
  line._tag === "Text" && Either.isRight(Json.parse(line.text))
    ? (receive(session, line) ?? Effect.void)
    : Effect.logWarning("dropped an incomplete last line")

const read = Effect.fnUntraced(function* (session: Session, transport: typeof Transport.Service) {
  let lines: Array<Jsonl.Line> = []
  const splitter = Jsonl.makeSplitter(session.connection.maxFrameBytes, (line) => lines.push(line))

  /** Most lines are handled as soon as they are there. Where one has to be waited for, that and the rest are left to do. */
  const handle = (from: number): Handling => {
    for (let at = from; at < lines.length; at++) {
      const behind = session.writer.readerReady()
      if (behind !== undefined) return Effect.flatMap(behind, () => handle(at) ?? Effect.void)
      const line = lines[at]
      const handling = line === undefined ? undefined : receive(session, line)
      if (handling !== undefined) return Effect.flatMap(handling, () => handle(at + 1) ?? Effect.void)
    }
    lines = []
    return undefined
  }
  const take = (chunk: Uint8Array): Handling => {
    session.latest = undefined
    splitter.push(chunk)
    return handle(0)
  }
  for (let left = yield* transport.input.each(take); left !== undefined; left = yield* transport.input.each(take)) {
    yield* left
  }
  splitter.end()
  for (const line of lines) yield* receiveLast(session, line)
})

/**
 * Ends with what was asked for: `undefined` when the host closed its side or stopped reading, else what `stop` gave.
 * Either way the run is ended as by `abort`, every received command is answered, and what was offered is written.
 */
export const serve = <Stop>(options: ServerOptions<Stop>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const agent = yield* Agent
      const transport = yield* Transport
      const settings = yield* Settings
      const shell = yield* Shell
      const ids = yield* Ids
      const clock = yield* Effect.clock
      const { sessionId } = yield* agent.state
      const connection: Connection = {
        serverVersion: options.version,
        sessionId,
        epoch: ids.next("epoch"),
        maxFrameBytes: settings["rpc.maxFrameBytes"],
        updates: options.updates,
        abortQueue: settings.abortQueue,
        initialized: false,
        negotiated: false,
        seq: 0
      }
      const { run, writer } = Writer.make(
        transport,
        connection,
        Effect.sync(() => ids.next("epoch"))
      )
      const lanes = yield* Lanes.make<CommandServices>()
      const hostTools = {
        ...(yield* Effect.flatMap(HostTools, ({ join }) => join)),
        ...HostToolCalls.make(ids, writer.record)
      }
      const session: Session = {
        connection,
        writer,
        lanes,
        latest: undefined,
        now: () => clock.unsafeCurrentTimeMillis(),
        root: (yield* agent.supervision).root,
        hostTools
      }
      writer.record(readyFrame(connection))
      yield* agent.attach(writer)
      writer.record({ type: "startup", phase: "done", ms: yield* options.uptime })
      const writing = yield* Effect.forkScoped(run)
      // A host that stopped reading is as gone as one that closed its side.
      const unheard = Effect.exit(Fiber.join(writing))
      const stopped = yield* read(session, transport).pipe(
        Effect.raceFirst(unheard),
        Effect.as(undefined),
        Effect.raceFirst(options.stop)
      )
      const eof = stopped === undefined
      const drain = eof && options.drain
      // Side by side: commands that ignore TERM are killed after a wait, and there is time for one wait only.
      const cutShort = Effect.all([shell.close, agent.abort], { concurrency: "unbounded", discard: true })
      const windDown = Effect.gen(function* () {
        if (eof) yield* lanes.accepted
        yield* agent.close
        if (eof) hostTools.disconnect()
        // What a run has left in the queue is reported, too, whatever the host chose for its own aborts.
        yield* drain ? Effect.zipRight(agent.awaitIdle, agent.abort) : cutShort
        yield* lanes.drained
        yield* shell.endBackground
        writer.end()
        yield* unheard
      })
      const bounded = Effect.timeoutOption(Effect.disconnect(windDown), eof ? afterEof : afterSignal)
      yield* drain ? windDown : bounded
      return stopped
    })
  )

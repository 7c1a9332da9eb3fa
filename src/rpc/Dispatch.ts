/** Turns lines of the host into commands, runs each of them in its lane, and answers it exactly once. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Json from "../domain/Json.ts"
import { scalarsOf } from "../domain/JsonScalars.ts"
import { defined } from "../domain/Values.ts"
import { Agent } from "../services/Agent.ts"
import * as Interrupted from "../services/fibers/Interrupted.ts"
import type { HostToolSet } from "../services/host/HostTools.ts"
import type { Sessions } from "../services/session/Sessions.ts"
import type { Command, CommandFailure, Request } from "./Command.ts"
import * as CommandNodes from "./CommandNodes.ts"
import type { Connection } from "./Connection.ts"
import type { HostDialogs } from "./dialogs/HostDialogs.ts"
import type { HostToolCalls } from "./HostToolCalls.ts"
import type * as Jsonl from "./Jsonl.ts"
import type * as Lanes from "./Lanes.ts"
import type { Outbox } from "./Outbox.ts"
import * as Unsupported from "./peers/Unsupported.ts"
import * as Frame from "./protocol/Frame.ts"
import { type CommandServices, commands, type ProcessServices } from "./registry.ts"

/** The parts of one connection that handling a frame takes. */
export interface Parts {
  readonly connection: Connection
  readonly outbox: Outbox
  readonly lanes: Lanes.Lanes<ProcessServices>
  readonly hostTools: HostToolSet & HostToolCalls
  readonly dialogs: Pick<HostDialogs, "receive" | "refuse">
  readonly sessions: typeof Sessions.Service
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface Dispatch {
  /**
   * Handles a line as far as the reader has to wait for it: most commands go on in a fiber of their lane. The session in
   * the reader's context need not be the current one, but where it is, a query takes half the time (32 in place of 62 µs).
   */
  readonly receive: (line: Jsonl.Line) => Effect.Effect<void, never, CommandServices>
  /** A last line without LF counts if it is whole JSON. A torn one is dropped: the host died while writing it. */
  readonly receiveLast: (line: Jsonl.Line) => Effect.Effect<void, never, CommandServices>
}

/** Runs a handler for the session that the host is in when the handler starts. */
type Enter<R> = <A, E>(handler: Effect.Effect<A, E, CommandServices>) => Effect.Effect<A, E, R>

/** A text that breaks a bound is answered, whole or not. */
const isWhole = (text: string) => Json.excessOf(text) !== undefined || Either.isRight(Json.parse(text))

const left = "The session was left before the command was done. Send it again."

/**
 * A command that was asked to stop is interrupted. One that ends so by itself waited for a fiber of a session that was left,
 * and that must not end the fiber that runs it: it may be the reader's.
 */
const unlessAsked = (answer: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.flatMap(Interrupted.isRequested, (isAsked) => (isAsked ? Effect.interrupt : Effect.asVoid(answer)))

const byName = new Map(commands.map((command) => [command.name, command]))

export const make = ({ connection, dialogs, hostTools, lanes, now, outbox, sessions }: Parts): Dispatch => {
  const inSession: Enter<ProcessServices> = (handler) =>
    Effect.flatMap(sessions.current, (session) => Effect.provide(handler, session))

  /** In the reader's fiber, which most of the time has the services of the current session in its context. */
  const inReader: Enter<CommandServices> = (handler) =>
    Effect.flatMap(sessions.current, (session) =>
      Effect.flatMap(Agent, (agent) =>
        agent === Context.get(session, Agent) ? handler : Effect.provide(handler, session)
      )
    )

  /** `run` handles a command and answers it, whatever happens; `refuse` answers one that is not to run, or was cancelled. */
  const prepare = (command: Pick<Command<CommandServices>, "name">, frame: unknown, before: Lanes.Before) => {
    const id = Frame.idOf(frame)
    let answered = false
    let given: Effect.Effect<object | undefined> = Effect.succeed(undefined)
    const respond = (response: Frame.Response): boolean => {
      if (answered) return false
      answered = true
      outbox.respond(response)
      return true
    }
    const request: Request = {
      id,
      connection,
      hostTools,
      ...before,
      record: (frame) =>
        Effect.zipRight(
          Effect.sync(() => outbox.record(frame)),
          outbox.ready
        ),
      answer: (data) => Effect.sync(() => respond(Frame.success(command.name, id, data))),
      whenCancelled: (data) => {
        given = data
        return !answered
      }
    }
    const fails = ({ code, data, message }: Pick<CommandFailure, "code" | "data" | "message">): boolean =>
      respond({ ...Frame.failure(command.name, id, message, code), ...defined({ data }) })
    const cutOff = (message: string): Effect.Effect<boolean> =>
      answered
        ? Effect.succeed(false)
        : Effect.uninterruptible(Effect.map(given, (data) => fails({ code: "cancelled", message, data })))
    const fail = (cause: Cause.Cause<CommandFailure>): Effect.Effect<void> => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "Some") return Effect.sync(() => void fails(failure.value))
      if (Cause.isInterruptedOnly(cause)) return unlessAsked(cutOff(left))
      respond(Frame.failure(command.name, id, `Internal error: ${Cause.squash(cause)}`, "internal_error"))
      return Effect.logError(`the command ${command.name} died`, cause)
    }
    const run = <R>(handler: Effect.Effect<unknown, CommandFailure, R>) =>
      Effect.matchCauseEffect(handler, {
        onSuccess: (data) => Effect.sync(() => void respond(Frame.success(command.name, id, data))),
        onFailure: fail
      })
    const refuse: CommandNodes.Refuse = (then) => lanes.aside({ run: Effect.map(cutOff("Cancelled by host"), then) })
    return { request, run, refuse }
  }

  const start = (command: Command<CommandServices>, frame: unknown) => {
    const { lane } = command
    const before = lanes.before(lane)
    const { refuse, request, run } = prepare(command, frame, before)
    if (before.atOnce || lane === "instant") return run(inReader(command.handle(frame, request)))
    const arrival = command.arrive?.(frame, request)
    if (arrival !== undefined && Either.isLeft(arrival)) return run(arrival.left)
    const handle = arrival?.right.handle ?? command.handle
    if (arrival !== undefined) lanes.aside({ run: inSession(arrival.right.act) })
    return Effect.map(sessions.current, (services) => {
      const { root } = Context.get(services, Agent).supervision
      const task = CommandNodes.open(root, {
        command: command.name,
        id: request.id,
        now: now(),
        run: run(inSession(handle(frame, request))),
        refuse
      })
      lanes.route(lane, before, task)
    })
  }

  const dispatch = (frame: unknown) => {
    const type = Frame.typeOf(frame)
    const id = Frame.idOf(frame)
    if (type === undefined) return reject(Frame.parseFailure('expected an object with a string "type"', id))
    if (hostTools.receive(type, frame)) return Effect.void
    if (dialogs.receive(type, frame)) return Effect.void
    const command = byName.get(type)
    if (command !== undefined) return start(command, frame)
    return reject(
      Unsupported.refusal(type, id) ?? Frame.unknownCommand(type, id, connection.link().preferences.negotiated)
    )
  }

  const reject = (response: Frame.Response) => {
    outbox.respond(response)
    return Effect.void
  }

  /** A result that the host cannot send fails its call, and an answer its question: another one would not be expected. */
  const refuse = (text: string, excess: string) => {
    const frame = Object.fromEntries(scalarsOf(text))
    hostTools.refuse(Frame.typeOf(frame), frame, excess)
    dialogs.refuse(Frame.typeOf(frame), frame)
    return reject(Frame.parseFailure(excess, Frame.idOf(frame)))
  }

  const read = (line: Jsonl.Line) => {
    switch (line._tag) {
      case "Oversized":
        return reject(Frame.parseFailure(`frame exceeds ${connection.maxFrameBytes} bytes`))
      case "InvalidUtf8":
        return reject(Frame.parseFailure("invalid UTF-8"))
      case "Text": {
        if (line.text.trim() === "") return Effect.void
        const excess = Json.excessOf(line.text)
        if (excess !== undefined) return refuse(line.text, excess)
        const frame = Json.parse(line.text)
        return Either.isRight(frame) ? dispatch(frame.right) : reject(Frame.parseFailure(frame.left))
      }
    }
  }

  const receive = (line: Jsonl.Line) => Effect.suspend(() => read(line))

  return {
    receive,
    receiveLast: (line) =>
      line._tag === "Text" && isWhole(line.text) ? receive(line) : Effect.logWarning("dropped an incomplete last line")
  }
}

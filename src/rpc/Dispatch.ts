/** Turns lines of the host into commands, runs each of them in its lane, and answers it exactly once. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import * as Json from "../domain/Json.ts"
import { scalarsOf } from "../domain/JsonScalars.ts"
import { defined } from "../domain/Values.ts"
import * as Interrupted from "../services/fibers/Interrupted.ts"
import type { HostToolSet } from "../services/host/HostTools.ts"
import type { Command, CommandFailure, Request } from "./Command.ts"
import type { Connection } from "./connection/Connection.ts"
import type { HostDialogs } from "./dialogs/HostDialogs.ts"
import type { HostToolCalls } from "./HostToolCalls.ts"
import type * as Jsonl from "./Jsonl.ts"
import type { Outbox } from "./outbox/Outbox.ts"
import * as Unsupported from "./peers/Unsupported.ts"
import * as Envelope from "./protocol/Envelope.ts"
import * as Frame from "./protocol/Frame.ts"
import { type CommandServices, commands } from "./registry.ts"
import type * as Turns from "./Turns.ts"

/** The parts of one connection that handling a frame takes. */
export interface Parts {
  readonly connection: Connection
  readonly outbox: Outbox
  readonly turns: Turns.Turns<CommandServices>
  readonly hostTools: HostToolSet & HostToolCalls
  readonly dialogs: Pick<HostDialogs, "receive" | "refuse">
}

export interface Dispatch {
  /** Decodes a line and sends it to its place; only what answers a question of ours has its effect at once. */
  readonly receive: (line: Jsonl.Line) => void
  /** A last line without LF counts if it is whole JSON. A torn one is dropped: the host died while writing it. */
  readonly receiveLast: (line: Jsonl.Line) => Effect.Effect<void>
}

/** A text that breaks a bound is answered, whole or not. */
const isWhole = (text: string) => Json.excessOf(text) !== undefined || Either.isRight(Json.parse(text))

const left = "The session was left before the command was done. Send it again."

/**
 * A command that was asked to stop is interrupted. One that ends so by itself waited for a fiber of a session that was left,
 * and that must not end the fiber that runs it: it may be the one that takes the turns.
 */
const unlessAsked = (answer: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.flatMap(Interrupted.isRequested, (isAsked) => (isAsked ? Effect.interrupt : Effect.asVoid(answer)))

const byName = new Map(commands.map((command) => [command.name, command]))

export const make = ({ connection, dialogs, hostTools, outbox, turns }: Parts): Dispatch => {
  /** Answers a command once, whatever happens. */
  const makeReply = (command: string, id: RequestId | undefined) => {
    let answered = false
    let given: Effect.Effect<object | undefined> = Effect.succeed(undefined)
    const respond = (response: Frame.Response): boolean => {
      if (answered) return false
      answered = true
      outbox.respond(response)
      return true
    }
    const succeed = (data: unknown) => void respond(Frame.success(command, id, data))
    const fail = ({ code, data, message }: Pick<CommandFailure, "code" | "data" | "message">): boolean =>
      respond({ ...Frame.failure(command, id, message, code), ...defined({ data }) })
    const cutOff = (message: string): Effect.Effect<boolean> =>
      answered
        ? Effect.succeed(false)
        : Effect.uninterruptible(Effect.map(given, (data) => fail({ code: "cancelled", message, data })))
    const failCause = (cause: Cause.Cause<CommandFailure>): Effect.Effect<void> => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "Some") return Effect.sync(() => void fail(failure.value))
      if (Cause.isInterruptedOnly(cause)) return unlessAsked(cutOff(left))
      fail({ code: "internal_error", message: `Internal error: ${Cause.squash(cause)}` })
      return Effect.logError(`the command ${command} died`, cause)
    }
    const whenCancelled: Request["whenCancelled"] = (data) => {
      given = data
      return !answered
    }
    const refuse = Effect.suspend(() => cutOff("Cancelled by host"))
    return { succeed, fail, failCause, whenCancelled, refuse }
  }

  const start = (command: Command<CommandServices>, id: RequestId | undefined, frame: unknown) => {
    const { fail, failCause, refuse, succeed, whenCancelled } = makeReply(command.name, id)
    const about = { command: command.name, id, refuse }
    const arrival = command.arrive(frame)
    if (Either.isLeft(arrival)) {
      return turns.send({ ...about, lane: command.refusal, run: () => Effect.sync(() => void fail(arrival.left)) })
    }
    const { ahead, handle } = arrival.right
    const request = (release: Effect.Effect<void>): Request => ({
      id,
      connection,
      hostTools,
      activities: turns.activities,
      release,
      record: (record) =>
        Effect.zipRight(
          Effect.sync(() => outbox.record(record)),
          outbox.ready
        ),
      answer: (data) => Effect.sync(() => succeed(data)),
      whenCancelled
    })
    turns.send({
      ...about,
      lane: command.lane,
      run: (release) =>
        Effect.matchCauseEffect(handle(request(release)), {
          onSuccess: (data) => Effect.sync(() => succeed(data)),
          onFailure: failCause
        }),
      ahead: ahead === undefined ? undefined : (place) => ahead(request(Effect.void), place)
    })
  }

  const answerWith = (response: () => Frame.Response) => {
    const run = () => Effect.sync(() => outbox.respond(response()))
    turns.send({ lane: "instant", command: "parse", id: undefined, run, refuse: Effect.succeed(false) })
  }
  const answer = (response: Frame.Response) => answerWith(() => response)

  const dispatch = (frame: unknown) => {
    const { id, type } = Envelope.read(frame)
    if (type === undefined) return answer(Frame.parseFailure('expected an object with a string "type"', id))
    if (hostTools.receive(type, frame)) return
    if (dialogs.receive(type, frame)) return
    const command = byName.get(type)
    if (command !== undefined) return start(command, id, frame)
    // What has been negotiated is known in its turn.
    answerWith(
      () => Unsupported.refusal(type, id) ?? Frame.unknownCommand(type, id, connection.link().preferences.negotiated)
    )
  }

  /** A result that the host cannot send fails its call, and an answer its question: another one would not be expected. */
  const refuse = (text: string, excess: string) => {
    const frame = Object.fromEntries(scalarsOf(text))
    const { id, type } = Envelope.read(frame)
    hostTools.refuse(type, frame, excess)
    dialogs.refuse(type, frame)
    answer(Frame.parseFailure(excess, id))
  }

  const receive = (line: Jsonl.Line) => {
    switch (line._tag) {
      case "Oversized":
        return answer(Frame.parseFailure(`frame exceeds ${connection.maxFrameBytes} bytes`))
      case "InvalidUtf8":
        return answer(Frame.parseFailure("invalid UTF-8"))
      case "Text": {
        if (line.text.trim() === "") return
        const excess = Json.excessOf(line.text)
        if (excess !== undefined) return refuse(line.text, excess)
        const frame = Json.parse(line.text)
        return Either.isRight(frame) ? dispatch(frame.right) : answer(Frame.parseFailure(frame.left))
      }
    }
  }

  return {
    receive,
    receiveLast: (line) =>
      line._tag === "Text" && isWhole(line.text)
        ? Effect.sync(() => receive(line))
        : Effect.logWarning("dropped an incomplete last line")
  }
}

/** One RPC command as one value: its schemas, its lane, its words for docs/rpc.md, and its handler. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import type { HostToolSet } from "../services/host/HostTools.ts"
import type { EventSink } from "../services/session/EventLog.ts"
import { Sessions } from "../services/session/Sessions.ts"
import type { Supervision } from "../services/supervision/Supervision.ts"
import type { Connection } from "./Connection.ts"
import type { HostToolCalls } from "./HostToolCalls.ts"
import * as Decoder from "./decoding/Decoder.ts"

/** The failure response of a command. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  code: Schema.String,
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {}

/**
 * When a command runs (protocol.md 2.2). Ordered commands run one at a time in the order of their arrival: `ordered`
 * itself waits for nothing but the store, a `waiting` command may wait for more, one that is `prompting` lets queries
 * overtake it when it takes longer, and a `holding` one at once. The others may overtake: an `instant` command never
 * waits, a `query` waits for earlier ordered commands, `aside` is a query that may take long itself, and a `control`
 * command begins on arrival. One that is `ending` ends what was sent before it: it begins on arrival, too, and is done in
 * its turn.
 */
export type Lane =
  | "ordered"
  | "waiting"
  | "prompting"
  | "holding"
  | "instant"
  | "query"
  | "aside"
  | "control"
  | "ending"

/** Where a command stands among those that were sent before it. */
export interface Position {
  /** What holds it back may take long. */
  readonly isFar: boolean
  readonly isReached: () => boolean
  /** Returns when all that was sent before the command has ended or given way. */
  readonly reached: Effect.Effect<void>
}

/** What a handler gets beside the members of its command. */
export interface Request {
  readonly id: RequestId | undefined
  readonly connection: Connection
  readonly hostTools: HostToolSet & Pick<HostToolCalls, "toTool">
  /** The commands of this connection that have no answer yet. */
  readonly activities: Supervision
  /** Starts the next ordered command although this one, of lane `waiting`, still runs. */
  readonly release: Effect.Effect<void>
  /** Sends a record that is no agent event. Returns when the host is not too far behind. */
  readonly record: (frame: object) => Effect.Effect<void>
  /** Sends the success response at once. The value that the handler returns is then not sent. */
  readonly answer: (data?: unknown) => Effect.Effect<void>
  /** Makes the `data` of the response if the host cancels the command. False when the command has been answered. */
  readonly whenCancelled: (data: Effect.Effect<object | undefined>) => boolean
}

/** Makes a change and answers with what it gives, in one step: a host that cancels the command does not lose it. */
export const answering = <A, E, R>({ answer }: Pick<Request, "answer">, change: Effect.Effect<A, E, R>) =>
  Effect.uninterruptible(Effect.tap(change, answer))

interface Spec<P, PE, A, AE, R, H = R> {
  readonly name: string
  readonly lane: Lane
  readonly summary: string
  /** Further paragraphs for the reference, in Markdown. */
  readonly notes?: string
  readonly origin: ReadonlyArray<"pi" | "omp" | "xcsh" | "ours">
  readonly params: Schema.Schema<P, PE>
  /** Absent where the response carries no data. */
  readonly result?: Schema.Schema<A, AE>
  /** Codes of the failures it may answer, beside `invalid_params`. */
  readonly errors?: ReadonlyArray<string>
  /** What a command of lane `ending` does at once if others hold it back. */
  readonly heldBack?: (position: Position) => Effect.Effect<void, never, H>
  readonly run: (params: P, request: Request) => Effect.Effect<A, CommandFailure, R>
}

/** A command with a part that does not wait for its turn. */
interface AheadSpec<P, PE, A, AE, B, R> extends Omit<Spec<P, PE, A, AE, R>, "run" | "heldBack"> {
  /** Refuses the command when its frame arrives, or says what to begin with at once. */
  readonly onArrival: (params: P) => Either.Either<(request: Request) => Effect.Effect<B, never, R>, CommandFailure>
  /** `arrived` returns when what `onArrival` has begun is done. */
  readonly run: (params: P, request: Request, arrived: Effect.Effect<B>) => Effect.Effect<A, CommandFailure, R>
}

/** A command whose frame has the right shape. */
export interface Arrival<R> {
  /** Its part that does not wait; one of lane `ending` has it only where others hold the command back. */
  readonly ahead?: ((request: Request, position: Position) => Effect.Effect<void, never, R>) | undefined
  readonly handle: (request: Request) => Effect.Effect<unknown, CommandFailure, R>
}

export interface Command<R> {
  readonly name: string
  readonly lane: Lane
  readonly summary: string
  readonly notes: string
  readonly origin: ReadonlyArray<string>
  readonly errors: ReadonlyArray<string>
  readonly params: Schema.Schema.AnyNoContext
  readonly result: Schema.Schema.AnyNoContext | undefined
  /** Checks the shape of a frame. A command that is refused is answered in its turn. */
  readonly arrive: (frame: unknown) => Either.Either<Arrival<R>, CommandFailure>
  /** The lane of its refusal, if the frame has another shape. */
  readonly refusal: Lane
}

/** Checks the shape of a frame. */
const reader = <P, PE>({ name, params }: Pick<Spec<P, PE, unknown, unknown, never>, "name" | "params">) => {
  const decode = Decoder.make(params)
  const invalid = (detail: string) =>
    new CommandFailure({ code: "invalid_params", message: `Invalid ${name} command: ${detail}` })
  return (frame: unknown) => Either.mapLeft(decode(frame), invalid)
}

/** In turn, so that no earlier answer is overtaken, but nothing waits for it. */
const refusalLane = (lane: Lane): Lane => {
  if (lane === "instant" || lane === "control" || lane === "ending") return "instant"
  return lane === "query" || lane === "aside" ? "query" : "ordered"
}

const describe = <P, PE, A, AE>(spec: Omit<Spec<P, PE, A, AE, never>, "run" | "heldBack">) => ({
  name: spec.name,
  lane: spec.lane,
  summary: spec.summary,
  notes: spec.notes ?? "",
  origin: spec.origin,
  errors: ["invalid_params", ...(spec.errors ?? [])],
  params: spec.params,
  result: spec.result
})

export const make = <P, PE, A, AE, R, H = never>(spec: Spec<P, PE, A, AE, R, H>): Command<R | H> => {
  const read = reader(spec)
  const { heldBack, run } = spec
  const ahead = heldBack === undefined ? undefined : (_: Request, position: Position) => heldBack(position)
  return {
    ...describe(spec),
    refusal: refusalLane(spec.lane),
    arrive: (frame) =>
      Either.map(read(frame), (params) => ({ ahead, handle: (request) => Effect.suspend(() => run(params, request)) }))
  }
}

export const makeAhead = <P, PE, A, AE, B, R>(spec: AheadSpec<P, PE, A, AE, B, R>): Command<R> => {
  const read = reader(spec)
  const { onArrival, run } = spec
  const arrive = (frame: unknown) =>
    Either.gen(function* () {
      const params = yield* read(frame)
      const begin = yield* onArrival(params)
      const arrived = Deferred.unsafeMake<B>(FiberId.none)
      const arrival: Arrival<R> = {
        ahead: (request) => Effect.asVoid(Effect.intoDeferred(begin(request), arrived)),
        handle: (request) => run(params, request, Deferred.await(arrived))
      }
      return arrival
    })
  return { ...describe(spec), refusal: "instant", arrive }
}

type Session = Effect.Effect.Success<(typeof Sessions.Service)["current"]>

const silent: EventSink = { offer: () => {}, ready: Effect.void }

/** What an ending command does ahead of its turn, in each session that the host is in until then. Returns when its turn comes. */
export const aheadIn = (position: Position, end: (session: Session) => Effect.Effect<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { current, follow } = yield* Sessions
      const here = yield* current
      // Before anything is waited for: what ends here may be what the host waits for on its way to another session, where
      // nothing is under way yet.
      yield* follow((session) => Effect.as(session === here ? Effect.void : end(session), silent))
      yield* end(here)
      yield* position.reached
    })
  )

export const noParams = Schema.Struct({})

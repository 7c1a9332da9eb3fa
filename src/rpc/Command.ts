/** One RPC command as one value: its schemas, its lane, its words for docs/rpc.md, and its handler. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import type { HostToolSet } from "../services/host/HostTools.ts"
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
 * When a command runs (protocol.md 2.2). `ordered` commands run one at a time in the order of their arrival; `holding` is
 * an ordered command that may take long, and `background` one that lets the next start when it calls `release`. The
 * others are handled on arrival: an `instant` command never waits, a `query` waits for earlier ordered commands unless
 * one of them is `holding`, and a `control` command may wait, in a fiber of its own.
 */
export type Lane = "ordered" | "holding" | "background" | "instant" | "query" | "control"

/** What a handler gets beside the members of its command. */
export interface Request {
  readonly id: RequestId | undefined
  readonly connection: Connection
  readonly hostTools: HostToolSet & Pick<HostToolCalls, "toTool">
  /** Returns when every ordered command that arrived earlier has ended or given way. */
  readonly earlier: Effect.Effect<void>
  /** Whether one of them is `holding`. */
  readonly blocked: boolean
  /** Lets queries overtake this command from now on, as if it were of lane `holding`. */
  readonly hold: () => void
  /** Starts the next ordered command although this one, of lane `background`, still runs. */
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

interface Spec<P, PE, A, AE, R> {
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
  readonly run: (params: P, request: Request) => Effect.Effect<A, CommandFailure, R>
}

/** A command with a part that does not wait for its lane. */
interface AheadSpec<P, PE, A, AE, B, R> extends Omit<Spec<P, PE, A, AE, R>, "run"> {
  /** Refuses the command when its frame arrives, or begins with it at once. */
  readonly onArrival: (params: P, request: Request) => Either.Either<Effect.Effect<B, never, R>, CommandFailure>
  /** `arrived` returns when what `onArrival` has begun is done. */
  readonly run: (params: P, request: Request, arrived: Effect.Effect<B>) => Effect.Effect<A, CommandFailure, R>
}

/** A command that has passed the check on its arrival. `act` is to start at once, `handle` in its lane. */
interface Arrival<R> {
  readonly act: Effect.Effect<void, never, R>
  readonly handle: Command<R>["handle"]
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
  readonly arrive: ((frame: unknown, request: Request) => Either.Either<Arrival<R>, CommandFailure>) | undefined
  readonly handle: (frame: unknown, request: Request) => Effect.Effect<unknown, CommandFailure, R>
}

/** Checks the shape of a frame. */
const reader = <P, PE>({ name, params }: Pick<Spec<P, PE, unknown, unknown, never>, "name" | "params">) => {
  const decode = Decoder.make(params)
  const invalid = (detail: string) =>
    new CommandFailure({ code: "invalid_params", message: `Invalid ${name} command: ${detail}` })
  return (frame: unknown) => Either.mapLeft(decode(frame), invalid)
}

export const make = <P, PE, A, AE, R>(spec: Spec<P, PE, A, AE, R>): Command<R> => {
  const read = reader(spec)
  return {
    name: spec.name,
    lane: spec.lane,
    summary: spec.summary,
    notes: spec.notes ?? "",
    origin: spec.origin,
    errors: ["invalid_params", ...(spec.errors ?? [])],
    params: spec.params,
    result: spec.result,
    arrive: undefined,
    handle: (frame, request) =>
      Effect.suspend(() => {
        const params = read(frame)
        return Either.isLeft(params) ? params.left : spec.run(params.right, request)
      })
  }
}

export const makeAhead = <P, PE, A, AE, B, R>(spec: AheadSpec<P, PE, A, AE, B, R>): Command<R> => {
  const { onArrival, run, ...rest } = spec
  const read = reader(spec)
  const arrive = (frame: unknown, request: Request) =>
    Either.gen(function* () {
      const params = yield* read(frame)
      const begun = yield* onArrival(params, request)
      const arrived = Deferred.unsafeMake<B>(FiberId.none)
      const arrival: Arrival<R> = {
        act: Effect.asVoid(Effect.intoDeferred(begun, arrived)),
        handle: (_, request) => run(params, request, Deferred.await(arrived))
      }
      return arrival
    })
  return { ...make({ ...rest, run: (params, request) => run(params, request, Effect.never) }), arrive }
}

export const noParams = Schema.Struct({})

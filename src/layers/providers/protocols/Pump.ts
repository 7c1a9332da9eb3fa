/** Runs one call of any protocol: SDK stream → state machine → mailbox, under a watchdog. One fiber, owned by the scope. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Mailbox from "effect/Mailbox"
import type { ModelEvent } from "../../../domain/ModelEvent.ts"
import type { ModelFailure, ModelRequest } from "../../../services/ModelClient.ts"
import * as SdkPump from "../../platform/SdkPump.ts"
import * as WatchedFetch from "../../platform/WatchedFetch.ts"
import type { Connection } from "../Protocol.ts"
import * as Failures from "./Failures.ts"
import type { Machine } from "./Machine.ts"
import * as Watchdog from "./Watchdog.ts"

export interface Call<Raw> {
  readonly request: ModelRequest
  readonly connection: Connection
  readonly open: (signal: AbortSignal, fetch: WatchedFetch.Fetch) => Promise<AsyncIterable<Raw>>
  readonly machine: Machine<Raw>
  readonly deadlines?: Watchdog.Deadlines
}

/** Events that may wait. Few, because a batch of them is worked on before anybody else gets a turn. */
export const capacity = 128

const run = Effect.fnUntraced(function* <Raw>(call: Call<Raw>, into: Mailbox.Mailbox<ModelEvent, ModelFailure>) {
  const { connection, machine, request } = call
  const clock = yield* Effect.clock
  const watchdog = yield* Watchdog.make(call.deadlines ?? Watchdog.defaults)
  let contentType = ""
  let silent = true
  const fail = (input: Failures.Input) =>
    Failures.make(input, { request, connection, contentType, silent, now: clock.unsafeCurrentTimeMillis() })
  const fetch = WatchedFetch.make({
    onAnswer: (answer) => {
      contentType = answer.contentType
    },
    onBytes: watchdog.touch
  })
  const take = (raw: Raw) => {
    silent = false
    const taken = machine.take(raw)
    if (machine.finished()) watchdog.finish(machine.drainMs)
    return Either.mapLeft(taken, fail)
  }
  const source = { open: (signal: AbortSignal) => call.open(signal, fetch), take, onWaiting: watchdog.setWaiting }
  yield* Effect.raceFirst(SdkPump.pump(source, into), watchdog.watch).pipe(
    Effect.catchTags({
      SourceFailed: (error) => Effect.fail(fail(error)),
      Expired: (error) => Effect.fail(fail(error))
    })
  )
  yield* into.offerAll(yield* Either.mapLeft(machine.end(), fail))
})

export const stream = Effect.fnUntraced(function* <Raw>(call: Call<Raw>) {
  // forkScoped starts late: when the scope closes before that, only the shutdown tells a reader.
  const mailbox = yield* Effect.acquireRelease(Mailbox.make<ModelEvent, ModelFailure>(capacity), (box) => box.shutdown)
  yield* Effect.forkScoped(Mailbox.into(run(call, mailbox), mailbox))
  const readable: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure> = mailbox
  return readable
})

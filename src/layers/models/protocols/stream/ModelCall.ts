/** Runs one model call of any kind: source → state machine → mailbox, under deadlines. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Mailbox from "effect/Mailbox"
import * as Scope from "effect/Scope"
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { ModelFailure, ModelRequest } from "../../../../services/model/ModelClient.ts"
import * as Alarm from "../../../machine/engine/Alarm.ts"
import { failed, type Pull, type Source, SourceFailed } from "../../../machine/engine/Source.ts"
import type { Connection } from "../../providers/Protocol.ts"
import * as Failures from "../failures/Failures.ts"
import type { Listener } from "./Dialect.ts"
import { lastBytesMs, type Machine, type Stop } from "./Machine.ts"
import * as Watchdog from "./Watchdog.ts"

export interface Call<Item, Raw> {
  readonly request: ModelRequest
  readonly connection: Pick<Connection, "apiKey" | "headers" | "addressPlaces" | "compat">
  readonly source: Source<Item>
  readonly dialect: (item: Item, to: Listener<Raw>) => Stop | undefined
  readonly machine: Machine<Raw>
  readonly contentType?: () => string
  readonly deadlines?: Watchdog.Deadlines
  readonly mask: (text: string) => string
  /** What a failure of the source comes to. Default: itself. */
  readonly explain?: (failed: SourceFailed) => SourceFailed
}

/** Events that may wait for the reader. Few, because the reader handles a whole batch before other fibers run. */
export const capacity = 128

const failStop = (stop: Stop | undefined) => (stop === undefined ? Effect.void : Effect.fail(stop))

/** Takes the items of a call to its mailbox. */
const makeReader = <Item, Raw>(
  { dialect, machine }: Call<Item, Raw>,
  mailbox: Mailbox.Mailbox<ModelEvent, ModelFailure>,
  watchdog: Watchdog.Watchdog
) => {
  let isSilent = true
  const listener = { take: machine.take, over: () => watchdog.finish(lastBytesMs) }
  const takeAll = (items: ReadonlyArray<Item>): Stop | undefined => {
    for (const item of items) {
      isSilent = false
      const stop = dialect(item, listener) ?? machine.fault()
      if (machine.finished()) watchdog.finish(machine.drainMs)
      if (stop !== undefined) return stop
    }
    return undefined
  }
  /** While our own reader is behind, the silence of the source does not count. */
  const hand = Effect.suspend(() => {
    const events = machine.drain()
    if (events.length === 0) return Effect.void
    watchdog.setWaiting(true)
    return Effect.map(Effect.uninterruptible(mailbox.offerAll(events)), () => watchdog.setWaiting(false))
  })
  /** What came before a failure counts. */
  const pass = (items: ReadonlyArray<Item>) => {
    watchdog.touch()
    const taken = Effect.flatMap(Effect.try({ try: () => takeAll(items), catch: failed("take") }), failStop)
    return Effect.flatMap(Effect.either(taken), (result) => Effect.zipRight(hand, result))
  }
  const readAll = (pull: Pull<Item>): Effect.Effect<void, Failures.Input> =>
    Effect.flatMap(pull, (items) =>
      items === undefined ? Effect.void : Effect.flatMap(pass(items), () => readAll(pull))
    )
  const end = Effect.suspend(() => {
    const stop = machine.end()
    return Effect.zipRight(hand, failStop(stop))
  })
  return { readAll, end, isSilent: () => isSilent }
}

/** The call belongs to the scope: closing it ends the reading, the connection and the mailbox. */
export const stream = Effect.fnUntraced(function* <Item, Raw>(call: Call<Item, Raw>) {
  const { contentType = () => "", deadlines = Watchdog.defaults, explain = identity, source } = call
  const scope = yield* Effect.scope
  const clock = yield* Effect.clock
  const alarm = yield* Alarm.make
  const mailbox = yield* Mailbox.make<ModelEvent, ModelFailure>(capacity)
  const timeUp = yield* Deferred.make<void, Watchdog.Expired>()
  const onEnd = (expired?: Watchdog.Expired) => Deferred.unsafeDone(timeUp, expired ?? Effect.void)
  const watchdog = Watchdog.make({ deadlines, clock, alarm, onEnd })
  const { end, isSilent, readAll } = makeReader(call, mailbox, watchdog)
  const controller = new AbortController()
  /** Without the signal, the unread rest of an answer would keep its connection. */
  const close = Effect.sync(() => {
    watchdog.stop()
    controller.abort()
  })
  const fail = (input: Failures.Input) => {
    const found = input instanceof SourceFailed ? explain(input) : input
    const seen = { contentType: contentType(), silent: isSilent(), now: clock.unsafeCurrentTimeMillis() }
    return Failures.make(found, { ...call, ...seen })
  }
  const run = Effect.flatMap(source(controller.signal), readAll).pipe(
    Effect.raceFirst(Deferred.await(timeUp)),
    Effect.ensuring(close),
    Effect.zipRight(end),
    Effect.mapError(fail),
    Mailbox.into(mailbox)
  )
  yield* Effect.forkIn(Effect.interruptible(run), scope)
  // Behind the fiber, so that it comes first: the fiber may wait for the reader. Not Effect.addFinalizer: that one compares
  // all FiberRefs of the fiber, which took 0.2 ms of every call.
  const over = Effect.suspend(() => {
    mailbox.unsafeDone(Exit.interrupt(FiberId.none))
    return mailbox.shutdown
  })
  yield* Scope.addFinalizer(scope, over)
  const events: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure> = mailbox
  return events
})

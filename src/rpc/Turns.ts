/**
 * The order in which the commands of one connection are handled (protocol.md 2.2). The reader sends each of them as a
 * turn; one fiber takes the turns as they came, and never waits for anything but the store. A command that may wait for
 * more is an activity: a fiber of its own, which holds back the turns behind it until it ends or releases them.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Mailbox from "effect/Mailbox"
import type * as Runtime from "effect/Runtime"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import * as Backpressure from "../services/fibers/Backpressure.ts"
import * as Ending from "../services/supervision/Ending.ts"
import * as Supervision from "../services/supervision/Supervision.ts"
import type { Lane, Position } from "./Command.ts"

/** Queries pass a command of the lane `prompting` that takes longer (supplement 1.2). */
const graceMs = 20

/** Turns that may wait to be taken before the reader waits. */
const lead = 256

export interface Turn<R> {
  readonly lane: Lane
  readonly command: string
  readonly id: RequestId | undefined
  /** Handles the command and answers it. */
  readonly run: (release: Effect.Effect<void>) => Effect.Effect<void, never, R>
  /** The part of the command that does not wait for its turn. One of lane `ending` has none if nothing holds it back. */
  readonly ahead?: ((position: Position) => Effect.Effect<void, never, R>) | undefined
  /** Answers the command as cancelled. False if it has an answer. */
  readonly refuse: Effect.Effect<boolean>
}

export interface Turns<R> {
  readonly send: (turn: Turn<R>) => void
  /** Returns when the reader may send more. */
  readonly ready: Effect.Effect<void>
  /** What goes on or waits. A host ends such a command with `cancel` and the id of its request. */
  readonly activities: Supervision.Supervision
  /** Returns when every command that was sent so far has ended or given way. */
  readonly accepted: Effect.Effect<void>
  /** Returns when every command that was sent so far has ended. */
  readonly drained: Effect.Effect<void>
}

/** What holds back the turns behind it. */
interface Activity {
  /** Queries do not wait for it. */
  passes: boolean
  isOver: boolean
}

interface Entry<R> {
  readonly turn: Turn<R>
  /** Its node in the tree, if it waits or is an activity. */
  node?: Supervision.LiveNode
  /** To be called when its turn comes, or it is withdrawn. */
  pass?: () => void
}

interface Options<R> {
  /** What handlers need: one and the same value until the host changes its session. */
  readonly context: Effect.Effect<Context.Context<R>>
  /** Waits as long as too many answers wait to be written. */
  readonly ready: Effect.Effect<void>
  readonly nextId: () => string
  /** As the Stopwatch reads. */
  readonly now: () => number
}

const isQuery = (lane: Lane) => lane === "query" || lane === "aside"

/** Turns that wait behind an activity, in their order. */
const makeBacklog = <R>() => {
  let entries: Array<Entry<R>> = []
  const takeOut = (isWanted: (entry: Entry<R>) => boolean) => {
    const taken = entries.filter(isWanted)
    if (taken.length > 0) entries = entries.filter((entry) => !isWanted(entry))
    return taken
  }
  /** The host has cancelled it before its turn came. */
  const withdraw = (entry: Entry<R>) =>
    Effect.suspend(() => {
      if (takeOut((other) => other === entry).length === 0) return Effect.void
      entry.pass?.()
      return Effect.map(entry.turn.refuse, () => {
        if (entry.node !== undefined) Supervision.close(entry.node)
      })
    })
  return {
    push: (entry: Entry<R>) => void entries.push(entry),
    next: () => entries.shift(),
    takeQueries: () => takeOut(({ turn }) => isQuery(turn.lane)),
    withdraw
  }
}

/** Starts commands in fibers of their own. Each has a node from then on, or from when it begins to wait. */
const makeFibers = Effect.fnUntraced(function* <R>(
  { context, nextId, now }: Options<R>,
  withdraw: (entry: Entry<R>) => Effect.Effect<void>
) {
  const forked = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(forked)<never>()
  const root = Supervision.makeRoot({ kind: "command", label: "connection" }, now(), nextId, "connection")

  /** The context is that of the fiber itself: what it forks, such as another session, would keep that of the one above. */
  const fork = (effect: Effect.Effect<void, never, R>, options?: Runtime.RunForkOptions) =>
    run(
      Effect.flatMap(context, (services) => Effect.provide(effect, services)),
      options
    )

  const nodeOf = (entry: Entry<R>): Supervision.LiveNode => {
    const { command, id } = entry.turn
    const end: Effect.Effect<void> = Effect.flatMap(Effect.fiberId, (asker) =>
      node.fiber === undefined ? withdraw(entry) : Fiber.interruptAsFork(node.fiber, asker)
    )
    const names = id === undefined ? {} : { refs: { requestId: id }, names: [id] }
    const node = (entry.node ??= Supervision.open(root, { kind: "command", label: command, ...names, end }, now()))
    return node
  }

  const close = (node: Supervision.LiveNode, isCancelled: boolean) => {
    if (!isCancelled) node.outcome = "already_done"
    Supervision.close(node)
  }

  /** `then` is called when the command has ended and has its answer. */
  const launch = (entry: Entry<R>, command: Effect.Effect<void, never, R>, then: () => void) => {
    const node = nodeOf(entry)
    const over = (isCancelled: boolean) => {
      close(node, isCancelled)
      then()
    }
    fork(Supervision.enter(node, command), Supervision.forkOptions(node)).addObserver((exit) => {
      // Also where the host has ended a part of the command, such as a hook, that runs in its fiber.
      if (Exit.isInterrupted(exit)) run(Effect.map(entry.turn.refuse, over))
      else over(false)
    })
  }

  /** A command that was handled at once: without a node, unless it had waited. */
  const done = ({ node, turn: { id, lane } }: Entry<R>) => {
    if (node !== undefined) close(node, false)
    else if (lane === "ordered" && id !== undefined) Supervision.remember(root.registry, id)
  }
  return { root, nodeOf, launch, done, fork, forked }
})

/** Where a turn stands. `isFar`: what holds it back may take long. */
const positionOf = <R>(entry: Entry<R>, isFar: boolean): Position => {
  let isReached = false
  const latch = Effect.unsafeMakeLatch(false)
  entry.pass = () => {
    isReached = true
    latch.unsafeOpen()
  }
  return { isFar, isReached: () => isReached, reached: latch.await }
}

export const make = Effect.fnUntraced(function* <R>(options: Options<R>) {
  const mailbox = yield* Mailbox.make<Turn<R> | Activity>()
  const pressure = Backpressure.make(Backpressure.sizeOf(mailbox), lead)
  const timer = yield* FiberHandle.make<void>()
  const backlog = makeBacklog<R>()
  let current: Activity | undefined
  let entered: Context.Context<R> | undefined

  const { done, fork, forked, launch, nodeOf, root } = yield* makeFibers(options, backlog.withdraw)

  /** In the fiber of the turns, which most of the time has the right context. */
  const inside = (run: Effect.Effect<void, never, R>) =>
    Effect.flatMap(options.context, (context) => (context === entered ? run : Effect.provide(run, context)))
  const inTurn = (entry: Entry<R>) => Effect.map(inside(entry.turn.run(Effect.void)), () => done(entry))
  const beside = (entry: Entry<R>) => Effect.sync(() => launch(entry, entry.turn.run(Effect.void), () => {}))

  const slow = (activity: Activity) =>
    Effect.sync(() => {
      activity.passes = true
      if (current === activity) mailbox.unsafeOffer(activity)
    })

  const hold = (entry: Entry<R>) =>
    Effect.suspend(() => {
      const { lane, run } = entry.turn
      const activity: Activity = { passes: lane === "holding", isOver: false }
      const release = () => {
        if (activity.isOver) return
        activity.isOver = true
        if (current === activity) mailbox.unsafeOffer(activity)
      }
      launch(entry, run(Effect.sync(release)), release)
      if (activity.isOver) return Effect.void
      current = activity
      if (lane === "prompting") return FiberHandle.run(timer, Effect.delay(slow(activity), graceMs))
      return activity.passes ? letPass : Effect.void
    })

  const start = (entry: Entry<R>): Effect.Effect<unknown, never, R> => {
    entry.pass?.()
    switch (entry.turn.lane) {
      case "instant":
      case "query":
      case "ordered":
        return inTurn(entry)
      case "aside":
      case "control":
      case "ending":
        return beside(entry)
      default:
        return hold(entry)
    }
  }

  /** Handles the queries that wait behind an activity which does not hold them back any more. */
  const letPass = Effect.suspend(() => Effect.forEach(backlog.takeQueries(), start, { discard: true }))

  const take = (turn: Turn<R>): Effect.Effect<unknown, never, R> => {
    const { ahead, lane } = turn
    if (lane === "instant" || (lane === "query" && current === undefined)) return inside(turn.run(Effect.void))
    const entry: Entry<R> = { turn }
    const isFree = current === undefined || lane === "control" || (isQuery(lane) && current.passes)
    if (ahead !== undefined && !(isFree && lane === "ending")) fork(ahead(positionOf(entry, current?.passes === true)))
    if (isFree) return start(entry)
    nodeOf(entry)
    backlog.push(entry)
    return Effect.void
  }

  /** Handles what waited, up to the next activity. */
  const resume = Effect.gen(function* () {
    while (current === undefined) {
      const next = backlog.next()
      if (next === undefined) return
      yield* start(next)
    }
  })

  /** `Effect.forEach` calls it when the message before is handled. */
  const handle = (message: Turn<R> | Activity): Effect.Effect<unknown, never, R> => {
    if ("run" in message) return take(message)
    if (current !== message) return Effect.void
    if (!message.isOver) return letPass
    current = undefined
    return resume
  }

  const worker = Effect.gen(function* () {
    const [messages] = yield* mailbox.takeAll
    yield* pressure.caughtUp
    yield* options.ready
    const context = yield* options.context
    entered = context
    yield* Effect.provide(Effect.forEach(messages, handle, { discard: true }), context)
    entered = undefined
  })
  yield* Effect.forkScoped(Effect.interruptible(Effect.forever(worker)))

  const send = (turn: Turn<R>) => void mailbox.unsafeOffer(turn)
  const accepted = Effect.suspend(() => {
    const latch = Effect.unsafeMakeLatch(false)
    const run = () => Effect.asVoid(latch.open)
    send({ lane: "ordered", command: "end", id: undefined, run, refuse: Effect.succeed(false) })
    return latch.await
  })

  const turns: Turns<R> = {
    send,
    ready: pressure.ready,
    activities: { root, cancel: (targetId, graceMs) => Ending.cancel(root, targetId, graceMs) },
    accepted,
    drained: Effect.zipRight(accepted, FiberSet.awaitEmpty(forked))
  }
  return turns
})

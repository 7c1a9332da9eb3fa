/**
 * The two lanes of commands (protocol.md 2.2). The reader routes a command and reads on: ordered commands run one after
 * the other, the others on arrival. Every routed command has a fiber of its own, owned by the scope of the lanes. The
 * fiber starts at once unless the command has to wait for others.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import type * as Runtime from "effect/Runtime"
import type { Lane } from "./Command.ts"

/** A command that was routed, as the lanes run it. */
export interface Task<R> {
  readonly run: Effect.Effect<void, never, R>
  readonly seat?: Runtime.RunForkOptions
  /** True when the host cancelled it while it waited for its lane: it then never starts. */
  readonly withdrawn?: () => boolean
  /** Calls `then` when the next ordered command may start. */
  readonly ended?: (exit: Exit.Exit<void>, then: () => void) => void
}

/** An ordered command that was received. */
interface Ticket {
  holding: boolean
  isOver: boolean
}

interface Job<R> {
  readonly ticket: Ticket
  readonly task: Task<R>
  /** Starts in its place among the ordered commands, but they do not wait for its end. */
  readonly passing: boolean
}

/** The ordered commands that arrived before a command, as that command sees them. */
export interface Before {
  /** Returns when all of them are done. It is `Effect.void` itself when there are none. */
  readonly earlier: Effect.Effect<void>
  /** Whether one of them is `holding`. */
  readonly blocked: boolean
  readonly ticket: Ticket
  /** Makes this command, which runs, a `holding` one: it may take longer than queries can wait. */
  readonly hold: () => void
  /** Starts the next ordered command although this one, of lane `background`, still runs. */
  readonly release: Effect.Effect<void>
  readonly released: Effect.Effect<void>
  /** The reader handles the command itself before it reads on. */
  readonly atOnce: boolean
}

export interface Lanes<R> {
  readonly before: (lane: Lane) => Before
  readonly route: (lane: Exclude<Lane, "instant">, before: Before, task: Task<R>) => void
  /** Runs a task at once, in a fiber of the same scope. */
  readonly aside: (task: Task<R>) => void
  /** Returns when every ordered command routed so far has ended or given way. */
  readonly accepted: Effect.Effect<void>
  /** Returns when every command routed so far has ended. */
  readonly drained: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* <R>() {
  const forked = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(forked)<R>()
  const queue: Array<Job<R>> = []
  let working = false
  let received = 0
  let done = 0
  let holding = 0
  let waiting: Array<{ readonly upTo: number; readonly latch: Effect.Latch }> = []

  /** `then` runs after `ended`, or at once when the task was withdrawn. */
  const aside = (task: Task<R>, then: () => void = () => {}): void => {
    const { ended = (_, next) => next(), run, seat, withdrawn } = task
    if (withdrawn?.() === true) return then()
    fork(run, seat).addObserver((exit) => ended(exit, then))
  }

  const finish = (job: Job<R>) => {
    done++
    job.ticket.isOver = true
    if (job.ticket.holding) holding--
    if (waiting.length === 0) return
    const [over, still] = [waiting.filter(({ upTo }) => upTo <= done), waiting.filter(({ upTo }) => upTo > done)]
    waiting = still
    for (const { latch } of over) latch.unsafeOpen()
  }

  /** Runs the queue in order. Commands that end at once are handled in the loop, so that a long queue needs no deep stack. */
  const work = () => {
    if (working) return
    working = true
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const current = job
      if (job.passing) {
        aside(job.task)
        continue
      }
      let over = false
      let waits = false
      aside(job.task, () => {
        over = true
        finish(current)
        if (!waits) return
        working = false
        work()
      })
      if (over) continue
      waits = true
      return
    }
    working = false
  }

  const enqueue = (task: Task<R>, ticket: Ticket) => {
    received++
    if (ticket.holding) holding++
    queue.push({ ticket, task, passing: false })
    work()
  }

  const pass = (task: Task<R>, ticket: Ticket) => {
    queue.push({ ticket, task, passing: true })
    work()
  }

  /** Queries that wait behind the command are handled at once. */
  const hold = (ticket: Ticket) => {
    if (ticket.holding || ticket.isOver) return
    ticket.holding = true
    holding++
    const passing = queue.filter((job) => job.passing)
    const others = queue.filter((job) => !job.passing)
    queue.splice(0, queue.length, ...others)
    for (const { task } of passing) aside(task)
  }

  const until = (upTo: number) =>
    Effect.suspend(() => {
      if (done >= upTo) return Effect.void
      const latch = Effect.unsafeMakeLatch(false)
      waiting.push({ upTo, latch })
      return latch.await
    })

  const route: Lanes<R>["route"] = (lane, before, task) => {
    switch (lane) {
      case "ordered":
      case "holding":
        return enqueue(task, before.ticket)
      case "background": {
        const started = Effect.sync(() => aside({ ...task, run: Effect.ensuring(task.run, before.release) }))
        // The command runs in the fiber that `started` forks. The task in the lane only keeps its place, without a node.
        const { ended: _ended, seat: _seat, ...place } = task
        return enqueue({ ...place, run: Effect.zipRight(started, before.released) }, before.ticket)
      }
      case "query":
        return before.atOnce ? aside(task) : pass(task, before.ticket)
      case "control":
        return aside(task)
    }
  }

  const accepted = Effect.suspend(() => until(received))

  const lanes: Lanes<R> = {
    before: (lane) => {
      const latch = lane === "background" ? Effect.unsafeMakeLatch(false) : undefined
      const ticket = { holding: lane === "holding", isOver: false }
      return {
        ticket,
        hold: () => hold(ticket),
        earlier: done === received ? Effect.void : until(received),
        blocked: holding > 0,
        atOnce: lane === "instant" || (lane === "query" && (done === received || holding > 0)),
        release: latch === undefined ? Effect.void : Effect.asVoid(latch.open),
        released: latch === undefined ? Effect.void : latch.await
      }
    },
    route,
    aside,
    accepted,
    drained: Effect.zipRight(accepted, FiberSet.awaitEmpty(forked))
  }
  return lanes
})

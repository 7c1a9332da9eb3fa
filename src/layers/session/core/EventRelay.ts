/**
 * Lets hooks watch each event of a session before its sinks get it, one event after the other (protocol.md 4.2). An event
 * that no hook watches, with nothing before it still on its way, goes to the sinks at once.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { AgentMessage } from "../../../domain/conversation/Message.ts"
import type { HookPoint } from "../../../services/hooks/HookPoints.ts"
import type { HookProblem } from "../../../services/hooks/Hooks.ts"
import type { EventLog } from "../../../services/session/EventLog.ts"
import type { HookRegistry } from "../modules/hooks/HookRegistry.ts"

/** How long an event waits for one hook. */
const patience = "5 seconds"

/** How long all events together wait for hooks while an abort or a change of session waits for them. */
const hurry = "250 millis"

/** How many events may be on their way before the run waits. */
const lead = 1024

type Tag = AgentEvent["_tag"]
type EventOf = { readonly [T in Tag]: Extract<AgentEvent, { readonly _tag: T }> }

/** A hook that was called and has to be waited for. */
interface Watching {
  readonly name: string
  readonly point: HookPoint
  readonly hook: object
  readonly effect: Effect.Effect<unknown, HookProblem>
}

export interface EventRelay extends Pick<EventLog, "publish" | "ready"> {
  /** No hook is called before the end of `step`, so that what a hook does comes behind all events of the step. */
  readonly together: <A>(step: () => A) => A
  /** Returns when the events so far are with the sinks. */
  readonly flush: Effect.Effect<void>
  /** The same for somebody who waits: hooks get less time. */
  readonly flushSoon: Effect.Effect<void>
  /** From now on these hooks watch. */
  readonly watchWith: (hooks: HookRegistry) => void
  /** The hooks at `messageEnding` were asked about this message. Of others they are told when the message has ended. */
  readonly wasAsked: (message: AgentMessage) => void
}

/** The relay of a session, for its modules. */
export class SessionRelay extends Context.Tag("heddle/layers/session/core/SessionRelay")<SessionRelay, EventRelay>() {}

/** Starts a fiber of the session. */
type Fork = (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>

/** Calls the hooks of an event, and waits for those that answer with an effect. */
const makeWatchers = (hooks: HookRegistry, fork: Fork, isImpatient: Effect.Latch) => {
  /** Hooks that have used up the patience, until they have answered after all. */
  const stuck = new Set<object>()
  const asked = new WeakSet<AgentMessage>()

  const isWatched = (event: AgentEvent) =>
    hooks.has(event._tag) || (event._tag === "MessageEnded" && hooks.has("messageEnding") && !asked.has(event.message))

  /** A hook that watches reports and fails is not reported: it would fail at that report, too. */
  const report = (name: string, event: HookPoint, message: string) => {
    if (event !== "ExtensionFailed") hooks.report({ name, event, message })
  }

  /** Calls the hooks of an event. Those that answer with an effect are returned. */
  const callAll = <T extends Tag>(event: { readonly [K in T]: EventOf[K] & { readonly _tag: K } }[T]) => {
    const tag: T = event._tag
    const registered = hooks.of(tag)
    let slow: Array<Watching> | undefined
    let at = 0
    /** Called for every delta: one attempt serves for all hooks, as long as none of them throws. */
    const callRest = () => {
      for (let one = registered[at]; one !== undefined; one = registered[++at]) {
        const { hook, name } = one
        if (stuck.size > 0 && stuck.has(hook)) continue
        const answer = hook(event)
        if (answer !== undefined && Effect.isEffect(answer)) {
          ;(slow ??= []).push({ name, point: tag, hook, effect: answer })
        }
      }
    }
    while (at < registered.length) {
      const called = Either.try(callRest)
      if (Either.isRight(called)) break
      report(registered[at]?.name ?? "", tag, hooks.describe(Cause.die(called.left)))
      at++
    }
    return slow
  }

  const callOnMessage = (event: EventOf["MessageEnded"]) => {
    const point = "messageEnding"
    return hooks
      .of(point)
      .filter(({ hook }) => !stuck.has(hook))
      .map((one): Watching => ({ ...one, point, effect: hooks.ask(point, one, event) }))
  }

  const inTime = Effect.raceFirst(Effect.sleep(patience), isImpatient.await)

  /** A hook that takes too long goes on by itself, and is left out until it has answered. */
  const watch = Effect.fnUntraced(function* ({ effect, hook, name, point }: Watching) {
    const calling = fork(
      Effect.catchAllCause(effect, (cause) => Effect.sync(() => report(name, point, hooks.describe(cause))))
    )
    if (calling.unsafePoll() !== null) return
    const ended = yield* Effect.raceFirst(Effect.as(Fiber.await(calling), true), Effect.as(inTime, false))
    if (ended) return
    stuck.add(hook)
    calling.addObserver(() => stuck.delete(hook))
    report(name, point, "did not answer in time; its events are left out until it does")
  })

  const call = (event: AgentEvent): ReadonlyArray<Watching> | undefined => {
    const slow = callAll(event)
    if (event._tag !== "MessageEnded" || asked.has(event.message)) return slow
    return [...(slow ?? []), ...callOnMessage(event)]
  }

  return { call, isWatched, watch, wasAsked: (message: AgentMessage) => void asked.add(message) }
}

export const make = (log: EventLog, hooks: HookRegistry, fork: Fork): EventRelay => {
  /** In their order; those before `next` are with the sinks. */
  let waiting: Array<AgentEvent> = []
  let next = 0
  /** A hook may publish while it is called: that event comes after the one at hand. */
  let isCalling = false
  const backlog = () => waiting.length - next
  const isOut = Effect.unsafeMakeLatch(true)
  /** Open while hooks are not waited for at all. */
  const isImpatient = Effect.unsafeMakeLatch(false)
  /** The fibers of the session have ended: hooks watch no more. */
  let isClosed = false
  let watchers = makeWatchers(hooks, fork, isImpatient)

  const pass = Effect.fnUntraced(function* (event: AgentEvent, slow: ReadonlyArray<Watching> | undefined) {
    if (slow !== undefined) for (const watching of slow) yield* watchers.watch(watching)
    next++
    // A hook that is always a little behind would keep the events of the whole run in memory.
    if (next > lead) next -= waiting.splice(0, next).length
    log.publish(event)
  })

  const callOf = (event: AgentEvent) => {
    isCalling = true
    const slow = watchers.isWatched(event) ? watchers.call(event) : undefined
    isCalling = false
    return slow
  }

  const allOut = () => {
    waiting = []
    next = 0
    isImpatient.unsafeClose()
    isOut.unsafeOpen()
  }

  /** `slow` are hooks of the first event that were called and have not answered. */
  const work = Effect.fnUntraced(function* (slow: ReadonlyArray<Watching> | undefined) {
    const first = waiting[next]
    if (first !== undefined) yield* pass(first, slow)
    for (let event = waiting[next]; event !== undefined; event = waiting[next]) yield* pass(event, callOf(event))
    allOut()
  })

  /** Without a fiber that asks hooks, the events that still wait go to the sinks as they are. */
  const finish = (exit: Exit.Exit<void>) => {
    if (Exit.isSuccess(exit)) return
    isClosed = true
    for (const event of waiting.slice(next)) log.publish(event)
    allOut()
  }

  const begin = (slow: ReadonlyArray<Watching> | undefined) => {
    isOut.unsafeClose()
    fork(work(slow)).addObserver(finish)
  }

  /** Passes the events that wait, up to the first whose hooks have to be waited for. */
  const passAll = () => {
    for (let event = waiting[next]; event !== undefined; event = waiting[next]) {
      const slow = callOf(event)
      if (slow !== undefined) return begin(slow)
      next++
      log.publish(event)
    }
    allOut()
  }

  const together = <A>(step: () => A): A => {
    if (isClosed || isCalling || waiting.length > 0) return step()
    isCalling = true
    const made = step()
    isCalling = false
    passAll()
    return made
  }

  return {
    together,
    publish: (event) => {
      if (isClosed) return log.publish(event)
      if (isCalling || waiting.length > 0) return void waiting.push(event)
      const slow = callOf(event)
      if (slow === undefined && waiting.length === 0) return log.publish(event)
      waiting.unshift(event)
      begin(slow)
    },
    ready: Effect.suspend(() => (backlog() > lead ? Effect.zipRight(isOut.await, log.ready) : log.ready)),
    flush: Effect.suspend(() => (waiting.length === 0 ? Effect.void : isOut.await)),
    flushSoon: Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      const timer = fork(Effect.zipRight(Effect.sleep(hurry), isImpatient.open))
      return Effect.ensuring(isOut.await, Fiber.interruptFork(timer))
    }),
    watchWith: (next) => {
      watchers = makeWatchers(next, fork, isImpatient)
    },
    wasAsked: (message) => watchers.wasAsked(message)
  }
}

/** The hooks of one session, in the order in which they run. Owned by the session's scope. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { defined } from "../../../../domain/Values.ts"
import * as Interrupted from "../../../../services/fibers/Interrupted.ts"
import type { HookAnswer, HookEvent, HookPoint } from "../../../../services/hooks/HookPoints.ts"
import { type Hook, type HookProblem, type HookRegistration, SessionHooks } from "../../../../services/hooks/Hooks.ts"

export interface Registered<P extends HookPoint> {
  readonly name: string
  readonly hook: Hook<P>
}

type Table = { [P in HookPoint]?: Array<Registered<P>> }

/** What went wrong in code of a contributor. */
export interface Report extends HookProblem {
  readonly name: string
  readonly event: string
}

/** More hooks than this at one point from one contributor are a loop that registers again and again. */
const mostHooks = 10_000

interface Contributor {
  readonly name: string
  readonly table: Table
}

const describe = (cause: Cause.Cause<HookProblem>): string => {
  if (Cause.isInterruptedOnly(cause)) return "interrupted"
  const problem = Cause.squash(cause)
  return Predicate.hasProperty(problem, "message") ? String(problem.message) : String(problem)
}

/** What a hook failed with, or what it died of. */
const problemOf = (cause: Cause.Cause<HookProblem>): HookProblem =>
  Option.getOrElse(Cause.failureOption(cause), () => ({ message: describe(cause) }))

type Notify = (typeof SessionHooks.Service)["notify"]

export type HookRegistry = ReturnType<typeof make>

/** The hooks of a session, for those who ask them: none without the module `hooks`. */
export class RegisteredHooks extends Context.Reference<RegisteredHooks>()(
  "heddle/layers/session/modules/hooks/RegisteredHooks",
  {
    defaultValue: () => none
  }
) {}

export const make = (
  report: (problem: Report) => void,
  notify: Notify = () => {},
  ready: Effect.Effect<void> = Effect.void
) => {
  let contributors: ReadonlyArray<Contributor> = []
  /** Flattened when a point is first asked for, and again after a change. */
  let flat: Table = {}

  const of = <P extends HookPoint>(point: P): ReadonlyArray<Registered<P>> => {
    const known = flat[point]
    if (known !== undefined) return known
    const all = contributors.flatMap(({ table }): ReadonlyArray<Registered<P>> => table[point] ?? [])
    flat = { ...flat, [point]: all }
    return all
  }

  const on = <P extends HookPoint>(contributor: Contributor, point: P, hook: Hook<P>) => {
    const registered: Registered<P> = { name: contributor.name, hook }
    const hooksAtPoint: Array<Registered<P>> = contributor.table[point] ?? []
    if (hooksAtPoint.length >= mostHooks) {
      report({ name: contributor.name, event: point, message: `more than ${mostHooks} hooks` })
      return () => {}
    }
    hooksAtPoint.push(registered)
    Object.assign(contributor.table, { [point]: hooksAtPoint })
    flat = {}
    return () => {
      const at = hooksAtPoint.indexOf(registered)
      if (at >= 0) hooksAtPoint.splice(at, 1)
      flat = {}
    }
  }

  const join = (name: string) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const contributor: Contributor = { name, table: {} }
          contributors = [...contributors, contributor]
          return contributor
        }),
        (contributor) =>
          Effect.sync(() => {
            contributors = contributors.filter((other) => other !== contributor)
            flat = {}
          })
      ),
      (contributor): HookRegistration => ({ on: (point, hook) => on(contributor, point, hook) })
    )

  /** Calls one hook. A failure of any kind is answered, not thrown; a hook that interrupts only itself has failed. */
  const call = <P extends HookPoint>(
    { hook }: Registered<P>,
    event: HookEvent<P>
  ): Effect.Effect<Either.Either<HookAnswer<P>, HookProblem>> =>
    Effect.suspend(() => {
      const answer = hook(event)
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
    }).pipe(
      Effect.matchCauseEffect({
        onSuccess: (answer) => Effect.succeed(Either.right(answer)),
        onFailure: (cause) =>
          Effect.flatMap(Interrupted.isRequested, (stopped) =>
            stopped ? Effect.interrupt : Effect.succeed(Either.left(problemOf(cause)))
          )
      })
    )

  /** The same; a failure is reported, and the answer is undefined. */
  const ask = <P extends HookPoint>(point: P, registered: Registered<P>, event: HookEvent<P>) =>
    Effect.map(
      call(registered, event),
      Either.match({
        onLeft: ({ location, message }) => {
          report({ name: registered.name, event: point, message, ...defined({ location }) })
          return undefined
        },
        onRight: (answer) => answer
      })
    )

  return {
    service: SessionHooks.of({ join, report, notify, ready }),
    has: (point: HookPoint) => of(point).length > 0,
    of,
    call,
    ask,
    describe,
    report
  }
}

/** Nothing is registered here. */
export const none: HookRegistry = make(() => {})

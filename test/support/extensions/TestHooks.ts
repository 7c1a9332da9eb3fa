/** The hooks of a session, without a session that calls them: a test asks a point itself. */
import { Effect } from "effect"
import type { HookEvent, HookPoint } from "../../../src/services/hooks/HookPoints.ts"
import { type Hook, type HookRegistration, SessionHooks } from "../../../src/services/hooks/Hooks.ts"

type Hooks = { [P in HookPoint]?: Array<Hook<P>> }

export interface Report {
  readonly name: string
  readonly event: string
  readonly message: string
  readonly location?: string
}

const isLater = (answer: unknown): answer is Effect.Effect<unknown, unknown> => Effect.isEffect(answer)

const makeRegistration = () => {
  const hooks: Hooks = {}
  const registration: HookRegistration = {
    on: <P extends HookPoint>(point: P, hook: Hook<P>) => {
      const list: Array<Hook<P>> = hooks[point] ?? []
      Object.assign(hooks, { [point]: list })
      list.push(hook)
      return () => {
        const at = list.indexOf(hook)
        if (at >= 0) list.splice(at, 1)
      }
    }
  }
  return { hooks, registration }
}

export const make = () => {
  const registrations: Array<{ readonly name: string; readonly hooks: Hooks }> = []
  const reports: Array<Report> = []
  return {
    service: SessionHooks.of({
      ready: Effect.void,
      join: (name) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const { hooks, registration } = makeRegistration()
            const joined = { name, hooks, registration }
            registrations.push(joined)
            return joined
          }),
          (joined) => Effect.sync(() => registrations.splice(registrations.indexOf(joined), 1))
        ).pipe(Effect.map(({ registration }) => registration)),
      report: (problem) => void reports.push(problem),
      notify: () => {}
    }),
    reports,
    /** The names of the registered contributors, in their order. */
    registrations: () => registrations.map(({ name }) => name),
    /** How many hooks wait at a point. */
    count: (point: HookPoint) => registrations.reduce((sum, { hooks }) => sum + (hooks[point]?.length ?? 0), 0),
    /** The answers of all hooks of a point, in their order. */
    ask: <P extends HookPoint>(point: P, event: HookEvent<P>): Effect.Effect<ReadonlyArray<unknown>, unknown> =>
      Effect.forEach(
        registrations.flatMap(({ hooks }) => hooks[point] ?? []),
        (hook) =>
          Effect.suspend((): Effect.Effect<unknown, unknown> => {
            const answer: unknown = hook(event)
            return isLater(answer) ? answer : Effect.succeed(answer)
          })
      ),
    /** Asks about a tool call, each hook with the arguments that the one before it has left. */
    judge: (asked: HookEvent<"toolCall">) =>
      Effect.reduce(
        registrations.flatMap(({ hooks }) => hooks.toolCall ?? []),
        asked,
        (call, hook) =>
          Effect.map(
            Effect.suspend(() => {
              const answer = hook(call)
              return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
            }),
            (answer) => ({ ...call, ...(answer?.input === undefined ? {} : { input: answer.input }) })
          )
      ),
    /** What the hooks return before anything is waited for. */
    poll: <P extends HookPoint>(point: P, event: HookEvent<P>): ReadonlyArray<unknown> =>
      registrations.flatMap(({ hooks }) => (hooks[point] ?? []).map((hook): unknown => hook(event)))
  }
}

export type TestHooks = ReturnType<typeof make>

/**
 * Removes finished tasks after a delay (protocol.md 12). Every task has its own time, from the moment at which it was
 * done. Owned by the session scope; waiting does not keep the process alive.
 */
import * as Effect from "effect/Effect"
import { isDone, tasksOf, type TodoPhases } from "../../../../domain/todo/Todo.ts"
import * as Alarm from "../../../machine/engine/Alarm.ts"

interface Dependencies {
  /** Seconds; negative: never. */
  readonly delay: number
  /** The time of these tasks has come. */
  readonly expire: (ids: ReadonlySet<string>) => void
}

interface Due {
  /** An id may come to belong to another task. */
  readonly content: string
  readonly at: number
}

/** Timers with a longer delay ring at once. */
const longestWaitMs = 2 ** 31 - 1

export interface Clearing {
  /** Follows the list: tasks that have become done get a time, and others lose theirs. */
  readonly follow: (phases: TodoPhases) => void
}

export const make = Effect.fnUntraced(function* ({ delay, expire }: Dependencies) {
  const clock = yield* Effect.clock
  const alarm = yield* Alarm.makeQuiet
  const now = () => clock.unsafeCurrentTimeMillis()
  let due: ReadonlyMap<string, Due> = new Map()
  let cancel = () => {}

  const wait = () => {
    cancel()
    cancel = () => {}
    if (due.size === 0) return
    let next = Infinity
    for (const { at } of due.values()) next = Math.min(next, at)
    cancel = alarm(Math.min(Math.max(0, next - now()), longestWaitMs), ring)
  }

  const ring = () => {
    const time = now()
    const over = new Set<string>()
    for (const [id, { at }] of due) if (at <= time) over.add(id)
    due = new Map([...due].filter(([id]) => !over.has(id)))
    wait()
    if (over.size > 0) expire(over)
  }

  const follow = (phases: TodoPhases) => {
    if (delay < 0) return
    const at = now() + delay * 1000
    const found = new Map<string, Due>()
    for (const task of tasksOf(phases)) {
      if (!isDone(task)) continue
      const { content, id } = task
      const before = due.get(id)
      found.set(id, before?.content === content ? before : { content, at })
    }
    due = found
    wait()
  }

  yield* Effect.addFinalizer(() => Effect.sync(() => cancel()))
  return { follow } satisfies Clearing
})

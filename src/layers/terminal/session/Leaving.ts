/** The end of a session on the terminal: what runs is ended, and the person is told how to come back. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Agent } from "../../../services/Agent.ts"
import { Session } from "../../../services/session/Session.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Shell } from "../../../services/Shell.ts"

/** How long the end may take when the person leaves, and after a signal (protocol.md 1.4). */
const limits = { person: "3 seconds", signal: "700 millis" } as const

/** Ends the run as by an abort. Everything that was said is stored. */
export const windDown = Effect.fnUntraced(function* (cause: keyof typeof limits) {
  const sessions = yield* Sessions
  const shell = yield* Shell
  const leave = Effect.flatMap(sessions.current, (session) => Context.get(session, Agent).leave)
  const steps = Effect.gen(function* () {
    yield* sessions.close
    const forget = yield* Effect.zipRight(shell.close, leave, { concurrent: true })
    yield* sessions.farewell
    yield* shell.endBackground(cause === "signal" ? cause : "end")
    yield* forget
  })
  yield* Effect.timeoutOption(Effect.disconnect(steps), limits[cause])
})

/** Undefined for a session that has nothing to come back to. */
export const farewell = Effect.gen(function* () {
  const sessions = yield* Sessions
  const session = Context.get(yield* sessions.current, Session)
  const { file, sessionId } = yield* session.info
  const isStored = Option.isSome(file) && (yield* session.messageCount) > 0
  return isStored ? `Resume this session with: heddle --resume ${sessionId}` : undefined
})
